package plots

import (
	"fmt"
	"math"
	"slices"
)

// farApart is the ratio of the highest to the lowest median from which an axis is logarithmic.
const farApart = 10

// axis maps figures to a line.
type axis struct {
	low, high float64 // figures at the ends
	from, to  float64 // positions of the ends
	log       bool
}

// axisOf returns an axis for all samples: from 0, or logarithmic if medians are far apart.
func axisOf(results []*Result, from, to float64) axis {
	var lows, medians, highs []float64
	for _, r := range results {
		lows, medians, highs = append(lows, r.Min), append(medians, r.Median), append(highs, r.Max)
	}
	a := axis{low: slices.Min(lows), high: slices.Max(highs), from: from, to: to}
	if a.log = a.low > 0 && slices.Max(medians)/slices.Min(medians) >= farApart; a.log {
		a.low /= 1.1
		a.high *= 1.1
		return a
	}
	a.low = min(a.low, 0)
	if a.high == a.low {
		a.high++
	}
	a.high += (a.high - a.low) / 20
	return a
}

// at returns the position of a figure.
func (a axis) at(v float64) float64 {
	low, high := a.low, a.high
	if a.log {
		v, low, high = math.Log(v), math.Log(low), math.Log(high)
	}
	return a.from + (a.to-a.from)*(v-low)/(high-low)
}

// ticks returns round figures on the axis, about the requested number.
func (a axis) ticks(about int) (all []float64) {
	if a.log {
		for _, steps := range [][]float64{{1, 2, 5}, {1, 3}, {1}} {
			if all = a.decades(steps); len(all) <= about {
				break
			}
		}
		return all
	}
	step := math.Pow(10, math.Ceil(math.Log10((a.high-a.low)/float64(about))))
	for _, part := range []float64{5, 2} {
		if (a.high-a.low)/(step/part) <= float64(about) {
			step /= part
			break
		}
	}
	for i := math.Ceil(a.low / step); i*step <= a.high; i++ {
		all = append(all, i*step)
	}
	return all
}

// decades returns the multiples of powers of ten on the axis.
func (a axis) decades(multiples []float64) (all []float64) {
	for ten := math.Floor(math.Log10(a.low)); ten <= math.Log10(a.high); ten++ {
		for _, m := range multiples {
			if v := m * math.Pow(10, ten); v >= a.low && v <= a.high {
				all = append(all, v)
			}
		}
	}
	return all
}

// number formats a figure in three digits or, if it is large, as a whole number with separators of thousands.
func number(v float64) string {
	if math.Abs(v) < 1000 {
		return fmt.Sprintf("%.3g", v)
	}
	text := fmt.Sprintf("%.0f", v)
	for i := len(text) - 3; i > 0 && text[i-1] != '-'; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
