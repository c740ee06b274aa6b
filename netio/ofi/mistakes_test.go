package ofi

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/netiotest"
)

// said counts log records.
type said struct {
	mu  sync.Mutex
	all []string
}

func (s *said) Enabled(context.Context, slog.Level) bool { return true }
func (s *said) WithAttrs([]slog.Attr) slog.Handler       { return s }
func (s *said) WithGroup(string) slog.Handler            { return s }

func (s *said) Handle(_ context.Context, r slog.Record) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = append(s.all, r.Message)
	return nil
}

func (s *said) times(words string) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, text := range s.all {
		if strings.Contains(text, words) {
			n++
		}
	}
	return n
}

// pair starts two processes of one rank each, and keeps their logs.
func pair(t *testing.T, n *loopback, o Options) (all []process, logs [2]*said) {
	cs := netiotest.Configs(t, 2, 2)
	for i := range cs {
		logs[i] = &said{}
		cs[i].Log = slog.New(logs[i])
	}
	all = dial(t, cs, o, n.ends)
	startAll(t, all)
	t.Cleanup(func() { closeAll(t, all) })
	return all, logs
}

// expose exposes memory of rank 0.
func expose(t *testing.T, all []process, bytes int) (netio.Address, []byte) {
	a, memory, err := all[0].Port(0).OneSided().Expose(bytes)
	require.NoError(t, err)
	return a, memory
}

// put puts from rank 1; get gets from there.
func put(t *testing.T, all []process, at netio.Address, data []byte) error {
	var c netio.Completion
	all[1].Port(1).OneSided().Put(at, data, &c)
	return done(t, all, &c)
}

func get(t *testing.T, all []process, at netio.Address, data []byte) error {
	var c netio.Completion
	all[1].Port(1).OneSided().Get(at, data, &c)
	return done(t, all, &c)
}

// done waits until an operation is done, while both ranks look.
func done(t *testing.T, all []process, c *netio.Completion) error {
	for !c.Done() {
		for rank, p := range all {
			require.Nil(t, p.Port(rank).Recv())
			p.Port(rank).Wait(time.Millisecond)
		}
	}
	return c.Err()
}

// TestStrangersAreLoggedOnce sends one endpoint packets that no member would send: it counts all, and logs one.
func TestStrangersAreLoggedOnce(t *testing.T) {
	n := &loopback{}
	all, logs := pair(t, n, Options{All: true})
	w, stranger := all[0].way, n.open()
	peer, err := stranger.Link(w.fabric.Address())
	require.NoError(t, err)
	for _, text := range []string{"GET / HTTP/1.1", "x", string(make([]byte, packetSmall))} {
		require.NoError(t, stranger.Send(peer, []byte(text), region{}, 0))
	}
	require.Eventually(t, func() bool {
		return locked(w, func() bool { return w.counts.Strangers == 3 })
	}, 10*time.Second, time.Millisecond)
	require.Equal(t, 1, logs[0].times("stranger"))
}

// TestBadTransfers reads beyond exposed memory, also with a lease.
func TestBadTransfers(t *testing.T) {
	all, _ := pair(t, &loopback{}, Options{All: true})
	address, mem := expose(t, all, 4096)
	data := make([]byte, 64)
	for range 2 {
		bad := address.Plus(len(mem) - 63)
		err := get(t, all, bad, data)
		require.ErrorContains(t, err, "it ends beyond what was exposed")
		require.NoError(t, get(t, all, address, data))
	}
}

// TestExposeBeyondDefault exposes more than may be pinned by default: TCP serves it.
func TestExposeBeyondDefault(t *testing.T) {
	all, logs := pair(t, &loopback{}, Options{All: true})
	w := all[0].way
	w.mu.Lock()
	w.pinned.limit = w.pinned.used + 1<<20
	w.mu.Unlock()
	address, mem := expose(t, all, 4<<20)
	require.NoError(t, put(t, all, address, []byte("12345678")))
	require.Equal(t, "12345678", string(mem[:8]))
	require.Equal(t, 1, logs[0].times("goes over TCP"))
}
