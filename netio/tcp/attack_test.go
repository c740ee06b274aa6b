package tcp_test

import (
	"bytes"
	"io"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/handshake"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/netiotest"
	"github.com/activepebbles/pebbles/netio/tcp"
)

// attacks is the number of tries of each attack.
const attacks = 20

// recorder is a connection that keeps the bytes that its user writes.
type recorder struct {
	net.Conn
	written bytes.Buffer
}

func (r *recorder) Write(b []byte) (int, error) {
	r.written.Write(b)
	return r.Conn.Write(b)
}

// attacker connects to one process of a running job.
type attacker struct {
	t       *testing.T
	address string
	secret  []byte
	hello   handshake.Hello // of a member
	replay  []byte          // all bytes that a member once wrote to join
}

func (a *attacker) dial() net.Conn {
	c, err := net.Dial("tcp", a.address)
	require.NoError(a.t, err)
	a.t.Cleanup(func() { c.Close() })
	return c
}

// write writes all of b, and requires that the process ends the connection with at most some bytes of a handshake.
func (a *attacker) write(b []byte) {
	c := a.dial()
	_, _ = c.Write(b) // the process may have closed the connection before the last byte
	require.NoError(a.t, c.SetReadDeadline(time.Now().Add(time.Minute)))
	_, err := io.Copy(io.Discard, c)
	if err != nil {
		require.NotErrorIs(a.t, err, io.ErrNoProgress)
		require.NotContains(a.t, err.Error(), "timeout", "the connection is still open")
	}
}

// join joins as a member does, with a secret and a hello that may be wrong, and requires a refusal.
func (a *attacker) join(secret string, change func(*handshake.Hello)) {
	h := a.hello
	change(&h)
	_, _, err := handshake.Client(a.dial(), []byte(secret), h, time.Minute)
	require.Error(a.t, err)
}

// Strangers attack each process of an encrypted job that runs and listens. All are refused, the job goes on, and makes
// new connections while 40 of theirs are still open.
func TestAttacksOfAnEncryptedJob(t *testing.T) {
	const processes = 4
	cs := sparing(netiotest.Configs(t, processes, processes))
	for i := range cs {
		cs[i].TLS = true
	}
	all, told := started(t, cs)
	victim := cs[0]
	hello := handshake.Hello{
		Role: handshake.RolePeer, Job: victim.Job, Process: 1, Processes: processes, Ranks: processes,
		Connect: tcp.ConnectNeed, Encrypted: true, Identity: victim.Identity,
	}
	a := &attacker{t: t, address: victim.Addresses[0], secret: victim.Secret, hello: hello}
	member := &recorder{Conn: a.dial()}
	_, _, err := handshake.Client(member, victim.Secret, hello, time.Minute)
	require.ErrorIs(t, err, handshake.ErrCrossed, "the secret and the hello are right: only the connection exists")
	a.replay = member.written.Bytes()
	same := func(*handshake.Hello) {}
	for name, attack := range map[string]func(){
		"port scan":                  func() { a.dial().Close() },
		"half-open":                  func() { a.dial() },
		"half a greeting":            func() { a.dial().Write(a.replay[:20]) },
		"replay":                     func() { a.write(a.replay) },
		"plain text":                 func() { a.join(string(a.secret), func(h *handshake.Hello) { h.Encrypted = false }) },
		"certificate of another job": func() { a.join(string(a.secret), func(h *handshake.Hello) { h.Job = "another" }) },
		"another secret":             func() { a.join("another", same) },
	} {
		for range attacks {
			attack()
		}
		require.Equal(t, len(tcp.Neighbours(0, processes)), all[0].Connections(), name)
		requireNothing(t, told)
	}
	for _, pair := range [][2]int{{3, 0}, {0, 3}, {1, 2}, {1, 0}} {
		sendKind(all[pair[0]], netio.Data, pair[1])
		netiotest.Receive(t, all[pair[1]].Port(pair[1])).Release()
	}
	requireNothing(t, told)
}
