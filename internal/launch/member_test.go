package launch

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"log/slog"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/handshake"
	"github.com/activepebbles/pebbles/internal/launch/bootstrap"
)

// joinAgainst joins a job of two processes as process 1. launcher plays the launcher; it is called for each dial, in
// order.
func joinAgainst(t *testing.T, ctx context.Context, log *slog.Logger, launcher func(net.Conn)) (*Member, error) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	var accepting sync.WaitGroup
	accepting.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			launcher(conn)
			conn.Close()
		}
	})
	defer accepting.Wait()
	defer listener.Close()
	setMember(t, listener.Addr().String())
	return Join(ctx, Options{Transport: "", Log: log})
}

var testSecret = bootstrap.NewJob(nil).Secret

func setMember(t *testing.T, launcher string) {
	pipe, err := secretPipe(testSecret)
	require.NoError(t, err)
	defer pipe.Close()
	for name, value := range goodVariables() {
		t.Setenv(name, value)
	}
	t.Setenv(varLauncher, launcher)
	t.Setenv(varSecretFD, strconv.Itoa(duplicate(t, pipe)))
}

func greetMember(conn net.Conn) error {
	_, err := hearMember(conn)
	return err
}

// hearMember returns the member's listening address.
func hearMember(conn net.Conn) (address string, err error) {
	identity, err := handshake.ThisBuild()
	if err != nil {
		return "", err
	}
	_, _, err = handshake.Server(conn, testSecret,
		handshake.Hello{Role: handshake.RoleLauncher, Job: "j", Identity: identity}, 0)
	var a arrival
	return a.Address, errors.Join(err, handshake.ReadMessage(conn, arrivalBytesMax, &a), a.check())
}

// TestStrangersAtAMemberAreLogged dials the member after it has sent its listening address to the launcher.
func TestStrangersAtAMemberAreLogged(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	told := make(chan string, 100)
	_, err := joinAgainst(t, ctx, slog.New(slog.NewTextHandler(lineWriter(told), nil)), func(conn net.Conn) {
		address, err := hearMember(conn)
		require.NoError(t, err)
		stranger, err := net.Dial("tcp", address)
		require.NoError(t, err)
		defer stranger.Close()
		stranger.Write([]byte("GET / HTTP/1.1\r\n\r\n"))
		require.NoError(t, handshake.WriteMessage(conn, departure{Addresses: []string{"127.0.0.1:1", address}}))
		for line := range told {
			if strings.Contains(line, "refuse connection") {
				require.Contains(t, line, stranger.LocalAddr().String())
				break
			}
		}
		cancel(errors.New("seen"))
	})
	require.ErrorContains(t, err, "seen")
}

type lineWriter chan<- string

func (w lineWriter) Write(b []byte) (int, error) {
	w <- string(b)
	return len(b), nil
}

func TestLauncherThatIsNotThere(t *testing.T) {
	setMember(t, "127.0.0.1:1") // where no program listens
	_, err := Join(t.Context(), Options{})
	require.ErrorIs(t, err, ErrLauncherGone)
	require.Equal(t, ExitFollower, StatusOf(err))
}

func TestLauncherThatMisbehaves(t *testing.T) {
	after := func(do func(net.Conn)) func(net.Conn) {
		return func(conn net.Conn) {
			if err := greetMember(conn); err != nil {
				panic(err)
			}
			do(conn)
		}
	}
	for name, c := range map[string]struct {
		launcher func(net.Conn)
		says     string
		is       error
	}{
		"is no launcher": {func(c net.Conn) { c.Write([]byte("HTTP/1.1 400 Bad Request\r\n\r\n")) }, "greet launcher", nil},
		"knows no secret": {func(c net.Conn) {
			handshake.Server(c, bootstrap.NewJob(nil).Secret, handshake.Hello{Job: "j"}, 0)
		}, "wrong secret", handshake.ErrSecret},
		"is a peer": {func(c net.Conn) {
			identity := handshake.Identity{Protocol: handshake.Protocol}
			handshake.Server(c, testSecret, handshake.Hello{Role: handshake.RolePeer, Job: "j", Identity: identity}, 0)
		}, "not its launcher", nil},
		"leaves":           {after(func(net.Conn) {}), "wait for all processes: launcher is gone", ErrLauncherGone},
		"leaves half-said": {after(func(c net.Conn) { c.Write([]byte{100, 0, 0, 0, '{'}) }), "unexpected EOF", nil},
		"says too much": {after(func(c net.Conn) { c.Write(binary.LittleEndian.AppendUint32(nil, 1<<30)) }),
			"the most is", nil},
		"says nonsense": {after(func(c net.Conn) { c.Write([]byte{2, 0, 0, 0, '[', ']'}) }), "decode message", nil},
		"knows one address": {after(func(c net.Conn) { handshake.WriteMessage(c, departure{Addresses: []string{"h:1"}}) }),
			"1 addresses for 2 processes", nil},
		"has failed": {after(func(c net.Conn) { handshake.WriteMessage(c, departure{Failed: "no luck"}) }),
			"job has failed elsewhere: no luck", ErrElsewhere},
		"leaves in the end": {after(func(c net.Conn) {
			handshake.WriteMessage(c, departure{Addresses: []string{"127.0.0.1:1", "127.0.0.1:2"}})
		}), "launcher is gone", ErrLauncherGone},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := joinAgainst(t, t.Context(), nil, c.launcher)
			require.ErrorContains(t, err, c.says)
			require.ErrorContains(t, err, "join job j as process 1: ")
			if c.is != nil {
				require.ErrorIs(t, err, c.is)
			}
			require.Empty(t, os.Getenv(varJob))
		})
	}
}

// TestLauncherThatDropsMembers has a launcher that drops a member more often than members may be refused.
func TestLauncherThatDropsMembers(t *testing.T) {
	dials := 0
	_, err := joinAgainst(t, t.Context(), nil, func(conn net.Conn) {
		if dials++; dials > handshake.RefusalsMax+2 && greetMember(conn) == nil {
			handshake.WriteMessage(conn, departure{Failed: "no luck"})
		}
	})
	require.ErrorContains(t, err, "job has failed elsewhere: no luck")
	require.Equal(t, handshake.RefusalsMax+3, dials)

	dials = 0
	why := errors.New("it is late")
	ctx, cancel := context.WithCancelCause(t.Context())
	_, err = joinAgainst(t, ctx, nil, func(net.Conn) {
		if dials++; dials == 3 {
			cancel(why)
		}
	})
	require.ErrorIs(t, err, why)
	require.ErrorIs(t, err, handshake.ErrDropped)
}

func TestLauncherThatSaysNothing(t *testing.T) {
	cause := errors.New("enough")
	for name, launcher := range map[string]func(net.Conn) error{
		"at first":           func(net.Conn) error { return nil },
		"after the greeting": greetMember,
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			_, err := joinAgainst(t, ctx, nil, func(conn net.Conn) {
				if err := launcher(conn); err != nil {
					panic(err)
				}
				cancel(cause)
				conn.Read(make([]byte, 1000))
				conn.Read(make([]byte, 1000)) // until the other end leaves
			})
			require.Error(t, err)
		})
	}
}

// The program's transport overrides the launcher's, but the launcher's TLS stays.
func TestChosenTransport(t *testing.T) {
	for _, c := range []struct {
		launcher, program, want string
		line                    bool
	}{
		{"auto", "", "auto", false}, {"auto", "tcp", "tcp", false}, {"tcp", "auto", "tcp", false},
		{"tls+auto", "", "tls+auto", true}, {"tls+auto", "tcp", "tls+tcp", true}, {"shm", "tls+tcp", "tls+tcp", false},
		{"tls+tcp", "tls+auto", "tls+auto", true},
	} {
		e := environment{transport: c.launcher}
		e.choose(c.program)
		require.Equal(t, c.want, e.transport, c)
		require.Equal(t, c.line, e.encrypted, c)
	}
}

// A job that other machines can reach warns once that it is not encrypted.
func TestOpenJobIsTold(t *testing.T) {
	for address, told := range map[string]bool{"127.0.0.1": false, "::1": false, "192.0.2.7": true, "2001:db8::7": true} {
		var out bytes.Buffer
		warnOpen(slog.New(slog.NewTextHandler(&out, nil)), &net.TCPAddr{IP: net.ParseIP(address), Port: 7473})
		require.Equal(t, told, strings.Contains(out.String(), "not encrypted: --tls does it"), address)
		require.Equal(t, told, strings.Contains(out.String(), address))
	}
	warnOpen(nil, &net.TCPAddr{IP: net.ParseIP("192.0.2.7")}) // a job without a log
}
