package start_test

import (
	"math/bits"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/lab/start"
	"github.com/activepebbles/pebbles/netio/sim"
	"github.com/activepebbles/pebbles/route"
)

// Each process takes part in the tree's greetings, reports and addresses, in a greeting with each neighbour, and in the
// barrier, for any number of processes.
func TestMessages(t *testing.T) {
	for _, processes := range []int{1, 2, 3, 9, 10, 64, 77, 512} {
		shape, err := route.Check(route.Hypercube(processes))
		require.NoError(t, err)
		r, err := start.Simulate(start.Job{
			Processes: processes, PerHost: 7, Network: sim.Machines["flat"], Costs: start.Costs{Memory: 1000, Each: 2},
		})
		require.NoError(t, err)
		require.EqualValues(t, (processes-1)*(8+1+1+2)+shape.Links/2*8, r.Messages)
		require.Equal(t, bits.Len(uint(processes-1)), r.Connections)
		require.Equal(t, (processes+6)/7, r.Hosts)
		require.EqualValues(t, 1000+2*processes, r.Memory)
		require.LessOrEqual(t, r.Began, r.Addresses)
		require.LessOrEqual(t, r.Addresses, r.Connected)
		require.LessOrEqual(t, r.Connected, r.Started)
	}
}

// The processes of a host share its cores, and no others.
func TestCoresAreShared(t *testing.T) {
	n := sim.Machines["ideal"]
	n.Cores = sim.Cores{Count: 2}
	for _, hosts := range []int{1, 4, 16} {
		j := start.Job{Processes: 8 * hosts, PerHost: 8, Network: n, Costs: start.Costs{Process: 10 * time.Millisecond}}
		r, err := start.Simulate(j)
		require.NoError(t, err)
		require.InDelta(t, 0.040, r.Began, 1e-4)
		require.InDelta(t, 0.040, r.Started, 1e-3)

		j.Costs.Greeting = 10 * time.Millisecond // at each end of 3 or more greetings a process, and one in the tree
		r, err = start.Simulate(j)
		require.NoError(t, err)
		require.Greater(t, r.Started, 0.040+4*(3+1)*0.010)
		require.Less(t, r.Started, 0.040+4*40*0.010)
	}
}

// The times of tree levels, greetings and barrier grow with the logarithm of the number of processes, and that of
// addresses in proportion.
func TestStartsGrowSlowly(t *testing.T) {
	var seconds []float64
	for _, processes := range []int{64, 512, 4096} {
		r, err := start.Simulate(start.Job{Processes: processes, PerHost: 1, Network: sim.Machines["flat"]})
		require.NoError(t, err)
		seconds = append(seconds, r.Started)
	}
	require.Less(t, seconds[1], 6*seconds[0])
	require.Less(t, seconds[2], 6*seconds[1])
}

func TestImpossibleStarts(t *testing.T) {
	_, err := start.Simulate(start.Job{Processes: 4, PerHost: -1, Network: sim.Machines["flat"]})
	require.EqualError(t, err, "start: -1 processes a host: give a positive number, or 0 for all")
	_, err = start.Simulate(start.Job{Network: sim.Machines["flat"]})
	require.ErrorContains(t, err, "sim: 0 ranks: a job has at least one")
	_, err = start.Simulate(start.Job{Processes: 1 << 40, Network: sim.Machines["flat"]})
	require.ErrorContains(t, err, "simulate fewer")
}
