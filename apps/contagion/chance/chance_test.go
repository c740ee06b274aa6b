package chance

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/seeds"
)

// Numbers have the mean and the variance of their distribution, from both sources.
func TestMoments(t *testing.T) {
	const n = 200_000
	seed := seeds.Of(t)
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

// Streams of different keys differ, also if a key is composed of others. The same key gives the same stream.
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

// Numbers drawn at once equal those drawn one by one, and continue the same stream.
func TestDrawsTogether(t *testing.T) {
	for seed := range uint64(100) {
		one, all := At(seed, 1, 2, 3), At(seed, 1, 2, 3)
		numbers := make([]int32, seed)
		all.Fill(numbers, -3, int32(seed))
		for _, n := range numbers {
			require.EqualValues(t, one.Int(-3, int64(seed)), n)
		}
		require.Equal(t, one, all)
		mean, n := 0.1+15*float64(seed), 0
		for rest := mean; rest > 0; rest -= 500 {
			least := math.Exp(-min(rest, 500))
			for product := one.Float64(); product > least; product *= one.Float64() {
				n++
			}
		}
		require.Equal(t, n, PoissonOf(mean).Draw(&all))
		require.Equal(t, one, all)
	}
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

// The C++ standard defines the 10,000th number of std::minstd_rand0 ([rand.predef]).
func TestEngineIsThatOfTheStandard(t *testing.T) {
	s := Seeded(1)
	for range 9_999 {
		s.Next()
	}
	require.EqualValues(t, 1043618065, s.Next())
}

// A C++ program printed the following numbers, with g++ 12.2 and its libstdc++.
func TestSeeds(t *testing.T) {
	for seed, want := range map[uint64][3]uint32{
		0: {16807, 282475249, 1622650073}, 1: {16807, 282475249, 1622650073}, 42: {705894, 1126542223, 1579310009},
		1<<31 - 1: {16807, 282475249, 1622650073}, 4_000_000_000: {1024430665, 1229788656, 1675322664},
	} {
		s := Seeded(seed)
		require.Equal(t, want, [3]uint32{s.Next(), s.Next(), s.Next()}, seed)
	}
}

func TestStandardDistributions(t *testing.T) {
	floats := func(draw func(s *Standard) float64, want ...float64) {
		t.Helper()
		s := Seeded(42)
		for _, w := range want {
			require.Equal(t, w, draw(&s))
		}
	}
	floats((*Standard).Float64, 0x1.0c96ae3c32b0ep-1, 0x1.0d9ff7ba18a5ap-2, 0x1.91fe4d8c4cfcbp-3, 0x1.064e8f240085cp-1)
	floats(func(s *Standard) float64 { return float64(s.Float32()) }, 0x1.58acap-12, 0x1.0c96aep-1, 0x1.78896ep-1,
		0x1.0d9ff8p-2)
	floats(func(s *Standard) float64 { return s.Uniform(-3, 7.5) },
		0x1.410b895e05104p+1, -0x1.e1e0adbbfa6ap-3, -0x1.e0c4746fb5e8cp-1, 0x1.308e37be815f2p+1)

	s := Seeded(42)
	for _, want := range []float64{0x1.153f2a31f70fp+18, 0x1.aab310444cad2p+18, 0x1.e5afbbf00a2p+18,
		0x1.1eab109fa1a12p+18} {
		require.InEpsilon(t, want, s.Normal(432000, 86400), 1e-14) // logarithms differ in the last place
	}
	s = Seeded(42)
	for _, want := range []int{4, 6, 3, 6, 2, 8, 3, 6, 6, 8, 4, 3} {
		require.Equal(t, want, s.Poisson(5.2))
	}
	for _, x := range []struct {
		low, high int64
		want      []int64
	}{
		{0, 86400, []int64{28, 45326, 63543, 22750, 32507, 16959}},
		{-5, 3, []int64{-5, -1, 1, -3, -2, -4, 3, -1, -1, -3, -5, 2}},
		{0, 1500000000, []int64{705893, 1126542222, 565444342, 807934825, 421520600, 1100194759}}, // two were rejected
		{1, 2147483646, []int64{705894, 1126542223, 1579310009, 565444343}},
		{7, 2147483651, []int64{705900, 1126542229, 1579310015, 565444349}},
	} {
		s = Seeded(42)
		for _, want := range x.want {
			require.Equal(t, want, s.Int(x.low, x.high))
		}
	}
}

// Three distributions take turns a hundred thousand times. The hash of their numbers equals that of the C++ program.
func TestStandardDistributionsTogether(t *testing.T) {
	s, hash := Seeded(7), uint64(0)
	for range 100_000 {
		hash = hash*31 + uint64(s.Int(0, 86400))
		hash = hash*31 + uint64(s.Poisson(5))
		hash = hash*31 + uint64(s.Float64()*(1<<53))
	}
	require.Equal(t, uint64(11855628322706927405), hash)
}

// The largest number of the engine gives less than 1.
func TestStandardStaysBelowOne(t *testing.T) {
	for state := uint32(1); state < standardModulus; state += standardModulus / 1000 {
		s := Standard{state}
		require.Less(t, s.Float64(), 1.0)
		s = Standard{state}
		require.Less(t, s.Float32(), float32(1))
	}
	before := Standard{standardModulus - 1407677000} // whose next number is the engine's largest
	require.EqualValues(t, standardModulus-1, before.Next())
	s := Standard{standardModulus - 1407677000}
	require.Equal(t, float32(math.Nextafter32(1, 0)), s.Float32())
}

func TestStandardRefuses(t *testing.T) {
	s := Seeded(1)
	require.PanicsWithValue(t, "chance: a number of 0 to 2147483646 by an engine of 2147483646 numbers",
		func() { s.Int(0, 1<<31-2) })
	require.Panics(t, func() { s.Int(3, 2) })
	require.Panics(t, func() { s.Poisson(StandardMeanMost) })
	require.Panics(t, func() { s.Poisson(math.NaN()) })
}
