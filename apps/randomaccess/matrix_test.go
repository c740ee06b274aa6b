package randomaccess

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The checksum and all else that is told is that of the serial twin under every shape of the network.
func TestEveryShape(t *testing.T) {
	c := Config{Log2Words: 6, UpdatesPerWord: 4}
	sums := map[int]string{}
	for ranks := 1; ranks <= 16; ranks++ {
		_, sums[ranks] = Serial(ranks, c)
	}
	appstest.Matrix(t, func(t *testing.T, s appstest.Shape) {
		results := make([]Result, s.Ranks)
		require.NoError(t, s.Run(t, func(r *pebble.Rank) (err error) {
			results[r.ID()], err = Run(r, c)
			return err
		}))
		for _, got := range results {
			require.Equal(t, sums[s.Ranks], got.Checksum)
			require.Zero(t, got.Errors)
			require.EqualValues(t, 4*64*s.Ranks, got.Updates)
			require.EqualValues(t, got.Updates, got.Counters.PebblesSent)
			require.Equal(t, got.Updates, got.Counters.PebblesHandled+got.Counters.Merged)
			require.Equal(t, s.Cache < 1024, got.HPCCRule)
		}
	})
}

// Many epochs make the table that one makes, and bound what waits; the last may be short.
func TestEpochs(t *testing.T) {
	c := Config{Log2Words: 6, UpdatesPerWord: 4, Coalesce: 1024}
	_, want := Serial(5, c)
	for epoch, epochs := range map[int]int{0: 1, 1: 256, 100: 3, 128: 2, 1000: 1} {
		c.Epoch = epoch
		s := appstest.Shape{Ranks: 5, Procs: 1, Transport: "mem", New: route.Hypercube}
		require.NoError(t, s.Run(t, func(r *pebble.Rank) error {
			got, err := Run(r, c)
			if r.ID() == 0 && err == nil {
				require.Equal(t, want, got.Checksum)
				require.Zero(t, got.Errors)
				require.EqualValues(t, epochs, got.Counters.Epochs)
				require.Equal(t, epoch > 0, got.HPCCRule)
			}
			return err
		}))
	}
}

// The table is that of the serial twin, word for word.
func TestTable(t *testing.T) {
	c := Config{Log2Words: 8, UpdatesPerWord: 3}
	for _, ranks := range []int{1, 2, 3, 8} {
		for _, cache := range []int{0, 64} {
			s := appstest.Shape{Ranks: ranks, Procs: 1, Transport: "mem", New: route.Hypercube, Cache: cache}
			table := make([]uint64, ranks<<8)
			require.NoError(t, s.Run(t, func(r *pebble.Rank) error {
				b, err := newBench(r, c)
				if err == nil {
					err = b.load()
				}
				if err == nil {
					err = b.kernel()
				}
				copy(table[r.ID()<<8:], b.table)
				return err
			}))
			want, _ := Serial(ranks, c)
			require.Equal(t, want, table)
		}
	}
}

// The checksum tells tables apart, words that changed places among them, and adds up over parts.
func TestChecksum(t *testing.T) {
	table := []uint64{5, 6, 7, 8, 9}
	sum := checksum(table, 0)
	require.Equal(t, sum, checksum(table[:2], 0)+checksum(table[2:], 2))
	require.NotEqual(t, sum, checksum([]uint64{6, 5, 7, 8, 9}, 0))
	require.NotEqual(t, sum, checksum([]uint64{5, 6, 7, 8, 8}, 0))
	require.NotEqual(t, sum, checksum(table, 1))
}

// Odd numbers of updates, of ranks and of neighbours.
func TestOddSizes(t *testing.T) {
	for _, c := range []Config{
		{Log2Words: 1}, {Log2Words: 1, UpdatesPerWord: 0.5}, {Log2Words: 9, UpdatesPerWord: 3.1415},
		{Log2Words: 4, UpdatesPerWord: 100, Coalesce: 3}, {Log2Words: 10, Coalesce: 5000}, {Log2Words: 5, Epoch: 3},
	} {
		for _, ranks := range []int{1, 4, 7, 33} {
			_, sum := Serial(ranks, c)
			s := appstest.Shape{Ranks: ranks, Procs: 1, Transport: "mem", New: route.Direct}
			require.NoError(t, s.Run(t, func(r *pebble.Rank) error {
				got, err := Run(r, c)
				require.Equal(t, sum, got.Checksum, "%+v on %d ranks", c, ranks)
				require.Zero(t, got.Errors)
				require.Equal(t, c.Coalesce*(ranks-1) <= 1024-256, got.HPCCRule)
				return err
			}))
		}
	}
}

func TestProgressGoesUp(t *testing.T) {
	var last, calls uint64
	c := Config{Log2Words: 16, Progress: func(done, total uint64) {
		require.Greater(t, done, last)
		require.EqualValues(t, 2*4<<16, total)
		require.LessOrEqual(t, done, total)
		last, calls = done, calls+1
	}}
	s := appstest.Shape{Ranks: 2, Procs: 1, Transport: "mem", New: route.Direct}
	require.NoError(t, s.Run(t, func(r *pebble.Rank) error {
		_, err := Run(r, c)
		return err
	}))
	require.EqualValues(t, 8, calls)
}
