package ping

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var sizes = []int{8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096}

// run runs streams, and compares the messages received at each rank with the serial twin.
func run(t *testing.T, c Config, ranks int) (program func(r *pebble.Rank) error, check func(t *testing.T)) {
	got := make([]*bench, ranks)
	return func(r *pebble.Rank) error {
			b := newBench(r, c.withDefaults())
			got[r.ID()] = b
			result, err := b.run()
			require.Zero(t, result.Errors)
			return err
		}, func(t *testing.T) {
			counts, sums := Serial(ranks, c)
			for rank, b := range got {
				require.Equal(t, counts[rank], b.tally.Handled)
				require.Equal(t, sums[rank], b.sum)
			}
		}
}

// Messages of all sizes arrive under every shape of the network.
func TestEveryShape(t *testing.T) {
	turn := 0
	appstest.Matrix(t, func(t *testing.T, s appstest.Shape) {
		c := Config{Bytes: sizes[turn%len(sizes)], Messages: 5, Common: apps.Common{Seed: 3}}
		turn++
		program, check := run(t, c, s.Ranks)
		require.NoError(t, s.Run(t, program))
		check(t)
	})
}

func TestEverywhere(t *testing.T) {
	for _, bytes := range sizes {
		appstest.Everywhere(t, func(t *testing.T, ranks int) (func(r *pebble.Rank) error, func(t *testing.T)) {
			return run(t, Config{Bytes: bytes, Messages: 101, Common: apps.Common{Seed: 1}}, ranks)
		})
	}
}

func TestRun(t *testing.T) {
	told := uint64(0)
	c := Config{Bytes: 8, Messages: 1 << 18, Common: apps.Common{Progress: func(done, total uint64) {
		require.Greater(t, done, told)
		require.EqualValues(t, 1<<18, total)
		told = done
	}}}
	s := appstest.Shape{Ranks: 5, Procs: 1, Transport: "mem", New: route.Direct, Coalesce: 64}
	for _, got := range appstest.All(t, s, Run, c) {
		require.Zero(t, got.Errors)
		require.EqualValues(t, 2<<18, got.Messages)
		require.Equal(t, 2, got.Streams)
		require.Positive(t, got.MessagesPerSecond)
		require.InDelta(t, got.MessagesPerSecond*8, got.BytesPerSecond, 1)
		require.Len(t, got.Rows(), 3)
	}
	require.EqualValues(t, 1<<18, told)
}

// A stream with a different sum is wrong.
func TestVerifierNotices(t *testing.T) {
	s := appstest.Shape{Ranks: 1, Procs: 1, Transport: "mem", New: route.Direct, Coalesce: 1}
	require.NoError(t, s.Run(t, func(r *pebble.Rank) error {
		b := newBench(r, Config{Bytes: 32, Messages: 7})
		_, sums := Serial(1, b.config)
		b.sum = sums[0]
		require.Zero(t, b.verify())
		b.sum++
		require.EqualValues(t, 1, b.verify())
		return nil
	}))
}

// Half of the ranks send to the other half.
func TestStreams(t *testing.T) {
	for ranks, want := range map[int][]int{1: {0}, 2: {1}, 3: {2}, 4: {2, 3}, 5: {3, 4}} {
		s := streams{ranks}
		var got []int
		for rank := range ranks {
			if to, sends := s.from(rank); sends {
				require.True(t, s.to(to))
				got = append(got, to)
			}
		}
		require.Equal(t, want, got)
	}
}

func TestCheck(t *testing.T) {
	require.NoError(t, Config{}.Check(2))
	require.NoError(t, Config{Bytes: 4096, Messages: 1 << 40}.Check(1<<24))
	for _, bytes := range []int{-8, 4, 12, 8192} {
		require.ErrorContains(t, Config{Bytes: bytes}.Check(2), "give a power of two from 8 to 4096")
	}
	require.ErrorContains(t, Config{Messages: 1<<40 + 1}.Check(2), "too many")
}
