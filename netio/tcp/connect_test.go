package tcp_test

import (
	"bytes"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"net"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/handshake"
	"github.com/activepebbles/pebbles/internal/seeds"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/netiotest"
	"github.com/activepebbles/pebbles/netio/tcp"
)

// sparingJob is a job of one rank per process with ConnectNeed.
func sparingJob(t *testing.T, processes int) ([]*tcp.Transport, []chan error) {
	return started(t, sparing(netiotest.Configs(t, processes, processes)))
}

// sendKind sends a frame of a few bytes.
func sendKind(tr *tcp.Transport, kind netio.Kind, to int) {
	from := tr.Place().Process
	tr.Port(from).Send(netiotest.Frame(tr.Port(from), kind, from, to, 8))
}

// Any process reaches any other one over neighbours, in few hops.
func TestHops(t *testing.T) {
	for processes := 2; processes < 35; processes++ {
		most := bits.Len(uint(processes - 1))
		for from := range processes {
			require.LessOrEqual(t, len(tcp.Neighbours(from, processes)), most)
			for to := range processes {
				hops := 0
				for at := from; at != to; hops++ {
					next := tcp.Hop(at, to)
					require.Contains(t, tcp.Neighbours(at, processes), next, "from %d to %d of %d", from, to, processes)
					require.Contains(t, tcp.Neighbours(next, processes), at)
					at = next
				}
				require.LessOrEqual(t, hops, most)
			}
		}
	}
}

// At the start a process is connected with its neighbours, and at its first frame with any other, once.
func TestConnectionsAreMadeOnce(t *testing.T) {
	all, told := sparingJob(t, 8)
	for _, tr := range all {
		require.Equal(t, 3, tr.Connections())
	}
	sendKind(all[0], netio.Data, 7)
	netiotest.Receive(t, all[7].Port(7)).Release()
	sendKind(all[7], netio.Data, 0) // the other way, and again
	netiotest.Receive(t, all[0].Port(0)).Release()
	sendKind(all[0], netio.Data, 7)
	netiotest.Receive(t, all[7].Port(7)).Release()
	for i, tr := range all {
		require.Equal(t, map[bool]int{true: 4, false: 3}[i == 0 || i == 7], tr.Connections())
	}
	requireNothing(t, told)
}

func requireNothing(t *testing.T, told []chan error) {
	t.Helper()
	for i := range told {
		require.Empty(t, told[i], "process %d", i)
	}
}

// All processes send to all others at the same time: of two crossing dials one counts, and every frame arrives.
func TestCrossedDials(t *testing.T) {
	const processes, rounds = 6, 3
	for range rounds {
		all, told := sparingJob(t, processes)
		var running sync.WaitGroup
		begin := make(chan struct{})
		for me, tr := range all {
			running.Go(func() {
				<-begin
				for to := range processes {
					for _, kind := range []netio.Kind{netio.Data, netio.Control} {
						if to != me {
							sendKind(tr, kind, to)
						}
					}
				}
				for range 2 * (processes - 1) {
					netiotest.Receive(t, tr.Port(me)).Release()
				}
			})
		}
		close(begin)
		running.Wait()
		for _, tr := range all {
			require.Equal(t, 2*(processes-1), tr.Connections())
		}
		requireNothing(t, told)
		require.NoError(t, netiotest.CloseAll(all))
	}
}

// Frames that wait for a connection leave before Close ends it.
func TestCloseWaitsForConnections(t *testing.T) {
	all, told := sparingJob(t, 4)
	sendKind(all[0], netio.Control, 3)
	var closing sync.WaitGroup
	closing.Go(func() { require.NoError(t, all[0].Close()) })
	netiotest.Receive(t, all[3].Port(3)).Release()
	for _, tr := range all[1:] {
		closing.Go(func() { require.NoError(t, tr.Close()) })
	}
	closing.Wait()
	requireNothing(t, told)
}

// The process that dials a dead one detects its death, although no connection has broken.
func TestRefusedDialIsALoss(t *testing.T) {
	t.Parallel() // it waits for a cause that does not come
	all, told := sparingJob(t, 4)
	all[3].Kill()
	sendKind(all[0], netio.Data, 3)
	err := <-told[0]
	netiotest.RequireLost(t, err, 3)
	require.ErrorContains(t, err, "dial process 3")
	require.ErrorContains(t, err, "refused")
}

// Close tells of a refused dial that frames have waited for, although nothing else follows.
func TestCloseTellsOfRefusedDials(t *testing.T) {
	all, told := sparingJob(t, 4)
	all[3].Kill()
	sendKind(all[0], netio.Data, 3)
	var closing sync.WaitGroup
	for _, tr := range all[1:] {
		closing.Go(func() { _ = tr.Close() })
	}
	err := all[0].Close()
	if closing.Wait(); err == nil { // it was told before
		err = <-told[0]
	}
	netiotest.RequireLost(t, err, 3)
}

// A host that does not answer is lost after the silence limit. Until then frames to others pass.
func TestSilentDialIsALoss(t *testing.T) {
	t.Parallel() // it waits for the limit
	cs := sparing(netiotest.Configs(t, 4, 4))
	dead, err := net.Listen("tcp", "127.0.0.1:0") // it never greets
	require.NoError(t, err)
	defer dead.Close()
	cs[0].Addresses = slices.Clone(cs[0].Addresses)
	cs[0].Addresses[3] = dead.Addr().String()
	for i := range cs {
		cs[i].SilenceMax = 2 * time.Second
	}
	all, told := started(t, cs)
	all[0].Late()
	sendKind(all[0], netio.Data, 3)
	sendKind(all[0], netio.Data, 1)
	netiotest.Receive(t, all[1].Port(1)).Release()
	require.Empty(t, told[0], "it is not yet lost")
	err = <-told[0]
	netiotest.RequireLost(t, err, 3)
	require.ErrorContains(t, err, "dial process 3")
}

// A process is killed while connections are being made: a neighbour, or one that is not connected. The others end the
// job, as the runtime does, and all report the same process.
func TestKillWhileConnecting(t *testing.T) {
	t.Parallel() // it waits for six losses
	const processes, rounds = 8, 6
	random := rand.New(rand.NewPCG(seeds.Of(t), 0))
	for range rounds {
		cs := sparing(netiotest.Configs(t, processes, processes))
		all, told := dialAll(t, cs), make([]chan error, processes)
		for i, tr := range all {
			told[i] = make(chan error, processes)
			tr.Start(func(err error) {
				tr.Abort(err.Error())
				told[i] <- err
			})
		}
		victim, after := random.IntN(processes), random.IntN(processes)
		for round := range processes {
			for me, tr := range all {
				if me == victim && round > after {
					continue
				}
				sendKind(tr, netio.Data, (me+round)%processes)
			}
			if round == after {
				all[victim].Kill()
			}
		}
		for i := range all {
			if i != victim {
				require.ErrorContains(t, <-told[i], fmt.Sprintf("lost process %d ", victim))
			}
		}
		_ = netiotest.CloseAll(all)
	}
}

// Notes travel over neighbours, in order, and make no connection.
func TestNotesByNeighbours(t *testing.T) {
	all, told := sparingJob(t, 7)
	const from, to = 3, 4
	arrived := make(chan []byte, 16)
	all[to].Notes(func(process int, text []byte) {
		require.Equal(t, from, process)
		arrived <- bytes.Clone(text)
	})
	sizes := []int{0, 100, netio.NoteBytesMax, 5}
	for _, n := range sizes {
		all[from].Note(to, make([]byte, n))
	}
	for _, n := range sizes {
		require.Len(t, <-arrived, n)
	}
	require.Len(t, tcp.Neighbours(to, 7), all[to].Connections())
	requireNothing(t, told)
}

func TestConnectMustAgree(t *testing.T) {
	cs := netiotest.Configs(t, 2, 2)
	cs[1].Connect = tcp.ConnectNeed
	_, errs := tryAll(t.Context(), cs)
	for _, err := range errs {
		require.ErrorContains(t, err, "give all processes the same setting")
	}
}

// A second connection is refused for a stream that has one, and a member that is not one of the job's processes does
// not disturb a running one.
func TestSecondConnectionIsRefused(t *testing.T) {
	cs := sparing(netiotest.Configs(t, 2, 2))
	all, told := started(t, cs)
	hello := handshake.Hello{
		Role: handshake.RolePeer, Job: cs[0].Job, Process: 1, Processes: 2, Ranks: 2, Connect: tcp.ConnectNeed,
		Identity: cs[0].Identity,
	}
	for _, c := range []struct {
		change func(h *handshake.Hello)
		want   error
	}{
		{func(*handshake.Hello) {}, handshake.ErrCrossed},
		{func(h *handshake.Hello) { h.Process = 0 }, nil},
		{func(h *handshake.Hello) { h.Process = 5 }, nil},
		{func(h *handshake.Hello) { h.Ranks = 3 }, nil},
	} {
		conn, err := net.Dial("tcp", cs[0].Addresses[0])
		require.NoError(t, err)
		h := hello
		c.change(&h)
		_, _, err = handshake.Client(conn, cs[0].Secret, h, 0)
		require.ErrorIs(t, err, c.want)
		_, err = conn.Read(make([]byte, 1))
		require.Error(t, err, "it is closed")
		conn.Close()
	}
	require.Equal(t, 1, all[0].Connections())
	sendKind(all[0], netio.Data, 1)
	netiotest.Receive(t, all[1].Port(1)).Release()
	requireNothing(t, told)
}

// Connections are made on need if goroutines serve them, and over TLS.
func TestServedConnections(t *testing.T) {
	for _, encrypted := range []bool{false, true} {
		netiotest.RunSome(t, func(t *testing.T, ranks, processes int) []netio.Transport {
			cs := sparing(netiotest.Configs(t, ranks, processes))
			for i := range cs {
				cs[i].TLS = encrypted
				cs[i].Serve()
			}
			return netiotest.Interfaces(dialAll(t, cs))
		}, "EveryFrameOnceAndUnchanged", "CreditsBoundWhatIsHeld", "CloseInOrder", "AbortIsTold", "LossIsTold")
	}
}
