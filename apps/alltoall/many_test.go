package alltoall

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
)

// A thousand ranks in one process, an item from each to each: what a routed topology gathers into few frames leaves one
// by one from the buffers of the direct one, which has one for every pair of ranks.
func TestManyRanks(t *testing.T) {
	if testing.Short() || raceDetector {
		t.Skip("some seconds, and many more with the race detector")
	}
	const ranks, rounds = 1024, 1
	frames, most := map[string]uint64{}, map[string]int{}
	for _, s := range []appstest.Shape{{Topology: "hypercube", New: route.Hypercube}, {Topology: "direct", New: route.Direct}} {
		s.Ranks, s.Procs, s.Transport = ranks, 1, "mem"
		results, buffers := make([]Result, ranks), make([]int, ranks)
		require.NoError(t, s.Run(t, func(r *pebble.Rank) (err error) {
			results[r.ID()], err = Run(r, Config{Rounds: rounds})
			buffers[r.ID()] = r.Memory().Buffers
			return err
		}))
		got := results[0]
		require.Zero(t, got.Errors)
		require.EqualValues(t, rounds*ranks*(ranks-1), got.Counters.PebblesHandled)
		frames[s.Topology] = got.Counters.FramesSent
		most[s.Topology] = slices.Max(buffers)
		t.Logf("%s: %.1f s, %d frames, %d items forwarded, at most %d buffers on a rank at one time, and %d KiB for pebbles that wait or travel",
			s.Topology, got.Seconds, got.Counters.FramesSent, got.Counters.Forwarded, most[s.Topology], got.Memory.BuffersPeak>>10)
	}
	require.LessOrEqual(t, most["hypercube"], 11, "one for each of 10 neighbours, and one that grows")
	require.GreaterOrEqual(t, most["direct"], 1023)
	require.Less(t, 10*frames["hypercube"], frames["direct"])
}
