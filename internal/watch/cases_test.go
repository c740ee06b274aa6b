package watch_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/memory"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/mem"
	"github.com/activepebbles/pebbles/netio/sim"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
	"github.com/activepebbles/pebbles/task"
)

// report receives a job's report. It closes release at the report, so that a case continues by events and not by time.
type report struct {
	mu      sync.Mutex
	text    bytes.Buffer
	release chan struct{}
}

func newReport() *report { return &report{release: make(chan struct{})} }

func (r *report) Write(b []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.text.Len() == 0 {
		defer close(r.release)
	}
	return r.text.Write(b)
}

// verdict returns the first line, or "" without a report.
func (r *report) verdict() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	line, _, _ := strings.Cut(r.text.String(), "\n")
	return line
}

// watched runs a job that is watched, on the given number of ranks.
func watched(size int, w pebble.Watch, f func(r *pebble.Rank) error) error {
	return pebble.Run(context.Background(), pebble.Config{Ranks: size, Watch: w}, f)
}

// simulated runs a job that is watched in a simulated world.
func simulated(t *testing.T, c sim.Config, w pebble.Watch, f func(r *pebble.Rank) error) error {
	t.Helper()
	world, err := sim.New(c)
	require.NoError(t, err)
	return world.Each(func(transport netio.Transport) error {
		return pebble.Run(context.Background(), pebble.Config{Transport: transport, Watch: w}, f)
	})
}

// ranks returns a target with a pebble for each rank, by number.
func ranks(r *pebble.Rank, handle func(v uint64)) *target.Target[uint64] {
	return target.New(r, "visit", distribution.Ranks(r.Size()), target.Key(func(v uint64) uint64 { return v }),
		target.Each(handle))
}

// cases are jobs that stand still, by their fault, with the expected verdict. A function that has to hang waits for
// release, which is closed after the report.
var cases = []struct {
	name    string
	ranks   int
	run     func(r *pebble.Rank, release <-chan struct{}) error
	verdict []string
}{
	{"a handler that does not return", 4, func(r *pebble.Rank, release <-chan struct{}) error {
		visit := ranks(r, func(v uint64) {
			if v == 2 {
				<-release
			}
		})
		return r.Epoch(func() error {
			visit.Send(uint64((r.ID() + 1) % r.Size()))
			return nil
		}, pebble.Named("relax"))
	}, []string{`ranks 0-1, 3 wait for the end of epoch "relax" (cases_test.go:`, `rank 2 runs the handler of "visit"`}},

	{"a main function that computes", 3, func(r *pebble.Rank, release <-chan struct{}) error {
		if r.ID() == 1 {
			<-release
		}
		return r.Barrier()
	}, []string{
		"ranks 0, 2 wait for the others in barrier (cases_test.go:", "rank 1 runs its function, and has called nothing",
	}},

	{"a body that computes", 3, func(r *pebble.Rank, release <-chan struct{}) error {
		return r.Epoch(func() error {
			if r.ID() == 0 {
				<-release
			}
			return nil
		}, pebble.Named("count"))
	}, []string{`ranks 1-2 wait for the end of epoch "count"`, `rank 0 runs the body of epoch "count" (cases_test.go:`}},

	{"an owner that does not poll", 2, func(r *pebble.Rank, release <-chan struct{}) error {
		visit := ranks(r, func(uint64) {})
		return r.Epoch(func() error {
			if r.ID() == 1 {
				<-release
				return nil
			}
			for range 4 << 20 {
				visit.Send(1)
			}
			return nil
		})
	}, []string{"rank 0 waits for", `of "visit"`, "rank 1 runs the body of epoch (cases_test.go:"}},

	{"a task that does not end", 2, func(r *pebble.Rank, release <-chan struct{}) error {
		s := task.New(r)
		return s.Run(func() {
			if r.ID() == 1 {
				<-release
			}
		})
	}, []string{"rank 0 waits for the end of epoch (cases_test.go:", "rank 1 runs a task, in epoch"}},

	{"a lock that is not released", 3, func(r *pebble.Rank, release <-chan struct{}) error {
		space := memory.New(r)
		lock := memory.NewLock(space, "door", 0)
		return r.Epoch(func() error {
			if r.ID() == 2 {
				lock.Lock()
				<-release
				lock.Unlock()
				return nil
			}
			for r.ID() == 1 {
				if !lock.TryLock() {
					lock.Lock() // held by rank 2
					defer lock.Unlock()
					return nil
				}
				lock.Unlock()
			}
			return nil
		})
	}, []string{"rank 2 runs the body of epoch (cases_test.go:", "rank 1 waits for an answer, in Lock, in epoch"}},

	{"all ranks in handlers", 2, func(r *pebble.Rank, release <-chan struct{}) error {
		visit := ranks(r, func(uint64) { <-release })
		return r.Epoch(func() error {
			visit.SendAll([]uint64{uint64(r.ID())})
			return nil
		})
	}, []string{`ranks 0-1 run the handler of "visit", in epoch (cases_test.go:`}},

	{"a rank that is behind", 3, func(r *pebble.Rank, release <-chan struct{}) error {
		if r.ID() == 2 {
			<-release
		}
		if err := r.Barrier(); err != nil {
			return err
		}
		return r.Epoch(func() error { return nil })
	}, []string{"ranks 0-1 wait for the others in barrier", "rank 2 runs its function, and has called nothing yet"}},
}

func TestVerdicts(t *testing.T) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			out := newReport()
			w := pebble.Watch{Stall: 2 * time.Second, Out: out}
			err := watched(c.ranks, w, func(r *pebble.Rank) error { return c.run(r, out.release) })
			require.NoError(t, err, "the job goes on when what held it up is gone")
			for _, words := range c.verdict {
				require.Contains(t, out.verdict(), words)
			}
		})
	}
}

// TestStallExit requires that a job that stands still ends if configured so.
func TestStallExit(t *testing.T) {
	t.Parallel()
	out := newReport()
	err := watched(2, pebble.Watch{Stall: time.Second, StallExit: true, Out: out}, func(r *pebble.Rank) error {
		if r.ID() == 1 {
			<-out.release
		}
		return r.Barrier()
	})
	var stalled *pebble.StallError
	require.ErrorAs(t, err, &stalled)
	require.Contains(t, stalled.Verdict, "rank 1 runs its function")
	require.Equal(t, out.verdict(), stalled.Verdict)
	require.Equal(t, 76, pebble.WriteError(&bytes.Buffer{}, err))
}

// hold is a transport that delays data frames for one rank until it is let go: a slow link.
type hold struct {
	netio.Transport
	to    uint32
	until <-chan struct{}
}

func (h *hold) Port(rank int) netio.Port { return &heldPort{h.Transport.Port(rank), h, nil} }

type heldPort struct {
	netio.Port
	of   *hold
	kept []*netio.Frame
}

func (p *heldPort) Send(f *netio.Frame) {
	if f.Kind == netio.Data && f.To == p.of.to {
		select {
		case <-p.of.until:
		default:
			p.kept = append(p.kept, f)
			return
		}
	}
	p.Port.Send(f)
}

func (p *heldPort) Recv() *netio.Frame {
	select {
	case <-p.of.until:
		for _, f := range p.kept {
			p.Port.Send(f)
		}
		p.kept = nil
	default:
	}
	return p.Port.Recv()
}

// TestSlowLink requires that a link whose frames do not arrive is named, when all ranks wait for the end of the epoch.
func TestSlowLink(t *testing.T) {
	t.Parallel()
	out := newReport()
	slow := &hold{mem.New(3), 2, out.release}
	config := pebble.Config{Transport: slow, Watch: pebble.Watch{Stall: 3 * time.Second, Out: out}}
	err := pebble.Run(context.Background(), config, func(r *pebble.Rank) error {
		visit := ranks(r, func(uint64) {})
		return r.Epoch(func() error {
			if r.ID() == 0 {
				visit.Send(2)
			}
			return nil
		})
	})
	require.NoError(t, err)
	require.Contains(t, out.verdict(), `ranks 0-2 wait for the end of epoch (cases_test.go:`)
	require.Contains(t, out.verdict(), `1 frame of "visit" from rank 0 to rank 2 has not been handled`)
}

// TestNamedAtOnce requires that a fault that the runtime detects itself ends the job, with an error that names the
// culprit and without a report.
func TestNamedAtOnce(t *testing.T) {
	for name, c := range map[string]struct {
		run   func(r *pebble.Rank) error
		words string
	}{
		"a rank that skips a collective": {func(r *pebble.Rank) error {
			if r.ID() == 1 {
				return nil
			}
			return r.Barrier()
		}, "has returned from its function"},
		"another order of epochs": {func(r *pebble.Rank) error {
			if r.ID() == 1 {
				if err := r.Barrier(); err != nil {
					return err
				}
			}
			return r.Epoch(func() error { return nil })
		}, "call epochs and collectives in the same order"},
		"a task that waits for one that has ended": {func(r *pebble.Rank) error {
			s := task.New(r)
			gate := s.NewGate()
			return s.Run(func() { gate.Wait() })
		}, "Gate.Wait"},
		"a distribution that differs": {func(r *pebble.Rank) error {
			n := uint64(10)
			if r.ID() == 1 {
				n = 11
			}
			target.New(r, "visit", distribution.Block(n, r.Size()), target.Key(func(v uint64) uint64 { return v }),
				target.Each(func(uint64) {}))
			return r.Epoch(func() error { return nil })
		}, `target "visit" has distribution`},
		"a full disk in the application": {func(r *pebble.Rank) error {
			if r.ID() == 1 {
				return fmt.Errorf("write the result: %w", syscall.ENOSPC)
			}
			return r.Barrier()
		}, "rank 1: write the result: no space left on device"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := newReport()
			err := watched(3, pebble.Watch{Stall: time.Minute, Out: out}, c.run)
			require.ErrorContains(t, err, c.words)
			require.Empty(t, out.verdict())
		})
	}
}

// TestSimulatedHang requires that a simulated world whose ranks wait for unsent messages ends, with the verdict.
func TestSimulatedHang(t *testing.T) {
	w := pebble.Watch{Out: newReport()}
	err := simulated(t, sim.Config{Ranks: 4, Seed: 1}, w, func(r *pebble.Rank) error {
		s := memory.New(r)
		lock := memory.NewLock(s, "door", 0)
		return r.Epoch(func() error {
			if r.ID() == 1 {
				lock.Lock() // and keeps it
			}
			if r.ID() == 2 {
				r.Compute(time.Second)
				lock.Lock()
			}
			return nil
		}, pebble.Named("doors"))
	})
	require.ErrorContains(t, err, `lock "door" is never given back: the main function of rank 1 took it at `)
}
