package chance

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// Numbers have the mean and the variance of their distribution, whatever the source.
func TestMoments(t *testing.T) {
	const n = 200_000
	seed := rand.Uint64()
	t.Log("seed", seed)
	for name, s := range map[string]Source{"counter": new(At(seed, 1, 2, 3)), "standard": new(Seeded(seed))} {
		for _, x := range []struct {
			what           string
			draw           func() float64
			mean, variance float64
		}{
			{"Float64", s.Float64, 0.5, 1.0 / 12},
			{"Float32", func() float64 { return float64(s.Float32()) }, 0.5, 1.0 / 12},
			{"Int", func() float64 { return float64(s.Int(-3, 6)) }, 1.5, 99.0 / 12},
			{"Normal", func() float64 { return s.Normal(5, 2) }, 5, 4},
			{"Poisson", func() float64 { return float64(s.Poisson(5.2)) }, 5.2, 5.2},
			{"Exponential", func() float64 { return Exponential(s.Float64(), 2) }, 0.5, 0.25},
		} {
			sum, squares := 0.0, 0.0
			for range n {
				v := x.draw()
				sum += v
				squares += (v - x.mean) * (v - x.mean)
			}
			deviation := math.Sqrt(x.variance / n)
			require.InDelta(t, x.mean, sum/n, 6*deviation, "%s of %s", x.what, name)
			require.InEpsilon(t, x.variance, squares/n, 0.05, "%s of %s", x.what, name)
		}
	}
}

// Streams of other keys, and of keys that are made of others, are other streams; the same key is the same stream.
func TestStreams(t *testing.T) {
	seen := map[uint64]bool{}
	for seed := range uint64(10) {
		for use := range uint64(10) {
			for who := range uint64(10) {
				for when := range uint64(10) {
					c := At(seed, use, who, when)
					of := c.Of(who, when)
					again := At(seed, use, who, when)
					first := c.Next()
					require.Equal(t, first, again.Next())
					for _, n := range []uint64{first, c.Next(), of.Next()} {
						require.False(t, seen[n])
						seen[n] = true
					}
				}
			}
		}
	}
}

func TestCounterOfLargeMeans(t *testing.T) {
	c := At(1, 2, 3, 4)
	sum := 0
	for range 1000 {
		sum += c.Poisson(2000)
	}
	require.InEpsilon(t, 2_000_000, sum, 0.01)
}

func BenchmarkFloat64(b *testing.B) {
	for name, s := range map[string]Source{"counter": new(At(1, 2, 3, 4)), "standard": new(Seeded(1))} {
		b.Run(name, func(b *testing.B) {
			sum := 0.0
			for b.Loop() {
				sum += s.Float64()
			}
			require.Positive(b, sum)
		})
	}
}
