package chance

import "math/bits"

// Counter draws numbers by counting: number n of a stream is a hash of the stream's key and of n (SplitMix64).
// Streams of different keys have nothing to do with each other. It takes 16 bytes, and is made where it is needed, by
// At.
type Counter struct{ key, n uint64 }

// At is the stream for a use of random numbers, such as what a person does on a day.
func At(seed, use, who, when uint64) Counter {
	return Counter{key: mix(mix(mix(mix(seed)^use)^who) ^ when)}
}

// Of is the stream within this one that belongs to two further numbers.
func (c Counter) Of(a, b uint64) Counter { return Counter{key: mix(mix(c.key^a) ^ b)} }

// Next is the next number of 64 bits.
func (c *Counter) Next() uint64 {
	c.n++
	return mix(c.key + c.n)
}

// mix is a bijection that spreads every bit over all: the finalizer of SplitMix64.
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

// Int implements Source, by Lemire's multiplication.
func (c *Counter) Int(low, high int64) int64 {
	values := uint64(high-low) + 1
	if values == 0 {
		return int64(c.Next())
	}
	for {
		n, rest := bits.Mul64(c.Next(), values)
		if rest >= values || rest >= -values%values { // the first saves most divisions
			return low + int64(n)
		}
	}
}

// Normal implements Source.
func (c *Counter) Normal(mean, deviation float64) float64 { return normal(c, mean, deviation) }

// Poisson implements Source. It takes as long as its mean is high.
func (c *Counter) Poisson(mean float64) (n int) {
	const most = 500 // exp(-mean) is a number above 0 until 745
	for ; mean > most; mean -= most {
		n += poisson(c, most)
	}
	return n + poisson(c, mean)
}
