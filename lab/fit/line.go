package fit

import (
	"cmp"
	"math"
	"slices"
)

// point is a time that was measured for a size.
type point struct{ x, y float64 }

// line is start + rise·x.
type line struct {
	start, rise float64
	residual    float64 // the median distance of points to it, as part of the point
}

// lineThrough finds the line that suits most points, whatever the others are (Theil 1950, Sen 1968): its rise is the median of
// those between all pairs of points, each weighted by how far it reaches, and its start the median of what is left, each weighted by
// the inverse of the time, since errors grow with times.
func lineThrough(points []point) line {
	var rises, starts, residuals []weighted
	for i, a := range points {
		for _, b := range points[:i] {
			if a.x != b.x {
				rises = append(rises, weighted{(a.y - b.y) / (a.x - b.x), math.Abs(a.x - b.x)})
			}
		}
	}
	l := line{rise: middle(rises)}
	for _, p := range points {
		starts = append(starts, weighted{p.y - l.rise*p.x, 1 / p.y})
	}
	l.start = middle(starts)
	for _, p := range points {
		residuals = append(residuals, weighted{math.Abs(p.y-l.start-l.rise*p.x) / p.y, 1})
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

// mean is that of values without the eighth at each end: single ones far off don't count, and of a machine that is slow for a part of the time
// it is about the mean.
func mean(values []float64) (m float64) {
	out := len(values) / 8
	kept := slices.Sorted(slices.Values(values))[out : len(values)-out]
	for _, v := range kept {
		m += v / float64(len(kept))
	}
	return m
}
