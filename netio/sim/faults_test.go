package sim_test

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/netiotest"
	"github.com/activepebbles/pebbles/netio/sim"
	"github.com/activepebbles/pebbles/pebble"
)

// world has four processes of two ranks.
func world(f sim.Faults) sim.Config { return sim.Config{Ranks: 8, Processes: 4, Faults: f, Seed: 3} }

const moment = 30 * time.Microsecond // in the middle of the job

// TestHarmlessFaults requires that delays, reordering and duplicates change only times.
func TestHarmlessFaults(t *testing.T) {
	for name, f := range map[string]sim.Faults{
		"delay":         {Delay: 0.5, DelayMost: time.Millisecond},
		"double":        {Double: 0.5},
		"short freeze":  {Freezes: []sim.Freeze{{Process: 1, At: moment, For: 9 * time.Second}}},
		"short parting": {Partitions: []sim.Partition{{Below: 2, At: moment, For: 9 * time.Second}}},
	} {
		t.Run(name, func(t *testing.T) {
			require.True(t, f.Harmless())
			calm := mustRun(t, world(sim.Faults{}), pebble.Config{Coalesce: 4}, sums(100))
			w := mustRun(t, world(f), pebble.Config{Coalesce: 4}, sums(100))
			require.NotEqual(t, calm.Stats(), w.Stats(), "the fault has happened")
		})
	}
}

// TestFatalFaults requires that irreparable faults end the job with an error that names the process.
func TestFatalFaults(t *testing.T) {
	for name, c := range map[string]struct {
		faults sim.Faults
		cause  error
	}{
		"loss":       {sim.Faults{Loss: 0.05}, sim.ErrMissing},
		"corruption": {sim.Faults{Corrupt: 0.05}, netio.ErrDamaged},
		"death":      {sim.Faults{Deaths: []sim.Death{{Process: 0, At: moment}}}, sim.ErrBroken},
		"two deaths": {
			sim.Faults{Deaths: []sim.Death{{Process: 1, At: moment}, {Process: 2, At: 2 * moment}}}, sim.ErrBroken,
		},
		"long freeze":  {sim.Faults{Freezes: []sim.Freeze{{Process: 2, At: moment, For: time.Minute}}}, sim.ErrSilent},
		"long parting": {sim.Faults{Partitions: []sim.Partition{{Below: 1, At: moment, For: time.Minute}}}, sim.ErrSilent},
	} {
		t.Run(name, func(t *testing.T) {
			require.False(t, c.faults.Harmless())
			_, err := run(t, world(c.faults), pebble.Config{Coalesce: 4}, appstest.Checked(sums(100)))
			var lost *netio.LostError
			require.ErrorAs(t, err, &lost)
			require.ErrorIs(t, err, c.cause)
		})
	}
}

func TestFaultsAreChecked(t *testing.T) {
	for text, f := range map[string]sim.Faults{
		"a chance is 0 to 1": {Loss: 2}, "must be more than twice": {DelayMost: time.Hour},
		"each side needs": {Partitions: []sim.Partition{{Below: 4}}},
		"is frozen":       {Freezes: []sim.Freeze{{Process: 4}}}, "dies": {Deaths: []sim.Death{{Process: -1}}},
	} {
		_, err := sim.New(world(f))
		require.ErrorContains(t, err, text)
	}
}

// TestEnds ends jobs by their own ranks.
func TestEnds(t *testing.T) {
	boom := errors.New("boom")
	job := func(f func(*pebble.Rank) error) error {
		_, err := run(t, world(sim.Faults{}), pebble.Config{}, func(r *pebble.Rank) error {
			if r.ID() == 5 {
				return f(r)
			}
			return r.Barrier()
		})
		return err
	}
	require.ErrorIs(t, job(func(*pebble.Rank) error { return boom }), boom)
	var panicked *pebble.PanicError
	require.ErrorAs(t, job(func(*pebble.Rank) error { panic(boom) }), &panicked)
	require.Equal(t, 5, panicked.Rank)
	require.ErrorContains(t, job(func(*pebble.Rank) error { runtime.Goexit(); return nil }),
		"rank 5: its function left by runtime.Goexit")
}

// TestHang requires an immediate report of a hang: a rank waits for a message that no rank sends.
func TestHang(t *testing.T) {
	var failed error
	_, err := each(t, sim.Config{Ranks: 3, Processes: 3}, func(tr netio.Transport) error {
		port := tr.Port(tr.Place().First)
		tr.Start(func(err error) { failed = err; port.Wake() })
		if tr.Place().Process != 1 {
			netio.RunRanks(tr, []func(){func() {}}, nil, netio.Grace{Time: time.Hour})
			return nil
		}
		netio.RunRanks(tr, []func(){func() {
			for failed == nil {
				port.Wait(-1)
			}
		}}, nil, netio.Grace{Time: time.Hour})
		return failed
	})
	var hang *sim.HangError
	require.ErrorAs(t, err, &hang)
	require.Equal(t, []int{1}, hang.Waiting)
}

func TestLimits(t *testing.T) {
	endless := appstest.Checked(func(r appstest.Rank) {
		for {
			r.Meet()
		}
	})
	for _, c := range []sim.Config{{Ranks: 3, TimeLimit: time.Millisecond}, {Ranks: 3, TurnLimit: 1000}} {
		_, err := run(t, c, pebble.Config{}, endless)
		var limit *sim.LimitError
		require.ErrorAs(t, err, &limit)
	}
}

// TestContext ends a simulated job by the end of its context.
func TestContext(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("enough")
	_, err := each(t, sim.Config{Ranks: 3}, func(tr netio.Transport) error {
		return pebble.Run(ctx, pebble.Config{Transport: tr}, appstest.Checked(func(r appstest.Rank) {
			for i := 0; ; i++ {
				if i == 100 && r.ID() == 1 {
					cancel(cause)
				}
				r.Meet()
			}
		}))
	})
	require.ErrorIs(t, err, cause)
}

// TestProcessThatNeverRuns requires that a process whose job cannot start ends the others.
func TestProcessThatNeverRuns(t *testing.T) {
	_, err := each(t, sim.Config{Ranks: 2, Processes: 2}, func(tr netio.Transport) error {
		config := pebble.Config{Transport: tr}
		if tr.Place().Process == 0 {
			config.Coalesce = -1
		}
		return pebble.Run(context.Background(), config, func(r *pebble.Rank) error { return r.Barrier() })
	})
	require.ErrorContains(t, err, "coalescing factor")
}

// TestTimesAreThoseOfLogGP requires LogGP's times: one frame takes 2o + L + nG, and each frame of a stream follows a
// gap, or its bytes' time, after the one before.
func TestTimesAreThoseOfLogGP(t *testing.T) {
	const bytes, frames = 936, 10 // 1,000 with the header
	network := sim.Network{
		RanksPerProcess: 1, ProcessesPerHost: 1,
		Between: sim.Link{Latency: 1e-6, Overhead: 100e-9, Gap: 3e-6, PerByte: 1e-9},
		Costs:   sim.Costs{Look: 1e-9},
	}
	var came []time.Duration
	_, err := each(t, sim.Config{Ranks: 2, Network: network}, func(tr netio.Transport) error {
		tr.Start(func(error) {})
		port := tr.Port(tr.Place().First)
		send := func() {
			for range frames {
				netiotest.Send(port, 0, 1, bytes)
			}
		}
		take := func() {
			for range frames {
				f := port.Recv()
				for ; f == nil; f = port.Recv() {
					port.Wait(-1)
				}
				f.Release()
				came = append(came, port.Now())
			}
		}
		run := []func(){[]func(){send, take}[tr.Place().Process]}
		require.True(t, netio.RunRanks(tr, run, nil, netio.Grace{Time: time.Hour}))
		return nil
	})
	require.NoError(t, err)
	for i, at := range came {
		want := 2*100*time.Nanosecond + time.Microsecond + 1000*time.Nanosecond + time.Duration(i)*3*time.Microsecond
		require.Equal(t, want, at, "frame %d", i)
	}
}

// TestComputeKeepsOrder lets two ranks compute, and touch memory that they share at times that alternate.
func TestComputeKeepsOrder(t *testing.T) {
	var order []int
	mustRun(t, sim.Config{Ranks: 2}, pebble.Config{}, func(r appstest.Rank) {
		r.Compute(time.Duration(r.ID()) * time.Millisecond)
		for range 3 {
			order = append(order, r.ID())
			r.Compute(2 * time.Millisecond)
		}
	})
	require.Equal(t, []int{0, 1, 0, 1, 0, 1}, order)
}

// TestCompute requires that declared computation takes time and sends no message.
func TestCompute(t *testing.T) {
	mustRun(t, sim.Config{Ranks: 2}, pebble.Config{}, func(r appstest.Rank) {
		before := r.Now()
		r.Compute(time.Second)
		r.Equal(time.Second, r.Now()-before)
	})
}
