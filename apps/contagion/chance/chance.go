// Package chance draws the random numbers of a contagion simulation, from two sources. The numbers of [Counter] depend
// only on their use, so they are the same on any number of ranks. [Standard] is the default engine of GNU's C++ library
// with that library's distributions, as used by Loimos. The same seed gives the same numbers, bit by bit, except for
// differences of two libraries in the last place of logarithms and exponentials.
package chance

import (
	"fmt"
	"math"
	"math/bits"
)

// Source draws random numbers. A draw takes some nanoseconds, and allocates nothing.
type Source interface {
	Float64() float64                       // in [0, 1)
	Float32() float32                       // in [0, 1)
	Int(low, high int64) int64              // from low to high, inclusive
	Normal(mean, deviation float64) float64 // the standard deviation, in the unit of the mean
	Poisson(mean float64) int               // mean is above 0
}

// normal draws by Marsaglia's polar method. It discards the second number: otherwise each person would have to keep it.
func normal(s interface{ Float64() float64 }, mean, deviation float64) float64 {
	for {
		x := float64(2*s.Float64()) - 1
		y := float64(2*s.Float64()) - 1
		square := float64(x*x) + float64(y*y)
		if square > 1 || square == 0 {
			continue
		}
		return float64(y*math.Sqrt(-2*math.Log(square)/square)*deviation) + mean
	}
}

// Counter draws numbers by counting: number n of a stream is a hash of the stream's key and of n (SplitMix64). Streams
// of different keys are independent. A Counter takes 16 bytes, and is made by At where it is needed.
type Counter struct{ key, n uint64 }

// At returns the stream for a use of random numbers, such as the actions of a person on a day.
func At(seed, use, who, when uint64) Counter {
	return Counter{key: mix(mix(mix(mix(seed)^use)^who) ^ when)}
}

// Of returns the stream within this one for two further numbers.
func (c Counter) Of(a, b uint64) Counter { return Counter{key: mix(mix(c.key^a) ^ b)} }

// Next returns the next number of 64 bits.
func (c *Counter) Next() uint64 {
	c.n++
	return mix(c.key + c.n)
}

// mix is a bijection that spreads every bit over all bits: the finalizer of SplitMix64.
func mix(v uint64) uint64 {
	v += 0x9E3779B97F4A7C15
	v = (v ^ v>>30) * 0xBF58476D1CE4E5B9
	v = (v ^ v>>27) * 0x94D049BB133111EB
	return v ^ v>>31
}

// Float64 implements Source.
func (c *Counter) Float64() float64 { return float64(c.Next()>>11) / (1 << 53) }

// Float32 implements Source.
func (c *Counter) Float32() float32 { return float32(c.Next()>>40) / (1 << 24) }

// scale maps a number of 64 bits to [0, values), by Lemire's multiplication. ok is false if it would be biased.
func scale(number, values uint64) (n uint64, ok bool) {
	n, rest := bits.Mul64(number, values)
	return n, rest >= values || rest >= -values%values // the first comparison saves most divisions
}

// Int implements Source.
func (c *Counter) Int(low, high int64) int64 {
	values := uint64(high-low) + 1
	if values == 0 {
		return int64(c.Next())
	}
	for {
		if n, ok := scale(c.Next(), values); ok {
			return low + int64(n)
		}
	}
}

// Fill draws numbers from low to high, as Int does.
func (c *Counter) Fill(with []int32, low, high int32) {
	key, n := c.key, c.n // in registers
	values := uint64(int64(high)-int64(low)) + 1
	for i := range with {
		for {
			n++
			if draw, ok := scale(mix(key+n), values); ok {
				with[i] = low + int32(draw)
				break
			}
		}
	}
	c.n = n
}

// Normal implements Source.
func (c *Counter) Normal(mean, deviation float64) float64 { return normal(c, mean, deviation) }

// Poisson implements Source. Its time is proportional to the mean.
func (c *Counter) Poisson(mean float64) int { return PoissonOf(mean).Draw(c) }

// Poisson draws Poisson numbers of one mean by Knuth's method: it counts uniform numbers until their product is below
// exp(-mean). Make it by PoissonOf.
type Poisson struct {
	whole int     // number of parts of poissonPart in the mean, drawn separately
	least float64 // exp(-mean) of the rest
}

const poissonPart = 500 // exp(-mean) is above 0 up to 745

var leastOfPart = math.Exp(-poissonPart)

// PoissonOf prepares draws with a mean above 0.
func PoissonOf(mean float64) (p Poisson) {
	for ; mean > poissonPart; mean -= poissonPart {
		p.whole++
	}
	p.least = math.Exp(-mean)
	return p
}

// Draw draws a number. Its time is proportional to the mean.
func (p Poisson) Draw(from *Counter) (n int) {
	for range p.whole {
		n += from.until(leastOfPart)
	}
	return n + from.until(p.least)
}

// until counts uniform numbers until their product is at most least.
func (c *Counter) until(least float64) (n int) {
	s := *c // in registers
	for product := s.Float64(); product > least; product *= s.Float64() {
		n++
	}
	*c = s
	return n
}

// Standard is std::default_random_engine of libstdc++, which is std::minstd_rand0: the minimal standard generator of
// Lewis, Goodman and Miller, x ← 16807 x mod 2^31 − 1, with the distributions of that library. It takes 4 bytes. Make
// it by Seeded.
type Standard struct{ state uint32 }

const (
	standardModulus = 1<<31 - 1
	standardLeast   = 1                   // least number of the engine
	standardNumbers = standardModulus - 1 // number of different numbers
)

// StandardMeanMost bounds the means of Standard's Poisson numbers: the library uses another method from there on.
const StandardMeanMost = 12

// Seeded returns the engine with this seed.
func Seeded(seed uint64) Standard {
	s := Standard{uint32(seed % standardModulus)}
	if s.state == 0 {
		s.state = 1
	}
	return s
}

// Next returns the engine's next number, from 1 to 2^31 − 2.
func (s *Standard) Next() uint32 {
	s.state = uint32(uint64(s.state) * 16807 % standardModulus)
	return s.state
}

// Float64 implements Source, by std::generate_canonical of 53 bits: two numbers of the engine.
func (s *Standard) Float64() float64 {
	const most = 1 - 1.0/(1<<53)
	low := float64(s.Next() - standardLeast)
	sum := low + float64(float64(s.Next()-standardLeast)*standardNumbers)
	return min(sum/(float64(standardNumbers)*standardNumbers), most)
}

// Float32 implements Source, by std::generate_canonical of 24 bits: one number of the engine.
func (s *Standard) Float32() float32 {
	const most = 1 - 1.0/(1<<24)
	return min(float32(s.Next()-standardLeast)/float32(standardNumbers), most)
}

// Int implements Source, by std::uniform_int_distribution: it rejects numbers that would bias the result. A range with
// more numbers than the engine panics.
func (s *Standard) Int(low, high int64) int64 {
	values := uint64(high-low) + 1
	if high < low || values > standardNumbers {
		panic(fmt.Sprintf("chance: a number of %d to %d by an engine of %d numbers", low, high, int64(standardNumbers)))
	}
	scale := standardNumbers / values
	if values < standardNumbers {
		scale = (standardNumbers - 1) / values
	}
	for {
		if n := uint64(s.Next()-standardLeast) / scale; n < values {
			return low + int64(n)
		}
	}
}

// Uniform returns a number in [low, high), by std::uniform_real_distribution.
func (s *Standard) Uniform(low, high float64) float64 {
	return float64(s.Float64()*(high-low)) + low
}

// Normal implements Source, by the first number of a new std::normal_distribution.
func (s *Standard) Normal(mean, deviation float64) float64 { return normal(s, mean, deviation) }

// Poisson implements Source, by std::poisson_distribution. A mean of StandardMeanMost or more panics.
func (s *Standard) Poisson(mean float64) int {
	if !(mean < StandardMeanMost) {
		panic(fmt.Sprintf("chance: a Poisson number of mean %v by an engine that has them below %d", mean,
			StandardMeanMost))
	}
	least, product := math.Exp(-mean), 1.0
	for n := 0; ; n++ {
		if product *= s.Float64(); product <= least {
			return n
		}
	}
}

// Exponential returns a waiting time of the given rate, from a number u in [0, 1). It returns 0 for u = 0.
func Exponential(u, rate float64) float64 { return -math.Log1p(-u) / rate }
