package alltoall

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// sizes are all sizes of plain items, and coded ones of few bytes, of a number that is no multiple of 8, and of many.
// They are as many as no shape repeats after, so that every topology on every number of ranks has all of them.
var sizes = []int{8, 1, 16, 13, 32, 100, 64}

// Every rank gets what the serial twin says under every shape of the network.
func TestEveryShape(t *testing.T) {
	type twin struct{ came, sums []uint64 }
	wanted := map[int]twin{}
	for ranks := 1; ranks <= 16; ranks++ {
		came, sums := Serial(ranks, Config{Rounds: 5, Seed: 3})
		wanted[ranks] = twin{came, sums}
	}
	n := 0
	appstest.Matrix(t, func(t *testing.T, s appstest.Shape) {
		c := Config{Bytes: sizes[n%len(sizes)], Rounds: 5, Seed: 3}
		n++
		got := twin{make([]uint64, s.Ranks), make([]uint64, s.Ranks)}
		results := make([]Result, s.Ranks)
		require.NoError(t, s.Run(t, func(r *pebble.Rank) (err error) {
			b := newBench(r, c)
			results[r.ID()], err = b.run()
			for _, sender := range b.inbox.senders {
				got.came[r.ID()] += sender.came
				got.sums[r.ID()] += sender.sum
			}
			return err
		}))
		require.Equal(t, wanted[s.Ranks], got)
		for _, result := range results {
			require.Zero(t, result.Errors)
			require.Zero(t, result.Faults)
			require.EqualValues(t, 5*s.Ranks*(s.Ranks-1), result.Items)
			require.Equal(t, result.Items, result.Counters.PebblesSent)
			require.Equal(t, result.Items, result.Counters.PebblesHandled)
			require.Equal(t, (result.Items+result.Counters.Forwarded)*travels(c.Bytes), result.Counters.BytesSent)
			require.Equal(t, c.Bytes, result.Bytes)
			require.Zero(t, result.Cache)
		}
	})
}

// travels is how many bytes an item takes in a frame.
func travels(bytes int) uint64 {
	switch bytes {
	case 8, 16, 32, 64:
		return uint64(bytes + 16)
	default:
		return uint64(bytes + 16 + 12)
	}
}

func TestDefaults(t *testing.T) {
	for ranks, rounds := range map[int]uint64{1: 1 << 20, 2: 1 << 20, 3: 1 << 19, 1025: 1 << 10, 1<<20 + 1: 1, 1 << 25: 1} {
		require.Equal(t, Config{Bytes: 32, Rounds: rounds}, Config{}.withDefaults(ranks))
	}
	require.Equal(t, Config{Bytes: 64 << 10, Rounds: 1 << 10}, Config{Bytes: 64 << 10}.withDefaults(2))
	require.Equal(t, Config{Bytes: 5, Rounds: 9}, Config{Bytes: 5, Rounds: 9}.withDefaults(2))
}

// Sizes around those that have a pebble type, and the largest.
func TestSizes(t *testing.T) {
	for _, bytes := range []int{2, 7, 9, 15, 17, 31, 33, 63, 65, 1000, 4096, 64<<10 - 1, 64 << 10} {
		for _, shape := range []appstest.Shape{
			{Ranks: 3, New: route.Direct}, {Ranks: 7, New: route.Hypercube, Coalesce: 3}, {Ranks: 4, New: appstest.Ring, Coalesce: 1},
		} {
			shape.Procs, shape.Transport = 1, "mem"
			require.NoError(t, shape.Run(t, func(r *pebble.Rank) error {
				got, err := Run(r, Config{Bytes: bytes, Rounds: 4 + 500/uint64(bytes), Seed: 5})
				require.Zero(t, got.Errors, "%d bytes", bytes)
				return err
			}))
		}
	}
}

func TestProgressGoesUp(t *testing.T) {
	for _, bytes := range []int{8, 9} {
		var seen []uint64
		c := Config{Bytes: bytes, Rounds: 1 << 12, Progress: func(done, total uint64) {
			require.EqualValues(t, 3<<12, total)
			seen = append(seen, done)
		}}
		s := appstest.Shape{Ranks: 4, Procs: 1, Transport: "mem", New: route.Direct}
		require.NoError(t, s.Run(t, func(r *pebble.Rank) error {
			_, err := Run(r, c)
			return err
		}))
		require.Equal(t, []uint64{1 << 12, 2 << 12, 3 << 12}, seen)
	}
}

func TestBadConfig(t *testing.T) {
	for _, c := range []Config{{Bytes: -1}, {Bytes: 64<<10 + 1}, {Rounds: 1 << 60}} {
		require.ErrorContains(t, c.Check(4), "alltoall: ", "%+v", c)
	}
	require.Error(t, Config{}.Check(0))
	require.NoError(t, Config{}.Check(1))
	require.NoError(t, Config{}.Check(1<<29))
	require.NoError(t, Config{Bytes: 64 << 10, Rounds: 1 << 56}.Check(4))
	require.Error(t, Config{Bytes: 64 << 10, Rounds: 1<<56 + 1}.Check(4))
}
