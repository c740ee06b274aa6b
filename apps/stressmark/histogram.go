package stressmark

import "math"

// way is where the other pixel of a pair is, seen from the upper one, or, in one row, from the left one.
type way struct{ distance, degrees, right, down int }

// ways are two distances in four directions.
func (c NeighborhoodConfig) ways() (all []way) {
	for _, d := range []int{c.Short, c.Long} {
		all = append(all, way{d, 0, d, 0}, way{d, 45, -d, d}, way{d, 90, 0, d}, way{d, 135, d, d})
	}
	return all
}

// histogram counts pairs of pixels by their sum and their difference.
type histogram struct{ sums, differences []uint64 }

func newHistogram(bits int) histogram {
	return histogram{make([]uint64, 1<<(bits+1)-1), make([]uint64, 1<<(bits+1)-1)}
}

// add counts one pair.
func (h histogram) add(a, b uint16) {
	h.sums[int(a)+int(b)]++
	h.differences[len(h.differences)/2+int(b)-int(a)]++
}

// addAll counts the pairs of two rows of pixels.
func (h histogram) addAll(as, bs []uint16) {
	bs = bs[:len(as)]
	for i, a := range as {
		h.add(a, bs[i])
	}
}

// Texture is what a histogram of pairs says of an image: entropies in nats, and energies, which are 1 when all pairs
// are alike.
type Texture struct {
	Distance          int     `json:"distance"`
	Degrees           int     `json:"degrees"`
	Pairs             uint64  `json:"pairs"`
	SumEntropy        float64 `json:"sum_entropy"`
	SumEnergy         float64 `json:"sum_energy"`
	DifferenceEntropy float64 `json:"difference_entropy"`
	DifferenceEnergy  float64 `json:"difference_energy"`
}

func (h histogram) texture(w way) Texture {
	t := Texture{Distance: w.distance, Degrees: w.degrees}
	for _, n := range h.sums {
		t.Pairs += n
	}
	t.SumEntropy, t.SumEnergy = measures(h.sums, t.Pairs)
	t.DifferenceEntropy, t.DifferenceEnergy = measures(h.differences, t.Pairs)
	return t
}

func measures(counts []uint64, all uint64) (entropy, energy float64) {
	for _, n := range counts {
		if n > 0 {
			p := float64(n) / float64(all)
			entropy -= p * math.Log(p)
			energy += p * p
		}
	}
	return entropy, energy
}
