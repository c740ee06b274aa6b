package shm

import (
	"context"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/handshake"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/tcp"
)

// The same over shared memory, where a rank says twice that it parks: to other processes, and to its own.
func TestNoWakeUpIsLostBeforeParkingOverSharedMemory(t *testing.T) {
	for name, make := range map[string]func(both [2]Process) func(){
		"frame": func(both [2]Process) func() {
			q := both[1].Port(1)
			return func() { q.Send(address(q, netio.Data, 1, 0, 1000)) }
		},
		"release": func(both [2]Process) func() {
			p, q := both[0].Port(0), both[1].Port(1)
			p.Send(address(p, netio.Data, 0, 1, 1000))
			f := receive(t, q)
			return func() { f.Release(); both[1].way.ports[0].tellReleases() }
		},
		"frame by the other way": func(both [2]Process) func() {
			p, own := both[0].Port(0), both[0].Under(access).Ports()[0]
			return func() { own.Deliver(address(p, netio.Data, 1, 0, 1000)) }
		},
		"end of a peer": func(both [2]Process) func() { return func() { both[0].way.Unlink(1); both[0].Port(0).Wake() } },
		"call":          func(both [2]Process) func() { return both[0].Port(0).Wake },
	} {
		for announcements := range 2 {
			t.Run(name, func(t *testing.T) {
				both := twins(t)
				p := both[0].Port(0)
				event := make(both)
				called := false
				both[0].way.ports[0].parking.Once(announcements, func() { event(); called = true })
				begin := time.Now()
				p.Wait(patience)
				require.True(t, called)
				require.Less(t, time.Since(begin), patience, "slept although it came")
			})
		}
	}
}

// Releases of data frames are told within a millisecond or so although a control frame was released before, and their
// rank is busy.
func TestReleasesBehindAControlFrameAreTold(t *testing.T) {
	both := twins(t)
	p, q := both[0].Port(0), both[1].Port(1)
	p.Send(address(p, netio.Control, 0, 1, 8))
	p.Send(address(p, netio.Data, 0, 1, 8))
	first, second := receive(t, q), receive(t, q)
	require.Equal(t, netio.Control, first.Kind)
	first.Release()
	second.Release()
	told := &both[1].way.ports[0].received
	require.True(t, told.late.Armed() || told.pending.Empty(), "nobody will tell")
	eventually(t, "tell", func() bool { return p.Pool().Lent() == 0 })
}

// twins connects two processes of one rank each that share memory.
func twins(t *testing.T) (both [2]Process) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("this system has no nameless shared memory")
	}
	var starts sync.WaitGroup
	for i, c := range twinConfigs(t) {
		starts.Go(func() {
			var err error
			both[i], err = Dial(context.Background(), c)
			require.NoError(t, err)
		})
	}
	starts.Wait()
	for _, tr := range both {
		tr.Start(func(error) {})
	}
	t.Cleanup(func() {
		var ends sync.WaitGroup
		for _, tr := range both {
			ends.Go(func() { tr.Close() })
		}
		ends.Wait()
	})
	return both
}

func twinConfigs(t *testing.T) (configs [2]tcp.Config) {
	var addresses []string
	for i := range configs {
		l, err := tcp.Listen("")
		require.NoError(t, err)
		addresses = append(addresses, l.Addr().String())
		configs[i] = tcp.Config{
			Job: "twins", Secret: make([]byte, 32), Place: netio.PlaceOf(2, 2, i), Listener: l,
			Identity: handshake.Identity{Protocol: handshake.Protocol, Build: "b", ByteOrder: "little", Registry: "r"},
		}
	}
	for i := range configs {
		configs[i].Addresses = addresses
	}
	return configs
}

func address(p netio.Port, kind netio.Kind, from, to, n int) *netio.Frame {
	f := p.Pool().Get(n)
	f.Kind, f.From, f.To, f.Bytes = kind, uint32(from), uint32(to), uint32(n)
	return f
}

const patience = 30 * time.Second

// eventually polls: what it waits for is the work of goroutines that tell nobody.
func eventually(t *testing.T, what string, done func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !done(); time.Sleep(100 * time.Microsecond) {
		require.True(t, time.Now().Before(end), "%s: not within %v", what, patience)
	}
}

// receive waits for a frame.
func receive(t *testing.T, p netio.Port) (f *netio.Frame) {
	t.Helper()
	eventually(t, "receive a frame", func() bool {
		p.Wait(time.Second)
		f = p.Recv()
		return f != nil
	})
	return f
}
