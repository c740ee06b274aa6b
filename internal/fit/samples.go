package fit

import "github.com/activepebbles/pebbles/model"

// samples are the times of one repeat, in seconds.
type samples struct {
	send    float64 // of the processor that sends a small frame
	pings   []point // one way, by bytes of the frame
	streams []point // a frame of a stream, by bytes
}

// link works the parameters out (LogGP, by ping-pong and streams): streams take o+g+nG a frame, a frame alone 2o+L+nG. No parameter
// is below 0, and the sums stay what was measured: an overhead that is longer than its part of either is cut to that. The residual
// is that of the stream's line.
func (s samples) link() (l model.Link, residual float64) {
	stream := lineThrough(s.streams)
	l.PerByte = max(0, stream.rise)
	var alone []weighted
	for _, p := range s.pings {
		alone = append(alone, weighted{p.y - l.PerByte*p.x, 1 / p.y})
	}
	ping, apart := max(0, middle(alone)), max(0, stream.start)
	l.Overhead = min(s.send, ping/2, apart)
	l.Gap, l.Latency = apart-l.Overhead, ping-2*l.Overhead
	return l, stream.residual
}

// summary is the median of repeats, parameter by parameter.
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
	} {
		var values []float64
		for i := range links {
			values = append(values, *of(&links[i]))
		}
		*of(&l), *of(&m.Spread) = spread(values)
	}
	m.Residual, _ = spread(residuals)
	return l, m
}
