package ofi

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/memory"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/netiotest"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
)

// sticky is a fabric with a call that does not return, once it is armed, when a certain holder of its way's lock makes it.
type sticky struct {
	*loop
	call    string
	by      holder
	way     *Way // set before armed
	armed   atomic.Bool
	stuck   chan struct{} // closed when it is
	release chan struct{} // closed at the end of the test
}

func newSticky(n *loopback, call string, by holder) *sticky {
	return &sticky{loop: n.open(), call: call, by: by, stuck: make(chan struct{}), release: make(chan struct{})}
}

func (s *sticky) arm(w *Way) {
	s.way = w
	s.armed.Store(true)
}

func (s *sticky) enter(call string) {
	if call != s.call || !s.armed.Load() || s.way.mu.Holder() != s.by || !s.armed.CompareAndSwap(true, false) {
		return
	}
	close(s.stuck)
	<-s.release
	for _, r := range s.way.pinned.all { // which the call may touch
		r.mem[0]++
		r.mem[len(r.mem)-1]++
	}
}

func (s *sticky) Poll(into []event) (int, error) {
	s.enter("poll")
	return s.loop.Poll(into)
}

func (s *sticky) Send(peer uint64, mem []byte, r region, tag uint32) error {
	s.enter("send")
	return s.loop.Send(peer, mem, r, tag)
}

func (s *sticky) Put(peer uint64, mem []byte, r region, at, key uint64, tag uint32) error {
	s.enter("put")
	return s.loop.Put(peer, mem, r, at, key, tag)
}

func (s *sticky) Get(peer uint64, mem []byte, r region, at, key uint64, tag uint32) error {
	s.enter("get")
	return s.loop.Get(peer, mem, r, at, key, tag)
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

// patient rounds are more than a holder takes that gets no processor for a while.
const patient = quietRounds

// busy puts, gets and sends to all ranks until the job ends.
func busy(r *pebble.Rank, flows func()) error {
	const n = stuckPart * stuckRanks
	table, err := memory.NewArray[uint64](memory.New(r), "table", distribution.Block(n, stuckRanks))
	if err != nil {
		return err
	}
	count := target.New(r, "count", distribution.Cyclic(n, stuckRanks), target.Key(func(n uint64) uint64 { return n }), target.Each(func(uint64) {}))
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

// waits waits for ranks that don't come: those of the last process.
func waits(r *pebble.Rank, flows func(), over <-chan struct{}) error {
	flows()
	if r.ID() >= stuckRanks*(stuckProcesses-1)/stuckProcesses {
		<-over
		return nil
	}
	return r.Barrier()
}

// TestStuck loses a process while a call of another one's fabric does not return. The survivors end with the loss; only the goroutine in that call is left behind,
// and ends when the call does.
func TestStuck(t *testing.T) {
	for _, c := range []struct {
		name, call string
		by         holder
		idle       bool
	}{
		{"sentry polls", "poll", bySentry, true},
		{"rank polls", "poll", byRank, false},
		{"rank sends", "send", byRank, false},
		{"rank puts", "put", byRank, false},
		{"rank gets", "get", byRank, false},
		{"close", "close", byOther, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			running := goleak.IgnoreCurrent()
			n := &loopback{}
			s := newSticky(n, c.call, c.by)
			all := dial(t, netiotest.Configs(t, stuckRanks, stuckProcesses), Options{All: true}, func(process int) (fabric, error) {
				if process == 0 {
					return s, nil
				}
				return n.open(), nil
			})
			const last = stuckProcesses - 1
			over := make(chan struct{})
			ctx, cancel := context.WithCancel(t.Context())
			var flowing sync.WaitGroup
			flowing.Add(stuckRanks)
			var back [stuckProcesses]atomic.Int32
			var results [stuckProcesses]chan error
			for i, p := range all {
				results[i] = make(chan error, 1)
				job := t.Context()
				if i == last {
					job = ctx
				}
				go func() {
					results[i] <- pebble.Run(job, pebble.Config{Ranks: stuckRanks, Transport: p.Transport}, func(r *pebble.Rank) error {
						defer back[i].Add(1)
						if c.idle {
							return waits(r, flowing.Done, over)
						}
						return busy(r, flowing.Done)
					})
				}()
			}
			flowing.Wait()
			all[1].way.watch.rounds.Store(patient)
			if c.call == "close" {
				all[0].way.watch.rounds.Store(patient)
			}
			s.arm(all[0].way)
			if c.call != "close" {
				<-s.stuck
			}
			all[last].Kill()
			for i := range last {
				err := <-results[i]
				require.ErrorContains(t, err, "lost process 2 (ranks 4-5)")
				ranks := int32(stuckRanks / stuckProcesses)
				if i == 0 && c.by == byRank {
					require.ErrorContains(t, err, "a rank of process 0 was left behind")
					ranks--
				} else {
					require.NotContains(t, err.Error(), "left behind")
				}
				require.NotContains(t, err.Error(), "did not return within")
				require.Equal(t, ranks, back[i].Load(), "ranks of process %d that have come back", i)
			}
			<-s.stuck
			require.True(t, all[0].way.mu.GivenUp())
			require.Equal(t, c.by, all[0].way.mu.Holder())
			require.False(t, all[1].way.mu.GivenUp())
			close(over)
			cancel()
			require.Error(t, <-results[last])
			close(s.release)
			goleak.VerifyNone(t, running)
		})
	}
}

// TestStuckInOrder closes processes in order while a call of one's fabric does not return.
func TestStuckInOrder(t *testing.T) {
	for _, call := range []string{"poll", "close"} {
		t.Run(call, func(t *testing.T) {
			running := goleak.IgnoreCurrent()
			n := &loopback{}
			by := byOther
			if call == "poll" {
				by = bySentry
			}
			s := newSticky(n, call, by)
			all := dial(t, netiotest.Configs(t, 2, 2), Options{All: true}, func(process int) (fabric, error) {
				if process == 0 {
					return s, nil
				}
				return n.open(), nil
			})
			failures := make(chan error, 10)
			for _, p := range all {
				p.Start(func(err error) { failures <- err })
			}
			s.arm(all[0].way)
			if call == "poll" {
				<-s.stuck
			}
			closed := make(chan error, 1)
			go func() { closed <- all[1].Close() }()
			if call == "poll" { // the one that stays hears of it
				for err := error(nil); err == nil; {
					select {
					case err = <-failures:
						require.ErrorIs(t, err, errStuck)
					default:
						all[0].Port(0).Wait(time.Millisecond)
					}
				}
			}
			require.NoError(t, all[0].Close())
			<-s.stuck
			require.True(t, all[0].way.mu.GivenUp())
			if err := <-closed; call == "close" { // else it may have waited for too long
				require.NoError(t, err)
			}
			close(s.release)
			goleak.VerifyNone(t, running)
		})
	}
}

// TestStuckAfterLoss: a rank gets stuck when the loss was told already, and nothing else needs the lock.
func TestStuckAfterLoss(t *testing.T) {
	running := goleak.IgnoreCurrent()
	n := &loopback{}
	s := newSticky(n, "poll", byRank)
	all := dial(t, netiotest.Configs(t, 2, 2), Options{All: true}, func(process int) (fabric, error) {
		if process == 0 {
			return s, nil
		}
		return n.open(), nil
	})
	failures := make(chan error, 10)
	for _, p := range all {
		p.Start(func(err error) { failures <- err })
	}
	all[0].way.watch.rounds.Store(patient)
	all[1].Kill()
	var lost *netio.LostError
	require.ErrorAs(t, <-failures, &lost)
	w := all[0].way
	require.Eventually(t, w.watch.lost.Load, 10*time.Second, time.Millisecond)
	s.arm(w)
	go func() {
		for !w.mu.GivenUp() {
			all[0].Port(0).Wait(time.Millisecond)
			all[0].Port(0).Recv()
		}
	}()
	<-all[0].Stranded()
	require.Equal(t, byRank, w.mu.Holder())
	all[0].Abort("enough")
	_ = all[0].Close() // the other one did not say goodbye
	_ = all[1].Close()
	close(s.release)
	goleak.VerifyNone(t, running)
}

// TestGivenUpTransfers: an operation on memory of a process that lives stays open when the way is given up, and fails when the process is lost.
func TestGivenUpTransfers(t *testing.T) {
	n := &loopback{}
	s := newSticky(n, "poll", bySentry)
	all := dial(t, netiotest.Configs(t, 2, 2), Options{All: true}, func(process int) (fabric, error) {
		if process == 0 {
			return s, nil
		}
		return n.open(), nil
	})
	for _, p := range all {
		p.Start(func(error) {})
	}
	address, _, err := all[1].Port(1).OneSided().Expose(4096)
	require.NoError(t, err)
	s.arm(all[0].way)
	<-s.stuck
	var before, after, fence netio.Completion
	one := all[0].Port(0).OneSided()
	w := all[0].way
	begun := make(chan struct{})
	go func() { // which waits for the lock
		one.Put(address, make([]byte, 8), &before)
		close(begun)
	}()
	require.Eventually(t, func() bool { return w.mu.word.Load()&lockAwaited != 0 }, 10*time.Second, time.Millisecond)
	require.True(t, w.giveUp(w.mu.Turn()))
	<-begun
	one.Get(address, make([]byte, 8), &after)
	one.Fence(&fence)
	for range 100 {
		require.Nil(t, all[0].Port(0).Recv())
	}
	require.False(t, before.Done())
	require.False(t, after.Done())
	require.False(t, fence.Done())
	all[1].Kill()
	for !before.Done() || !after.Done() || !fence.Done() {
		all[0].Port(0).Wait(time.Millisecond)
		require.Nil(t, all[0].Port(0).Recv())
	}
	require.ErrorContains(t, before.Err(), "lost")
	require.ErrorContains(t, after.Err(), "lost")
	require.Zero(t, one.Open())
	all[0].Abort("enough")
	_ = all[0].Close() // the other one did not say goodbye
	_ = all[1].Close()
	close(s.release)
}
