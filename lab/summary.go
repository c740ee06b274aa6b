package lab

import (
	"math"
	"slices"
)

// Summary describes samples. Spread is the median of their distances to the median (median absolute deviation), in the
// same unit: half of the samples are nearer.
type Summary struct {
	Median, Min, Max, Spread float64
}

// Summarize returns the summary of samples. Without samples it is zero.
func Summarize(values []float64) Summary {
	if len(values) == 0 {
		return Summary{}
	}
	middle := median(values)
	distances := make([]float64, len(values))
	for i, v := range values {
		distances[i] = math.Abs(v - middle)
	}
	return Summary{middle, slices.Min(values), slices.Max(values), median(distances)}
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}
