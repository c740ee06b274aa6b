package fit

import (
	"github.com/activepebbles/pebbles/lab"
	"github.com/activepebbles/pebbles/model"
)

// samples are the times of one repeat, in seconds.
type samples struct {
	pings   []point // one way, by bytes of the frame
	streams []point // a frame of a stream, by bytes
	trades  []point // a frame sent and one received by an end while both do both, beyond touching them, by bytes
	alone   float64 // a trade of small frames, each of which leaves by itself
}

// batchBytes is up to how many bytes frames share a system call, as netio has it.
const batchBytes = 64 << 10

// link computes the parameters (LogGP, by ping-pong, streams and trades): streams take o+g+nG a frame, a frame alone
// 2o+L+nG, and a trade 2o. No parameter is below 0, and the sums stay what was measured: an overhead that is longer
// than its part of either is cut to that. The residual is that of the stream's line.
//
// What the ends pay beyond o follows from trades: twice O a byte, and twice what a batch costs when each frame is one.
func (s samples) link() (l model.Link, residual float64) {
	stream := lineThrough(s.streams)
	l.PerByte = max(0, stream.slope)
	var alone []weighted
	for _, p := range s.pings {
		alone = append(alone, weighted{p.y - l.PerByte*p.x, 1 / p.y})
	}
	ping, apart := max(0, middle(alone)), max(0, stream.intercept)
	rise := max(0, slopeOf(s.trades))
	smallest := s.trades[0]
	l.Overhead = min(max(0, smallest.y-rise*smallest.x)/2, ping/2, apart)
	l.Gap, l.Latency = apart-l.Overhead, ping-2*l.Overhead
	l.Batch = max(0, s.alone-smallest.y) / 2
	l.EndPerByte = max(0, rise/2-l.Batch/batchBytes)
	return l, stream.residual
}

// slopeOf is how much each byte adds to what the smallest frame costs: the weighted median over all sizes.
func slopeOf(points []point) float64 {
	var slopes []weighted
	for _, p := range points[1:] {
		slopes = append(slopes, weighted{(p.y - points[0].y) / (p.x - points[0].x), p.x})
	}
	return middle(slopes)
}

// summary is the trimmed mean of the repeats, parameter by parameter: a state that the machine is in for a part of the
// time counts for that part. The spread is the median distance to the median.
func summary(all []samples) (l model.Link, m model.Measured) {
	var links []model.Link
	var residuals []float64
	for _, s := range all {
		link, residual := s.link()
		links, residuals = append(links, link), append(residuals, residual)
	}
	for _, of := range []func(*model.Link) *float64{
		func(l *model.Link) *float64 { return &l.Latency },
		func(l *model.Link) *float64 { return &l.Overhead },
		func(l *model.Link) *float64 { return &l.Gap },
		func(l *model.Link) *float64 { return &l.PerByte },
		func(l *model.Link) *float64 { return &l.EndPerByte },
		func(l *model.Link) *float64 { return &l.Batch },
	} {
		var values []float64
		for i := range links {
			values = append(values, *of(&links[i]))
		}
		*of(&l) = mean(values)
		*of(&m.Spread) = lab.Summarize(values).Spread
	}
	m.Residual = lab.Summarize(residuals).Median
	return l, m
}
