package fit

import (
	"cmp"
	"math"
	"reflect"
	"slices"

	"github.com/activepebbles/pebbles/lab"
	"github.com/activepebbles/pebbles/model"
)

// samples are the times of one repeat, in seconds.
type samples struct {
	pings   []point // one way, by bytes of the frame
	streams []point // time per frame of a stream, by bytes
	trades  []point // a frame sent and one received by an end, while both do both, minus touching them, by bytes
	alone   float64 // a trade of small frames that leave one by one
}

// point is a measured time for a size.
type point struct{ x, y float64 }

// batchBytes is the limit, in netio, of the bytes of frames in one system call.
const batchBytes = 64 << 10

// link computes the parameters (LogGP, by ping-pong, streams and trades): a stream takes o+g+nG per frame, a single
// frame 2o+L+nG, and a trade 2o. No parameter is below 0, and the sums stay as measured: an overhead that exceeds its
// part of either is reduced to it. The residual is that of the stream's line.
//
// The costs of the ends beyond o follow from trades: twice O for each byte, and twice the cost of a batch if each frame
// is one.
func (s samples) link() (l model.Link, residual float64) {
	stream, rise := lineThrough(s.streams), max(0, slope(s.trades, s.trades[:1]))
	l.PerByte = max(0, stream.slope)
	ping, apart := max(0, intercept(s.pings, l.PerByte)), max(0, stream.intercept)
	smallest := s.trades[0]
	l.Overhead = min(max(0, smallest.y-rise*smallest.x)/2, ping/2, apart)
	l.Gap, l.Latency = apart-l.Overhead, ping-2*l.Overhead
	l.Batch = max(0, s.alone-smallest.y) / 2
	l.EndPerByte = max(0, rise/2-l.Batch/batchBytes)
	return l, stream.residual
}

// summary returns the trimmed mean of the repeats, parameter by parameter: a state of the machine counts for its part
// of the time. The spread is the median distance to the median.
func summary(all []samples) (l model.Link, m model.Measured) {
	var links []model.Link
	var residuals []float64
	for _, s := range all {
		link, residual := s.link()
		links, residuals = append(links, link), append(residuals, residual)
	}
	m.Residual = lab.Summarize(residuals).Median
	m.Spread = eachField(links, func(values []float64) float64 { return lab.Summarize(values).Spread })
	return eachField(links, mean), m
}

// eachField summarizes structs of float64 fields, field by field.
func eachField[T any](all []T, of func([]float64) float64) (sum T) {
	v := reflect.ValueOf(&sum).Elem()
	for i := range v.NumField() {
		var values []float64
		for _, one := range all {
			values = append(values, reflect.ValueOf(one).Field(i).Float())
		}
		v.Field(i).SetFloat(of(values))
	}
	return sum
}

// line is intercept + slope·x.
type line struct {
	intercept, slope float64
	residual         float64 // median distance of points to the line, relative to the point
}

// lineThrough returns the Theil-Sen line (Theil 1950, Sen 1968), which is robust against outliers.
func lineThrough(points []point) line {
	l := line{slope: slope(points, points)}
	l.intercept = intercept(points, l.slope)
	var residuals []weighted
	for _, p := range points {
		residuals = append(residuals, weighted{math.Abs(p.y-l.intercept-l.slope*p.x) / p.y, 1})
	}
	l.residual = middle(residuals)
	return l
}

// slope returns the median of the slopes from some points to later ones, weighted by the distance of the sizes.
func slope(points, from []point) float64 {
	var slopes []weighted
	for i, a := range from {
		for _, b := range points[i+1:] {
			if a.x != b.x {
				slopes = append(slopes, weighted{(a.y - b.y) / (a.x - b.x), math.Abs(a.x - b.x)})
			}
		}
	}
	return middle(slopes)
}

// intercept returns the median of the times minus the slope's part, each weighted by the inverse of the time, since
// errors grow with times.
func intercept(points []point, slope float64) float64 {
	var rest []weighted
	for _, p := range points {
		rest = append(rest, weighted{p.y - slope*p.x, 1 / p.y})
	}
	return middle(rest)
}

type weighted struct{ value, weight float64 }

// middle returns the weighted median: half of the weight is below it. Without values it returns 0.
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

// mean returns the trimmed mean, without an eighth of the values at each end: outliers do not count, and a machine that
// is slow for a part of the time gives about the mean.
func mean(values []float64) (m float64) {
	out := len(values) / 8
	kept := slices.Sorted(slices.Values(values))[out : len(values)-out]
	for _, v := range kept {
		m += v / float64(len(kept))
	}
	return m
}
