package handshake_test

import (
	"bytes"
	"context"
	"errors"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/activepebbles/pebbles/internal/bubble"
	"github.com/activepebbles/pebbles/internal/handshake"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func hello(process int) handshake.Hello {
	return handshake.Hello{
		Role: handshake.RolePeer, Job: "job", Process: process, Processes: 2, Ranks: 4, Lane: 1,
		Identity: handshake.Identity{Protocol: handshake.Protocol, Build: "b", ByteOrder: "little", Registry: "r"},
	}
}

// side is the result of one end of a greeting.
type side struct {
	hello handshake.Hello
	err   error
}

// meet makes two ends greet each other, and close when they fail.
func meet(t *testing.T, clientSecret, serverSecret string, client, server handshake.Hello) (c, s side) {
	a, b := net.Pipe()
	t.Cleanup(func() { a.Close(); b.Close() })
	var both sync.WaitGroup
	both.Go(func() {
		if _, c.hello, c.err = handshake.Client(a, []byte(clientSecret), client, 0); c.err != nil {
			a.Close()
		}
	})
	both.Go(func() {
		if _, s.hello, s.err = handshake.Server(b, []byte(serverSecret), server, 0); s.err != nil {
			b.Close()
		}
	})
	both.Wait()
	return c, s
}

// changed is the hello of process 1, changed.
func changed(change func(h *handshake.Hello)) handshake.Hello {
	h := hello(1)
	change(&h)
	return h
}

func TestMembersLearnOfEachOther(t *testing.T) {
	c, s := meet(t, "secret", "secret", hello(1), hello(0))
	require.NoError(t, errors.Join(c.err, s.err))
	require.Equal(t, hello(0), c.hello)
	require.Equal(t, hello(1), s.hello)
}

func TestOtherSecretOrJobIsRefusedOnBothSides(t *testing.T) {
	for secret, mine := range map[string]handshake.Hello{
		"other": hello(1), "secret": changed(func(h *handshake.Hello) { h.Job = "another" }),
	} {
		client, server := meet(t, secret, "secret", mine, hello(0))
		for _, end := range []side{client, server} {
			require.ErrorIs(t, end.err, handshake.ErrSecret)
			require.Zero(t, end.hello, "nothing was learnt of a stranger")
		}
	}
	_, s := meet(t, "", "", hello(1), hello(0))
	require.ErrorContains(t, s.err, "no secret")
}

func TestOtherIdentityIsNamedOnBothSides(t *testing.T) {
	for field, mine := range map[string]handshake.Hello{
		"protocol":   changed(func(h *handshake.Hello) { h.Identity.Protocol = 99 }),
		"build":      changed(func(h *handshake.Hello) { h.Identity.Build = "99" }),
		"byte order": changed(func(h *handshake.Hello) { h.Identity.ByteOrder = "99" }),
		"registry":   changed(func(h *handshake.Hello) { h.Identity.Registry = "99" }),
	} {
		c, s := meet(t, "secret", "secret", mine, hello(0))
		for _, err := range []error{c.err, s.err} {
			var mismatch *handshake.IdentityError
			require.ErrorAs(t, err, &mismatch)
			require.Equal(t, field, mismatch.Field)
			require.ErrorContains(t, err, field)
			require.ErrorContains(t, err, `"99"`)
		}
	}
}

func TestLauncherNeedNotBeTheSameBuild(t *testing.T) {
	launcher := hello(0)
	launcher.Role, launcher.Identity = handshake.RoleLauncher, handshake.Identity{Protocol: handshake.Protocol}
	process := changed(func(h *handshake.Hello) { h.Role = handshake.RoleProcess })
	c, s := meet(t, "secret", "secret", process, launcher)
	require.NoError(t, errors.Join(c.err, s.err))
}

func TestTooLongHelloIsTold(t *testing.T) {
	mine := changed(func(h *handshake.Hello) { h.Identity.Build = strings.Repeat("b", 5000) })
	c, _ := meet(t, "secret", "secret", mine, hello(0))
	require.ErrorContains(t, c.err, "the most is 4096")
}

func TestDeadlineIsCleared(t *testing.T) {
	a, b := net.Pipe()
	defer a.Close()
	defer b.Close()
	watched := &deadlines{Conn: b}
	go handshake.Client(a, []byte("secret"), hello(1), 0)
	_, _, err := handshake.Server(watched, []byte("secret"), hello(0), 0)
	require.NoError(t, err)
	require.Len(t, watched.set, 2, "one limit for the whole greeting")
	require.False(t, watched.set[0].IsZero())
	require.True(t, watched.set[1].IsZero())
}

type deadlines struct {
	net.Conn
	set []time.Time
}

func (d *deadlines) SetDeadline(t time.Time) error {
	d.set = append(d.set, t)
	return d.Conn.SetDeadline(t)
}

func TestThisBuildIsTheSameTwice(t *testing.T) {
	a, err := handshake.ThisBuild()
	require.NoError(t, err)
	b, err := handshake.ThisBuild()
	require.NoError(t, err)
	require.Equal(t, a, b)
	require.Equal(t, handshake.Protocol, a.Protocol)
	require.Contains(t, a.Build, "sha256:")
	require.Contains(t, []string{"little", "big"}, a.ByteOrder)
}

// tardy is a connection whose end is not scheduled for a while before it reads the Hello.
type tardy struct {
	net.Conn
	reads int
	pause time.Duration
}

func (c *tardy) Read(b []byte) (int, error) {
	if c.reads++; c.reads == 4 { // magic number, nonce, proof, Hello
		time.Sleep(c.pause)
	}
	return c.Conn.Read(b)
}

// TestBothEndsAgreeThatAGreetingWentWell delays the client at its last step for longer than the limit. The server has
// already kept the connection, so the client must not give it up: the server would refuse its next dial.
func TestBothEndsAgreeThatAGreetingWentWell(t *testing.T) {
	bubble.Test(t, func(t *testing.T) {
		a, b := net.Pipe()
		defer a.Close()
		defer b.Close()
		served := make(chan error)
		go func() {
			_, _, err := handshake.Server(b, []byte("secret"), hello(0), time.Second)
			served <- err
		}()
		_, _, err := handshake.Client(&tardy{Conn: a, pause: time.Minute}, []byte("secret"), hello(1), time.Second)
		require.NoError(t, err)
		require.NoError(t, <-served)
	})
}

// TestDroppedIsNotRefused makes a server end the connection at each step, and refuse at the first.
func TestDroppedIsNotRefused(t *testing.T) {
	_, fromServer := record(t)
	for _, heard := range []int{0, 8, 40} {
		_, err := client(play(fromServer[:heard]))
		require.ErrorIs(t, err, handshake.ErrDropped, "after %d bytes", heard)
		require.NotErrorIs(t, err, handshake.ErrSecret)
	}
	refused := append(bytes.Clone(fromServer[:8]), make([]byte, 32)...)
	_, err := client(play(refused))
	require.ErrorIs(t, err, handshake.ErrSecret)
	require.NotErrorIs(t, err, handshake.ErrDropped)
}

// TestReach counts the tries: a hopeless process is not tried again; one that has refused once may be.
func TestReach(t *testing.T) {
	mismatch := &handshake.IdentityError{Field: "build"}
	for name, c := range map[string]struct {
		fails []error // in order; the last one repeatedly
		tries int
		is    error
	}{
		"at once":       {nil, 1, nil},
		"dropped":       {slices.Repeat([]error{handshake.ErrDropped}, 7), 8, nil},
		"refused once":  {[]error{handshake.ErrSecret}, 2, nil},
		"refused":       {slices.Repeat([]error{handshake.ErrSecret}, 99), handshake.RefusalsMax, handshake.ErrSecret},
		"another build": {[]error{handshake.ErrDropped, mismatch}, 2, mismatch},
	} {
		t.Run(name, func(t *testing.T) {
			bubble.Test(t, func(t *testing.T) {
				tries, refusals := 0, new(handshake.Refusals)
				err := handshake.Reach(t.Context(), func(context.Context) (again bool, err error) {
					if tries++; tries <= len(c.fails) {
						err = c.fails[tries-1]
					}
					return !refusals.Hopeless(err), err
				})
				require.ErrorIs(t, err, c.is)
				require.Equal(t, c.tries, tries)
			})
		})
	}
}

// TestReachEndsWithItsContext requires the error of the last try that the context has not ended.
func TestReachEndsWithItsContext(t *testing.T) {
	bubble.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		begin := time.Now()
		err := handshake.Reach(ctx, func(ctx context.Context) (again bool, err error) {
			if ctx.Err() != nil {
				return true, ctx.Err()
			}
			return true, handshake.ErrDropped
		})
		require.ErrorIs(t, err, handshake.ErrDropped)
		require.Equal(t, 30*time.Second, time.Since(begin))
	})
}
