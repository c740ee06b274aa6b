package distribution_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/internal/seeds"
)

func seeded(t testing.TB) *rand.Rand { return rand.New(rand.NewPCG(seeds.Of(t), 1)) }

// edges returns the numbers that expose a wrong rounding: around the powers of two, around the fractions of 2^64, and
// small ones.
func edges() []uint64 {
	var xs []uint64
	around := func(x uint64) { xs = append(xs, x-2, x-1, x, x+1, x+2) }
	for shift := range 64 {
		around(1 << shift)
	}
	for d := uint64(3); d < 40; d++ {
		around(math.MaxUint64 / d)
		xs = append(xs, d)
	}
	return append(xs, 0, 641, 6700417, 1e9+7, math.MaxUint64)
}

func requireQuo(t *testing.T, x, d uint64) {
	if got := distribution.Quo(x, d); got != x/d {
		require.Failf(t, "wrong quotient", "%d / %d = %d, not %d", x, d, x/d, got)
	}
}

func TestDivisorAtEdges(t *testing.T) {
	for _, d := range edges() {
		if d == 0 {
			continue
		}
		for _, x := range edges() {
			requireQuo(t, x, d)
			requireQuo(t, x/d*d, d) // first and last number with a quotient
			requireQuo(t, x/d*d-1, d)
		}
	}
}

func TestDivisorAtRandom(t *testing.T) {
	rng := seeded(t)
	for range 2_000_000 {
		d := rng.Uint64()>>rng.IntN(64) | 1<<rng.IntN(3)
		x := rng.Uint64() >> rng.IntN(64)
		requireQuo(t, x, d)
		requireQuo(t, x/d*d, d)
		requireQuo(t, x/d*d-1, d)
	}
}

func FuzzDivisor(f *testing.F) {
	f.Add(uint64(math.MaxUint64), uint64(7))
	f.Fuzz(func(t *testing.T, x, d uint64) {
		if d != 0 {
			requireQuo(t, x, d)
		}
	})
}
