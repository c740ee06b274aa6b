package tcp_test

import (
	"net"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/handshake"
	"github.com/activepebbles/pebbles/netio/netiotest"
	"github.com/activepebbles/pebbles/netio/tcp"
)

// dialsAtOnce is how many greetings a process may have in progress as the one that dials.
const dialsAtOnce = 8

// TestManyProcessesStart has more members dial process 0 than a gate keeps strangers.
func TestManyProcessesStart(t *testing.T) {
	const processes = 34 // of two connections to each other one
	all := dialAll(t, netiotest.Configs(t, processes, processes))
	told := startAll(all)
	send(all[processes-1], processes-1, 0, 10)
	netiotest.Next(all[0].Port(0)).Release()
	for i := range told {
		require.Empty(t, told[i])
	}
	_ = netiotest.CloseAll(all)
}

// crowd counts the greetings that are in progress.
type crowd struct {
	mu        sync.Mutex
	now, most int
	full      chan struct{} // closed when there are dialsAtOnce
}

func (c *crowd) enter() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now++
	c.most = max(c.most, c.now)
	if c.now == dialsAtOnce && c.most == dialsAtOnce {
		select {
		case <-c.full:
		default:
			close(c.full)
		}
	}
}

func (c *crowd) leave() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now--
}

// TestDialsAreBounded answers for all the processes that one of 41 dials, and counts greetings from when they are
// accepted to when their last message is about to leave.
func TestDialsAreBounded(t *testing.T) {
	const processes = 41
	cs := netiotest.Configs(t, processes, processes)
	greetings := &crowd{full: make(chan struct{})}
	var answering sync.WaitGroup
	var mu sync.Mutex
	var conns []net.Conn
	for _, c := range cs[:processes-1] {
		mine := handshake.Hello{
			Role: handshake.RolePeer, Job: c.Job, Process: c.Place.Process, Processes: processes, Ranks: processes, Identity: c.Identity,
		}
		answer := func(conn net.Conn) {
			greetings.enter()
			<-greetings.full
			_, err := handshake.Server(&leaving{Conn: conn, crowd: greetings}, c.Secret, mine, 0)
			require.NoError(t, err)
		}
		answering.Go(func() {
			for range 2 { // streams
				conn, err := c.Listener.Accept()
				require.NoError(t, err)
				mu.Lock()
				conns = append(conns, conn)
				mu.Unlock()
				answering.Go(func() { answer(conn) })
			}
		})
	}
	last, err := tcp.Dial(t.Context(), cs[processes-1])
	require.NoError(t, err)
	answering.Wait()
	require.Equal(t, dialsAtOnce, greetings.most)
	last.Abort("enough")
	for _, conn := range conns { // nobody says goodbye
		conn.Close()
	}
	last.Close()
	for _, c := range cs[:processes-1] {
		c.Listener.Close()
	}
}

// leaving is a connection whose greeting leaves the crowd before its last message.
type leaving struct {
	net.Conn
	crowd  *crowd
	writes int
}

func (l *leaving) Write(b []byte) (int, error) {
	if l.writes++; l.writes == 3 { // opening, proof, Hello
		l.crowd.leave()
	}
	return l.Conn.Write(b)
}

func TestOpenFilesAreChecked(t *testing.T) {
	require.NoError(t, tcp.CheckFiles(64, 1024))
	require.NoError(t, tcp.CheckFiles(481, 1024)) // 2 * 480 + 64
	require.NoError(t, tcp.CheckFiles(1000, 0))
	require.EqualError(t, tcp.CheckFiles(482, 1024), "a process of 482 needs 1026 open files, 2 for each other one, and 1024 are allowed: "+
		"raise the limit with `ulimit -n 1026` on each host, or start fewer processes")
}
