package tune

import (
	"math"
	"slices"
)

// recentMost is how many windows of the setting in force count.
const recentMost = 64

// recent has the rates of the last windows of the setting in force.
type recent struct{ rates []float64 }

func (r *recent) add(rate float64) {
	if len(r.rates) == recentMost {
		r.rates = slices.Delete(r.rates, 0, 1)
	}
	r.rates = append(r.rates, rate)
}

// last is the median of the last few rates.
func (r *recent) last(n int) float64 { return median(r.rates[max(0, len(r.rates)-n):]) }

// noise is the standard deviation of a window's rate, as part of it, by the median of how far windows are from the ones
// before them: neither drift nor a single odd window makes it large. Of few windows it is more, for they may agree by
// chance, and before there are four it is a guess.
func (r *recent) noise() float64 {
	if len(r.rates) < 4 {
		return noiseGuess
	}
	var steps []float64
	for i := 1; i < len(r.rates); i++ {
		steps = append(steps, math.Abs(r.rates[i]/r.rates[i-1]-1))
	}
	const ofNormal = 1.4826 // the deviation of a normal distribution whose median distance is 1
	return ofNormal * median(steps) / math.Sqrt2 * (1 + 4/float64(len(r.rates)))
}

const noiseGuess = 0.05

func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}
