package fit

import (
	"cmp"
	"math"
	"slices"
)

// point is a time that was measured for a size.
type point struct{ x, y float64 }

// line is intercept + slope·x.
type line struct {
	intercept, slope float64
	residual         float64 // the median distance of points to it, as part of the point
}

// lineThrough is the Theil-Sen line (Theil 1950, Sen 1968), which outliers hardly change: its slope is the median of
// those between all pairs of points, each weighted by the distance of the two sizes, and its intercept the median of
// the remainders, each weighted by the inverse of the time, since errors grow with times.
func lineThrough(points []point) line {
	var slopes, intercepts, residuals []weighted
	for i, a := range points {
		for _, b := range points[:i] {
			if a.x != b.x {
				slopes = append(slopes, weighted{(a.y - b.y) / (a.x - b.x), math.Abs(a.x - b.x)})
			}
		}
	}
	l := line{slope: middle(slopes)}
	for _, p := range points {
		intercepts = append(intercepts, weighted{p.y - l.slope*p.x, 1 / p.y})
	}
	l.intercept = middle(intercepts)
	for _, p := range points {
		residuals = append(residuals, weighted{math.Abs(p.y-l.intercept-l.slope*p.x) / p.y, 1})
	}
	l.residual = middle(residuals)
	return l
}

type weighted struct{ value, weight float64 }

// middle is the weighted median: half of the weight is below it. Of nothing it is 0.
func middle(all []weighted) float64 {
	slices.SortFunc(all, func(a, b weighted) int { return cmp.Compare(a.value, b.value) })
	total, sum := 0.0, 0.0
	for _, w := range all {
		total += w.weight
	}
	for i, w := range all {
		sum += w.weight
		switch {
		case sum == total/2 && i+1 < len(all):
			return (w.value + all[i+1].value) / 2
		case sum >= total/2:
			return w.value
		}
	}
	return 0
}

// mean is the trimmed mean, without an eighth of the values at each end: outliers don't count, and a machine that is
// slow for a part of the time gives about the mean.
func mean(values []float64) (m float64) {
	out := len(values) / 8
	kept := slices.Sorted(slices.Values(values))[out : len(values)-out]
	for _, v := range kept {
		m += v / float64(len(kept))
	}
	return m
}
