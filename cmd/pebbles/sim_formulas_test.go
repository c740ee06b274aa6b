package main

import (
	"encoding/json"
	"fmt"
	"math/bits"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/internal/launch"
	"github.com/activepebbles/pebbles/route"
	"github.com/activepebbles/pebbles/termination"
)

// sent runs an all-to-all of one item of 24 bytes for each pair of ranks.
func sent(t *testing.T, ranks int, flags string) apps.Report {
	t.Helper()
	r := typed(t, fmt.Sprintf("sim alltoall --bytes 8 --rounds 1 --ranks %d --topology hypercube --due never --json -q %s", ranks, flags))
	require.Equal(t, launch.ExitOK, r.status, r.stderr)
	var o apps.Report
	require.NoError(t, json.Unmarshal([]byte(r.stdout), &o))
	return o
}

// Under a hypercube of a power of two ranks, every rank sends every other one an item: half of all bits differ, so
// there are P²/2 log2 P hops, and P log2 P frames when stages are ended in order and nothing fills a buffer (Active
// Pebbles, section 3.4). Buffers have room for what goes over the busiest link: the pebbles of all pairs of ranks
// without a common bit pass through rank 0, 3^(log2 P) of them.
func TestHypercubeIsAsTheFormulasSay(t *testing.T) {
	for _, ranks := range []int{16, 64, 256} {
		log := bits.Len(uint(ranks)) - 1
		p, l := uint64(ranks), uint64(log)
		o := sent(t, ranks, "--coalesce 4096 --termination ordered")
		c := o.Counters
		require.Equal(t, p*(p-1), c.PebblesSent)
		require.Equal(t, p*(p-1), c.PebblesHandled)
		require.Equal(t, p*p/2*l-p*(p-1), c.Forwarded, "hops beyond the first")
		require.Equal(t, 24*p*p/2*l, c.BytesSent)
		require.Equal(t, p*l, c.FramesSent, "one a link")
		require.Equal(t, p*l, c.FlushIdle)
		require.LessOrEqual(t, o.Memory.Buffers, log+1, "one a neighbour, and one that grows")
		require.GreaterOrEqual(t, o.Memory.Buffers, log)

		require.Equal(t, log, sent(t, ranks, "--coalesce 4 --termination ordered").Memory.Buffers, "buffers that are whole from the start")
	}
}

// Detection sends what package termination says: exactly for an epoch of known depth, and by whole rounds under skr.
func TestDetectionIsAsTheFormulasSay(t *testing.T) {
	for _, ranks := range []int{16, 64, 256} {
		topology := route.Hypercube(ranks)
		hops, _ := route.Hops(topology)
		site := termination.Site{Ranks: ranks, Depth: 1, Hops: hops, Topology: topology}
		for name, rounds := range map[string]uint64{"nbx": uint64(hops), "pcx": uint64(hops), "pcx-neighbors": uint64(hops), "ordered": 1} {
			if ranks == 256 && name != "ordered" && name != "nbx" {
				continue // as for 64, and slow
			}
			c := sent(t, ranks, "--termination "+name).Counters
			each, err := termination.Messages(name, site)
			require.NoError(t, err)
			require.Equal(t, uint64(ranks*each), c.DetectionSent, "%s on %d ranks", name, ranks)
			require.Equal(t, rounds, c.Rounds, "%s on %d ranks", name, ranks)
		}
		c := sent(t, ranks, "--termination skr").Counters
		least, err := termination.Messages("skr", site)
		require.NoError(t, err)
		require.GreaterOrEqual(t, c.Rounds, uint64(2))
		require.Equal(t, c.Rounds*uint64(ranks*hops), c.DetectionSent)
		require.GreaterOrEqual(t, c.DetectionSent, uint64(ranks*least))
	}
}
