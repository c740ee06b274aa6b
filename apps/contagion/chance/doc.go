// Package chance draws the random numbers of a contagion simulation, by two sources. [Counter] is ours: its numbers
// depend on what they are for and on nothing else, so that they are the same on any number of ranks. [Standard] is
// the default engine of GNU's C++ library with that library's distributions, which Loimos draws by: the same seed
// gives the same numbers, bit by bit but for what the logarithm and the exponential of two libraries differ by in the
// last place.
package chance

import "math"

// Source draws random numbers. Drawing takes some nanoseconds, and allocates nothing.
type Source interface {
	Float64() float64                       // of [0, 1)
	Float32() float32                       // of [0, 1)
	Int(low, high int64) int64              // of low to high, both included
	Normal(mean, deviation float64) float64 // the standard deviation, in the unit of the mean
	Poisson(mean float64) int               // of a mean above 0
}

// normal draws by Marsaglia's polar method, whose second number is thrown away: who draws seldom would have to keep
// it for each person.
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

// poisson draws by Knuth's method: it counts uniform numbers until their product is below exp(-mean).
func poisson(s interface{ Float64() float64 }, mean float64) int {
	least, product := math.Exp(-mean), 1.0
	for n := 0; ; n++ {
		if product *= s.Float64(); product <= least {
			return n
		}
	}
}
