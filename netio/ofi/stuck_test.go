package ofi

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/memory"
	"github.com/activepebbles/pebbles/netio/netiotest"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
)

// sticky is a fabric with a call that does not return once it is armed.
type sticky struct {
	*loop
	call    string
	armed   atomic.Bool
	stuck   chan struct{} // closed when the call is stuck
	release chan struct{} // closed at the end of the test
}

func (s *sticky) enter(call string) {
	if call == s.call && s.armed.CompareAndSwap(true, false) {
		close(s.stuck)
		<-s.release
	}
}

func (s *sticky) Poll(into []event) (int, error) {
	s.enter("poll")
	return s.loop.Poll(into)
}

func (s *sticky) Put(peer uint64, mem []byte, r region, at, key uint64, tag uint32) error {
	s.enter("put")
	return s.loop.Put(peer, mem, r, at, key, tag)
}

func (s *sticky) Close() {
	s.enter("close")
	s.loop.Close()
}

const (
	stuckRanks     = 6
	stuckProcesses = 3
	stuckPart      = 1 << 10 // words of a rank
)

// busy puts, gets and sends to all ranks until the job ends.
func busy(r *pebble.Rank, flows func()) error {
	const n = stuckPart * stuckRanks
	table := memory.NewArray[uint64](memory.New(r), "table", distribution.Block(n, stuckRanks))
	count := target.New(r, "count", distribution.Cyclic(n, stuckRanks),
		target.Key(func(n uint64) uint64 { return n }), target.Each(func(uint64) {}))
	return r.Epoch(func() error {
		indices, words := make([]uint64, 100), make([]uint64, 100)
		for lap := 0; ; lap++ {
			for i := range indices {
				indices[i] = uint64(i*stuckPart/7+lap) % n
			}
			table.Scatter(indices, words)
			table.Gather(words, indices)
			count.SendAll(indices)
			if lap == 3 {
				flows()
			}
		}
	})
}

// waits waits for ranks that do not come: those of the last process.
func waits(r *pebble.Rank, flows func(), over <-chan struct{}) error {
	flows()
	if r.ID() >= stuckRanks*(stuckProcesses-1)/stuckProcesses {
		<-over
		return nil
	}
	return r.Barrier()
}

// TestStuck loses a process while a call of another one's fabric does not return. The survivors end with the loss.
// Goroutines that need the way's lock are left behind, and end when the call does.
func TestStuck(t *testing.T) {
	running := goleak.IgnoreCurrent()
	t.Run("in", func(t *testing.T) {
		t.Run("poll", func(t *testing.T) { stuckIn(t, "poll", true) })
		t.Run("put", func(t *testing.T) { stuckIn(t, "put", false) })
		t.Run("close", func(t *testing.T) { stuckIn(t, "close", false) })
	})
	goleak.VerifyNone(t, running)
}

// stuckIn blocks a process's fabric in a call. Either all its ranks wait, and the poller or a looking rank makes the
// call, or they are busy.
func stuckIn(t *testing.T, call string, idle bool) {
	t.Parallel() // it waits for seconds
	n := &loopback{}
	s := &sticky{loop: n.open(), call: call, stuck: make(chan struct{}), release: make(chan struct{})}
	all := dial(t, netiotest.Configs(t, stuckRanks, stuckProcesses), Options{All: true}, n.with(s, 0))
	const last = stuckProcesses - 1
	over := make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	var flowing sync.WaitGroup
	flowing.Add(stuckRanks)
	var results [stuckProcesses]chan error
	for i, p := range all {
		results[i] = make(chan error, 1)
		job := t.Context()
		if i == last {
			job = ctx
		}
		go func() {
			results[i] <- pebble.Run(job, pebble.Config{Ranks: stuckRanks, Transport: p.Transport}, func(r *pebble.Rank) error {
				if idle {
					return waits(r, flowing.Done, over)
				}
				return busy(r, flowing.Done)
			})
		}()
	}
	flowing.Wait()
	s.armed.Store(true)
	if call != "close" {
		<-s.stuck
	}
	all[last].Kill()
	for i := range last {
		err := <-results[i]
		require.ErrorContains(t, err, "lost process 2 (ranks 4-5)")
		if i > 0 || call != "poll" { // a rank may have made the call
			require.Equal(t, i == 0 && call == "put", strings.Contains(err.Error(), "did not return within"), err)
		}
	}
	<-s.stuck
	require.True(t, all[0].way.left.Load())
	require.False(t, all[1].way.left.Load())
	close(over)
	cancel()
	require.Error(t, <-results[last])
	close(s.release)
}

// TestAbortWhileStuck aborts a job while a call of its fabric does not return. It waits for the call once, not for each
// process.
func TestAbortWhileStuck(t *testing.T) {
	const processes = 16
	all := dial(t, netiotest.Configs(t, processes, processes), Options{All: true}, (&loopback{}).ends)
	var told sync.WaitGroup
	told.Add(processes - 1)
	all[0].Start(func(error) {})
	for _, p := range all[1:] {
		once := sync.OnceFunc(told.Done)
		p.Start(func(error) { once() })
	}
	w := all[0].way
	w.mu.Lock()
	began := time.Now()
	all[0].Abort("a reason")
	require.Less(t, time.Since(began), (processes-1)*stuckLimitLost)
	told.Wait()
	w.mu.Unlock()
	_ = netiotest.CloseAll(all)
}
