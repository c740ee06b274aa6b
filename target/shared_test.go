package target_test

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
	"github.com/activepebbles/pebbles/target"
)

// pairsEach is how many pebbles go from each rank to each other.
const pairsEach = 40

// pairs lets 8 ranks in two processes send pebbles to each other, and returns how many frames that took. Each arrives
// once.
func pairs(t *testing.T, topology route.Constructor, coded bool, buffers pebble.Buffers) (frames uint64) {
	s := appstest.Shape{
		Ranks: 8, Procs: 2, Transport: "tcp", New: topology, Coalesce: 1024, Termination: "skr", Buffers: buffers,
	}
	got := make([]int, 8*8)
	var ready atomic.Int64
	sent := make([]uint64, 8)
	require.NoError(t, s.Run(t, func(r *pebble.Rank) error {
		var options []target.Option
		if coded {
			options = append(options, target.Coded[uint64](plainCodec{}))
		}
		pairs := target.New(r, "pairs", distribution.Block(64, 8), // key: to and from
			target.Key(func(v uint64) uint64 { return v }), target.Each(func(v uint64) { got[v]++ }), options...)
		err := r.Epoch(func() error {
			for range pairsEach {
				for to := range uint64(8) {
					pairs.Send(to*8 + uint64(r.ID()))
				}
			}
			for ready.Add(1); ready.Load() < 8; {
				r.Poll() // all have something to send before anybody is idle
				runtime.Gosched()
			}
			return nil
		})
		sent[r.ID()] = r.Counters().FramesSent
		return err
	}))
	for i, n := range got {
		require.Equal(t, pairsEach, n, "pair %d", i)
	}
	for _, n := range sent {
		frames += n
	}
	return frames
}

// Ranks of a process that share their buffers for ranks of others lose nothing.
func TestSharedBuffers(t *testing.T) {
	for _, topology := range []route.Constructor{route.Direct, route.Hypercube, route.TwoStage} {
		for _, coded := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, coded %v", topology(8).Name(), coded), func(t *testing.T) {
				pairs(t, topology, coded, pebble.Shared)
			})
		}
	}
}

// Ranks that share their buffers send fewer frames when each has little to send. How many pour into a buffer before it
// leaves depends on who runs when, so it is tried until it shows.
func TestSharedBuffersSendFewerFrames(t *testing.T) {
	const separate, tries = 8 * 7, 40 // a frame for each pair of ranks
	require.GreaterOrEqual(t, pairs(t, route.Direct, false, pebble.Separate), uint64(separate))
	for range tries {
		if pairs(t, route.Direct, false, pebble.Shared) < separate {
			return
		}
	}
	require.Fail(t, "shared buffers save no frames")
}
