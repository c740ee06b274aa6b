package sim_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/sim"
	"github.com/activepebbles/pebbles/pebble"
)

// work is a network that takes time only for the ranks' computations.
func work(processesPerHost int, cores sim.Cores) sim.Network {
	return sim.Network{Name: "work", RanksPerProcess: 1, ProcessesPerHost: processesPerHost, Cores: cores}
}

// ends runs ranks that compute for d each, and returns the time at which each has finished.
func ends(t *testing.T, c sim.Config, d time.Duration) []time.Duration {
	done := make([]time.Duration, c.Ranks)
	mustRun(t, c, pebble.Config{}, func(r appstest.Rank) {
		r.Compute(d)
		done[r.ID()] = r.Now()
	})
	return done
}

// nth returns the end of the n-th rank of a core, from 0. The ranks before it have computed, and have looked at their
// inboxes for a nanosecond each before they parked.
func nth(n int, d time.Duration) time.Duration { return time.Duration(n+1)*d + time.Duration(n)*looks }

const looks = 2 * time.Nanosecond

// TestCoresAreShared requires that ranks that share cores take longer in proportion to their number, except for a look,
// and that ranks with their own cores do not.
func TestCoresAreShared(t *testing.T) {
	const d = 1234567 * time.Nanosecond
	for _, ranks := range []int{1, 2, 4, 7} {
		for _, cores := range []int{0, 1, 2, 3, 8} {
			t.Run(fmt.Sprintf("%d ranks on %d cores", ranks, cores), func(t *testing.T) {
				done := ends(t, sim.Config{Ranks: ranks, Network: work(ranks, sim.Cores{Count: cores})}, d)
				shared := cores
				if cores == 0 {
					shared = ranks
				}
				slices.Sort(done)
				for i, at := range done {
					n := i / shared
					require.GreaterOrEqual(t, at, time.Duration(n+1)*d)
					require.LessOrEqual(t, at, nth(n, d)+time.Duration(n)*looks) // arrivals cost looks
				}
			})
		}
	}
}

// TestSlices requires that a process keeps a core for its slice, and that ranks of one process keep it without limit.
func TestSlices(t *testing.T) {
	for _, c := range []struct {
		processes   int
		slice       float64
		first, last time.Duration // end of the two ranks of a core, without looks
	}{
		{2, 0, 4 * time.Millisecond, 8 * time.Millisecond},
		{2, 1e-3, 7 * time.Millisecond, 8 * time.Millisecond},
		{2, 2e-3, 6 * time.Millisecond, 8 * time.Millisecond},
		{2, 9e-3, 4 * time.Millisecond, 8 * time.Millisecond},
		{1, 1e-3, 4 * time.Millisecond, 8 * time.Millisecond},
	} {
		n := work(2, sim.Cores{Count: 1, Slice: c.slice})
		n.RanksPerProcess = 2 / c.processes
		var done []time.Duration
		_, err := each(t, sim.Config{Ranks: 2, Processes: c.processes, Network: n}, func(tr netio.Transport) error {
			var ranks []func()
			for id := tr.Place().First; id < tr.Place().Last; id++ {
				p := tr.Port(id)
				ranks = append(ranks, func() {
					for range 3 {
						p.(netio.Meter).Compute(time.Millisecond)
						p.Recv()
					}
					p.(netio.Meter).Compute(time.Millisecond)
					done = append(done, p.Now())
				})
			}
			require.True(t, netio.RunRanks(tr, ranks, t.Context().Done(), netio.Grace{Time: time.Minute}))
			return tr.Close()
		})
		require.NoError(t, err)
		require.Len(t, done, 2)
		require.InDelta(t, c.first, done[0], 1000, "%+v", c)
		require.InDelta(t, c.last, done[1], 1000, "%+v", c)
	}
}

// TestCoresOfHosts requires that two hosts with a core each take as long as one.
func TestCoresOfHosts(t *testing.T) {
	done := ends(t, sim.Config{Ranks: 4, Network: work(2, sim.Cores{Count: 1})}, time.Millisecond)
	for host := range 2 {
		require.ElementsMatch(t, []time.Duration{nth(0, time.Millisecond), nth(1, time.Millisecond)}, done[2*host:2*host+2])
	}
}

// TestSwitches requires that two ranks on one core take twice the time of one, to the nanosecond, plus the time of a
// switch, which differs between processes.
func TestSwitches(t *testing.T) {
	for _, c := range []struct {
		processes int
		cores     sim.Cores
		takes     time.Duration
	}{
		{1, sim.Cores{Count: 1}, 0},
		{1, sim.Cores{Count: 1, Switch: 3e-6, ProcessSwitch: 7e-6}, 3 * time.Microsecond},
		{2, sim.Cores{Count: 1, Switch: 3e-6, ProcessSwitch: 7e-6}, 7 * time.Microsecond},
	} {
		n := work(2, c.cores)
		done := ends(t, sim.Config{Ranks: 2, Processes: c.processes, Network: n}, time.Millisecond)
		require.ElementsMatch(t, []time.Duration{time.Millisecond, nth(1, time.Millisecond) + c.takes}, done)
	}
}

// TestJobsOnFewCores requires that real programs find the same on any number of cores, and are never faster on fewer.
func TestJobsOnFewCores(t *testing.T) {
	for _, processes := range []int{1, 3, 6} {
		before := 0.0
		for _, cores := range []int{0, 6, 2, 1} {
			n := sim.Machines["odin"]
			n.ProcessesPerHost, n.Cores = 6, sim.Cores{Count: cores}
			c := sim.Config{Ranks: 6, Processes: processes, Network: n}
			seconds := mustRun(t, c, pebble.Config{Coalesce: 8}, sums(500)).Stats().Seconds
			if cores == 6 {
				require.InEpsilon(t, before, seconds, 0.05, "a core each is as good as none shared")
			}
			require.Greater(t, seconds, 0.95*before, "%d processes on %d cores", processes, cores)
			before = seconds
		}
	}
}

// TestDeadLeaveTheirCores requires that a process that dies or freezes frees its cores.
func TestDeadLeaveTheirCores(t *testing.T) {
	n := sim.Machines["odin"]
	n.ProcessesPerHost, n.Cores = 4, sim.Cores{Count: 1}
	c := sim.Config{Ranks: 4, Processes: 4, Network: n}
	for dies := range 4 { // one of them has the core then
		c.Faults = sim.Faults{Deaths: []sim.Death{{Process: dies, At: 20 * time.Microsecond}}}
		_, err := run(t, c, pebble.Config{Coalesce: 8}, appstest.Checked(sums(500)))
		require.ErrorContains(t, err, fmt.Sprint("lost process ", dies))
	}
	c.Faults = sim.Faults{Freezes: []sim.Freeze{{Process: 2, At: 20 * time.Microsecond, For: time.Second}}}
	mustRun(t, c, pebble.Config{Coalesce: 8}, sums(500))
}

func TestCoresAreChecked(t *testing.T) {
	require.ErrorContains(t, work(1, sim.Cores{Count: -1}).Check(), "-1 cores")
	require.ErrorContains(t, work(1, sim.Cores{Switch: -1}).Check(), "switch")
	n := work(1, sim.Cores{})
	n.Ends.Host.Batch = -1
	require.ErrorContains(t, n.Check(), "within_host")
}
