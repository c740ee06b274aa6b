package reduce

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/seeds"
)

// A slot and its tag give the key, and no tag is that of a slot never filled.
func TestTagAndSlotTellTheKey(t *testing.T) {
	random := rand.New(rand.NewPCG(seeds.Of(t), 0))
	for log2 := 1; log2 <= 30; log2++ {
		s := newSlots(1 << log2)
		require.Equal(t, 1<<log2, s.len())
		for i := range 300 {
			key := random.Uint64() >> random.IntN(64)
			slot, tag := s.of(key)
			require.Less(t, slot, uint64(s.len()))
			require.Equal(t, key, s.key(slot, tag))
			require.NotZero(t, tag)
			if i%10 == 0 {
				s.renew()
				slotNow, tagNow := s.of(key)
				require.Equal(t, slot, slotNow)
				require.True(t, s.same(tag, tagNow))
				require.Equal(t, log2 > 1, s.past(tag), "with 2 slots every filling has the same mark")
			}
		}
	}
}

func TestMarksBeginAnewAfterAll(t *testing.T) {
	for log2 := 1; log2 <= 10; log2++ {
		s := newSlots(1 << log2)
		for range s.len() - 2 {
			require.False(t, s.renew())
		}
		require.True(t, s.renew())
		require.EqualValues(t, 1, s.mark)
	}
}

// reached returns the fraction of slots that as many keys reach.
func reached(log2 int, key func(i uint64) uint64) float64 {
	s := newSlots(1 << log2)
	hit, hits := make([]bool, s.len()), 0
	for i := range uint64(s.len()) {
		slot, _ := s.of(key(i))
		hits += one(!hit[slot])
		hit[slot] = true
	}
	return float64(hits) / float64(s.len())
}

// Neighbouring keys, from any start, have a slot each or nearly so, and keys of any stride reach most of the slots that
// random ones would, two thirds.
func TestRegularKeysSpread(t *testing.T) {
	random := rand.New(rand.NewPCG(seeds.Of(t), 0))
	for _, log2 := range []int{8, 12, 16} {
		require.Equal(t, 1.0, reached(log2, func(i uint64) uint64 { return i }))
		for range 5 {
			from := random.Uint64()
			require.Greater(t, reached(log2, func(i uint64) uint64 { return from + i }), 0.8, "from %d", from)
		}
		for shift := range 64 - log2 {
			require.Greater(t, reached(log2, func(i uint64) uint64 { return i << shift }), 0.2, "stride 2^%d", shift)
		}
		for stride := uint64(3); stride < 40; stride++ {
			require.Greater(t, reached(log2, func(i uint64) uint64 { return i * stride }), 0.3, "stride %d", stride)
		}
		side := uint64(1) << (log2 / 2)
		for _, row := range []uint64{side, 1000, 1 << log2, 4<<log2 + 1, 1_000_000} {
			grid := reached(log2, func(i uint64) uint64 { return i/side*row + i%side })
			require.Greater(t, grid, 0.2, "rows of %d", row)
		}
	}
}
