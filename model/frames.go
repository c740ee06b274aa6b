package model

import "math"

// Frames is how many frames carry pebbles over one link in an epoch, when they leave as they fill and once more at the
// end: ⌈X/C⌉ for X pebbles and C a buffer. When the number of pebbles is the same on every link (even) X is what is
// given. Otherwise each pebble draws its owner by itself, X is close to Poisson's distribution with that mean, and the
// result is the mean of ⌈X/C⌉. TRAM counts full buffers alone, z/g (TRAM, table I): what comes on top here are the last
// ones, half full in the mean.
//
// Cost: some hundred to some ten thousand steps, as many as the deviation of X has pebbles.
func Frames(pebbles float64, coalesce int, even bool) float64 {
	c := float64(coalesce)
	switch {
	case pebbles <= 0:
		return 0
	case even:
		return math.Ceil(pebbles/c - 1e-9) // 1e-9: what a sum of parts is off by
	case math.Sqrt(pebbles) > c:
		// X is spread over buffers so widely that each filling of the last one is as likely
		return pebbles/c + (c-1)/(2*c)
	}
	return frameMean(pebbles, c)
}

// frameMean sums ⌈x/C⌉ over Poisson's distribution, from its middle outwards until terms are too small to count.
func frameMean(mean, c float64) float64 {
	middle := math.Floor(mean)
	lg, _ := math.Lgamma(middle + 1)
	top := math.Exp(middle*math.Log(mean) - mean - lg)
	sum := 0.0
	for x, p := middle, top; x > 0 && p > 1e-18; x-- {
		sum += p * math.Ceil(x/c)
		p *= x / mean
	}
	for x, p := middle+1, top*mean/(middle+1); p > 1e-18; x++ {
		sum += p * math.Ceil(x/c)
		p *= mean / (x + 1)
	}
	return sum
}
