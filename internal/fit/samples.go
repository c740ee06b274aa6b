package fit

import "github.com/activepebbles/pebbles/model"

// samples are the times of one repeat, in seconds.
type samples struct {
	pings   []point // one way, by bytes of the frame
	streams []point // a frame of a stream, by bytes
	trades  []point // a frame sent and one taken in by an end while both do both, by bytes
	touches []point // a frame written and read by the same end, by bytes
	alone   float64 // a trade of small frames, each of which leaves by itself
}

// batchBytes is up to how many bytes frames share a system call, as netio has it.
const batchBytes = 64 << 10

// link works the parameters out (LogGP, by ping-pong, streams and trades): streams take o+g+nG a frame, a frame alone 2o+L+nG, and a
// trade 2o. No parameter is below 0, and the sums stay what was measured: an overhead that is longer than its part of either is cut
// to that. The residual is that of the stream's line.
//
// What the ends pay beyond o follows from trades, less what it costs to write and read the bytes wherever they are: twice O a byte,
// and twice what a batch costs when each frame is one.
func (s samples) link() (l model.Link, residual float64) {
	stream, trade, touch := lineThrough(s.streams), lineThrough(s.trades), lineThrough(s.touches)
	l.PerByte = max(0, stream.rise)
	var alone []weighted
	for _, p := range s.pings {
		alone = append(alone, weighted{p.y - l.PerByte*p.x, 1 / p.y})
	}
	ping, apart := max(0, middle(alone)), max(0, stream.start)
	l.Overhead = min(s.own(trade.rise-touch.rise), ping/2, apart)
	l.Gap, l.Latency = apart-l.Overhead, ping-2*l.Overhead
	together := s.trades[0].y
	l.Batch = max(0, s.alone-together) / 2
	l.EndPerByte = max(0, (trade.rise-touch.rise)/2-l.Batch/batchBytes)
	return l, stream.residual
}

// own is what a frame costs an end beside its bytes: of the smallest, since the times of trades bend where caches end.
func (s samples) own(rise float64) float64 {
	return max(0, s.trades[0].y-s.touches[0].y-rise*s.trades[0].x) / 2
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
		func(l *model.Link) *float64 { return &l.EndPerByte },
		func(l *model.Link) *float64 { return &l.Batch },
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
