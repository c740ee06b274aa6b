package chance

import (
	"fmt"
	"math"
)

// Standard is std::default_random_engine of libstdc++, which is std::minstd_rand0: Lewis, Goodman and Miller's
// minimal standard generator, x ← 16807 x mod 2^31 − 1, with the distributions of that library. It takes 4 bytes.
// Make it by Seeded.
type Standard struct{ state uint32 }

const (
	standardModulus = 1<<31 - 1
	standardLeast   = 1                   // of what the engine gives
	standardNumbers = standardModulus - 1 // so many different numbers
)

// StandardMeanMost bounds the means of Standard's Poisson numbers: the library has another method from there on.
const StandardMeanMost = 12

// Seeded is the engine that the seed starts.
func Seeded(seed uint64) Standard {
	s := Standard{uint32(seed % standardModulus)}
	if s.state == 0 {
		s.state = 1
	}
	return s
}

// Next is the engine's next number, of 1 to 2^31 − 2.
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

// Int implements Source, by std::uniform_int_distribution: numbers are refused where they would favour some. Ranges
// of more numbers than the engine has panic.
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

// Uniform is a number of [low, high), by std::uniform_real_distribution.
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
	return poisson(s, mean)
}

// Exponential is a waiting time of the given rate, from a number u of [0, 1). It is 0 for none.
func Exponential(u, rate float64) float64 { return -math.Log1p(-u) / rate }
