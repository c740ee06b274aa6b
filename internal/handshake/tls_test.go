package handshake_test

import (
	"bytes"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/handshake"
)

func encrypted(process int) handshake.Hello {
	h := hello(process)
	h.Encrypted = true
	return h
}

// listened is a connection that keeps the bytes written to it.
type listened struct {
	net.Conn
	mu  sync.Mutex
	all bytes.Buffer
}

func (l *listened) Write(b []byte) (int, error) {
	l.mu.Lock()
	l.all.Write(b)
	l.mu.Unlock()
	return l.Conn.Write(b)
}

// Members of an encrypted job identify each other. A reader of the network sees neither their messages nor their
// numbers.
func TestEncrypted(t *testing.T) {
	a, b := net.Pipe()
	wire := &listened{Conn: a}
	var client, server net.Conn
	var theirs, mine handshake.Hello
	var errs [2]error
	var both sync.WaitGroup
	both.Go(func() { client, theirs, errs[0] = handshake.Client(wire, []byte("secret"), encrypted(1), 0) })
	both.Go(func() { server, mine, errs[1] = handshake.Server(b, []byte("secret"), encrypted(0), 0) })
	both.Wait()
	require.NoError(t, errors.Join(errs[:]...))
	require.Equal(t, encrypted(0), theirs)
	require.Equal(t, encrypted(1), mine)
	require.IsType(t, (*tls.Conn)(nil), client)
	state := client.(*tls.Conn).ConnectionState()
	require.EqualValues(t, tls.VersionTLS13, state.Version)
	require.Same(t, wire, handshake.Socket(client))
	both.Go(func() { client.Write([]byte("a pebble for key 7")) })
	said := make([]byte, len("a pebble for key 7"))
	_, err := io.ReadFull(server, said)
	both.Wait()
	require.NoError(t, err)
	require.Equal(t, "a pebble for key 7", string(said))
	for _, word := range []string{"pebble for", `"Process"`, "secret"} {
		require.NotContains(t, wire.all.String(), word)
	}
	require.NoError(t, errors.Join(a.Close(), b.Close()))
}

func TestOneEncryptedEnd(t *testing.T) {
	for _, ends := range [][2]handshake.Hello{{encrypted(1), hello(0)}, {hello(1), encrypted(0)}} {
		c, s := meet(t, "secret", "secret", ends[0], ends[1])
		require.ErrorIs(t, c.err, handshake.ErrEncrypted)
		require.ErrorIs(t, s.err, handshake.ErrEncrypted)
	}
	refusals := new(handshake.Refusals)
	for range handshake.RefusalsMax - 1 {
		require.False(t, refusals.Hopeless(handshake.ErrEncrypted))
	}
	require.True(t, refusals.Hopeless(handshake.ErrEncrypted), "it need not be dialled for ever")
}

// Certificates of another job, of another secret, and those that have expired are refused by either end, 20 times each.
func TestCertificates(t *testing.T) {
	const tries = 20
	good := func() *tls.Config { return config(t, "secret", "job", 0) }
	for name, bad := range map[string]*tls.Config{
		"job":     config(t, "secret", "another", 0),
		"secret":  config(t, "another", "job", 0),
		"expired": config(t, "secret", "job", -3*handshake.CertificateLife),
		"early":   config(t, "secret", "job", 3*handshake.CertificateLife),
		"none":    {ServerName: good().ServerName, RootCAs: good().RootCAs},
	} {
		for range tries {
			_, server := negotiate(t, bad, good())
			require.Error(t, server, "server, %s", name)
			if name != "none" {
				client, _ := negotiate(t, good(), bad)
				require.Error(t, client, "client, %s", name)
			}
		}
	}
	client, server := negotiate(t, good(), good())
	require.NoError(t, errors.Join(client, server))
	old := good()
	old.MinVersion, old.MaxVersion = 0, tls.VersionTLS12
	_, server = negotiate(t, old, good())
	require.ErrorContains(t, server, "version")
}

// config returns a member's configuration, issued at the given time after now.
func config(t *testing.T, secret, job string, later time.Duration) *tls.Config {
	c, err := handshake.TLSConfigAt([]byte(secret), job, time.Now().Add(later))
	require.NoError(t, err)
	return c
}

// negotiate returns the errors of a client, which gets a refusal when it reads, and of a server.
func negotiate(t *testing.T, client, server *tls.Config) (c, s error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	var both sync.WaitGroup
	both.Go(func() {
		var conn *tls.Conn
		if conn, c = tls.Dial("tcp", l.Addr().String(), client); c == nil {
			_, c = io.ReadFull(conn, make([]byte, 1))
			conn.Close()
		}
	})
	both.Go(func() {
		raw, err := l.Accept()
		if s = err; s == nil {
			conn := tls.Server(raw, server)
			_, s = conn.Write([]byte{1})
			conn.Close()
		}
	})
	both.Wait()
	return c, s
}
