package model

import "math"

// HeaderBytes is the size of a frame's header: the e of TRAM's analysis (TRAM, section IV.C), with netio's value.
const HeaderBytes = 56

// Prediction is the predicted cost of a job. Times are those of the busiest rank, for all epochs; counts are of all
// ranks and epochs unless documented otherwise.
type Prediction struct {
	Ranks    int    `json:"ranks"`
	Topology string `json:"topology"`
	Coalesce int    `json:"coalesce"`
	Detector string `json:"detector"`

	Seconds float64 `json:"seconds"` // sum of those below
	// sending, handling and forwarding pebbles, cache lookups, the program itself
	Pebble float64 `json:"pebble_seconds"`
	// o of frames sent and received, and the cost of frames beside it
	Overhead    float64 `json:"overhead_seconds"`
	Gap         float64 `json:"gap_seconds"`         // g between frames
	Byte        float64 `json:"byte_seconds"`        // G of the bytes of frames
	Latency     float64 `json:"latency_seconds"`     // L of the longest route, and the cost of its further hops
	Termination float64 `json:"termination_seconds"` // finding the end of epochs
	// if interfaces moved bytes while processors worked: the larger of the two instead of the sum
	Overlapped float64 `json:"overlapped_seconds"`
	Fill       float64 `json:"buffer_fill_seconds"` // until a buffer is full, or the epoch ends
	Rate       float64 `json:"pebbles_per_second"`  // sent, of all ranks; 0 if nothing costs time

	Hops        int     `json:"hops"`               // of the longest route
	MeanHops    float64 `json:"mean_hops"`          // between different ranks
	Buffers     int     `json:"buffers"`            // of a rank, at most
	BufferBytes float64 `json:"buffer_bytes"`       // of a rank: buffers x coalescing factor x bytes of a pebble
	Frames      float64 `json:"frames"`             // with pebbles
	FrameFill   float64 `json:"frame_fill"`         // mean pebbles of a frame, as a fraction of the coalescing factor
	Bytes       float64 `json:"bytes"`              // of frames, with headers
	Forwarded   float64 `json:"forwarded"`          // pebbles forwarded at hops
	Merged      float64 `json:"merged"`             // pebbles merged by reductions
	Rounds      int     `json:"termination_rounds"` // of an epoch
	Messages    int     `json:"termination_steps"`  // messages in sequence at the end of an epoch
	Exact       bool    `json:"exact"`              // every route was walked

	formula string // of detection
}

// Predict predicts a job on this machine. It costs a [Survey].
func (p *Parameters) Predict(j Job) (Prediction, error) {
	if err := j.check(); err != nil {
		return Prediction{}, err
	}
	s, err := Survey(j.Topology, j.Ranks, j.Layout)
	if err != nil {
		return Prediction{}, err
	}
	return p.PredictOn(s, j)
}

// PredictOn is Predict for a shape that Survey has returned before, of the same topology, ranks and layout: for many
// predictions that differ in other settings.
func (p *Parameters) PredictOn(s Shape, j Job) (Prediction, error) {
	if err := p.Check(); err != nil {
		return Prediction{}, err
	}
	if err := j.check(); err != nil {
		return Prediction{}, err
	}
	layout, err := j.Layout.complete(j.Ranks)
	if err != nil {
		return Prediction{}, err
	}
	e := epoch{Parameters: p, job: &j, shape: s, layout: layout}
	r := Prediction{Ranks: j.Ranks, Topology: s.Topology, Coalesce: j.Coalesce, Hops: s.Hops, MeanHops: s.MeanHops,
		Buffers: s.Neighbors, Exact: s.Exact}
	name, d, err := j.choose(p, s, layout)
	if err != nil {
		return Prediction{}, err
	}
	r.Detector, r.formula, r.Rounds, r.Messages = name, d.formula, d.rounds, d.messages(j.Ranks)
	r.Termination = d.seconds(p, s, layout)
	r.BufferBytes = float64(s.Neighbors) * float64(j.Coalesce) * float64(j.Bytes)
	e.count(&r)
	e.time(&r)
	epochs := float64(max(1, j.Epochs))
	r.times(epochs)
	if r.Seconds > 0 {
		r.Rate = j.Pebbles * float64(j.Ranks) * epochs / r.Seconds
	}
	return r, nil
}

// epoch is the arithmetic of one epoch.
type epoch struct {
	*Parameters
	job    *Job
	shape  Shape
	layout Layout
}

// traffic is the traffic that a rank sends in an epoch, by class.
type traffic [classes]struct{ frames, pebbles, bytes float64 }

// over returns the traffic on lanes.
func (e *epoch) over(lanes []Lanes) (t traffic) {
	part := e.job.each() * travelling(e.job.Hit, e.shape.MeanHops)
	for _, l := range lanes {
		pebbles := l.Pebbles * part
		c := &t[l.Class]
		c.frames += l.Count * Frames(pebbles, e.job.Coalesce, e.job.Even)
		c.pebbles += l.Count * pebbles
	}
	for c := range t {
		t[c].bytes = t[c].pebbles*float64(e.job.Bytes) + t[c].frames*HeaderBytes
	}
	return t
}

func (t *traffic) all() (frames, pebbles, bytes float64) {
	for _, c := range t {
		frames, pebbles, bytes = frames+c.frames, pebbles+c.pebbles, bytes+c.bytes
	}
	return frames, pebbles, bytes
}

// remote returns the number of pebbles that a rank sends to others, and the number of these that others handle.
func (e *epoch) remote() (sent, handled float64) {
	sent = e.job.Pebbles - e.job.own()
	return sent, sent * (1 - hitRate(e.job.Hit, e.shape.MeanHops))
}

// count sets the counts, of all ranks.
func (e *epoch) count(r *Prediction) {
	mean := e.over(e.shape.Mean)
	frames, carried, bytes := mean.all()
	sent, handled := e.remote()
	ranks := float64(e.job.Ranks)
	first := sent * (1 - e.job.Hit) // past the cache at their source
	r.Frames, r.Bytes = frames*ranks, bytes*ranks
	r.Forwarded = max(0, carried-first) * ranks
	r.Merged = (sent - handled) * ranks
	if frames > 0 {
		r.FrameFill = carried / frames / float64(e.job.Coalesce)
	}
}

// time sets the times of the busiest rank. It receives as much as it sends.
func (e *epoch) time(r *Prediction) {
	busy := e.over(e.shape.Busiest)
	for c := range classes {
		l, share := e.Link(c), e.share(c)
		r.Overhead += busy[c].frames * (2*l.Overhead + e.Frame)
		r.Gap += max(0, busy[c].frames-1) * l.Gap * share
		r.Byte += busy[c].bytes * l.PerByte * share
	}
	frames, carried, _ := busy.all()
	sent, handled := e.remote()
	j := e.job
	r.Pebble = j.Pebbles*e.Pebble.Send + (handled+j.own())*(e.Pebble.Handle+j.Compute) +
		max(0, carried-sent*(1-j.Hit))*e.Pebble.Forward
	if j.Hit > 0 {
		r.Pebble += max(sent, carried) * e.Pebble.Look
	}
	if frames > 0 {
		r.Latency = e.latency(carried / frames)
	}
	r.Overlapped = max(r.Pebble+r.Overhead, r.Gap+r.Byte) + r.Latency + r.Termination
	r.Seconds = r.Pebble + r.Overhead + r.Gap + r.Byte + r.Latency + r.Termination
	r.Fill = r.Seconds * min(1, e.fill())
}

// share returns the number of ranks that share the interface of a rank.
func (e *epoch) share(c Class) float64 {
	if c != Network || e.Interfaces == 0 {
		return 1
	}
	return max(1, float64(min(e.layout.PerHost, e.job.Ranks))/float64(e.Interfaces))
}

// latency returns L on all hops of the longest route, and 2o + nG of a frame on all but the first, which the other
// parts have.
func (e *epoch) latency(pebbles float64) float64 {
	bytes := pebbles*float64(e.job.Bytes) + HeaderBytes
	total, latency, message := 0.0, 0.0, 0.0
	for _, l := range e.shape.Mean {
		link, carried := e.Link(l.Class), l.Count*l.Pebbles
		total += carried
		latency += carried * link.Latency
		message += carried * link.Message(bytes)
	}
	if total == 0 {
		return 0
	}
	return (latency + float64(e.shape.Hops-1)*message) / total
}

// fill returns the mean time until a buffer is full, in epochs: pebbles pass one buffer per hop, and spread over the
// buffers of a rank. With one of each it is the g/r of TRAM's table I; buffers of a mesh fill N(P-1)/Σ(s-1) times as
// fast as those of direct sends (TRAM, sections IV.C and V.B).
func (e *epoch) fill() float64 {
	lanes := 0.0
	for _, l := range e.shape.Mean {
		lanes += l.Count
	}
	if carried := sent(e.shape.Mean) * e.job.each(); carried > 0 {
		return float64(e.job.Coalesce) * lanes / carried
	}
	return 1
}

// times multiplies the sums of one epoch by the number of epochs.
func (r *Prediction) times(epochs float64) {
	for _, sum := range []*float64{
		&r.Seconds, &r.Pebble, &r.Overhead, &r.Gap, &r.Byte, &r.Latency, &r.Termination, &r.Overlapped,
		&r.Frames, &r.Bytes, &r.Forwarded, &r.Merged,
	} {
		*sum *= epochs
	}
}

// hitRate returns the joint hit rate of several independent caches on a route: 1 - (1-h)^n, with n = log2 P on a
// hypercube (Active Pebbles, section 3.5).
func hitRate(hit, caches float64) float64 { return 1 - math.Pow(1-hit, caches) }

// travelling returns the fraction of hops that pebbles still make if a cache before each hop merges a fraction h of
// them: the mean of (1-h)^j over the hops j of a route.
func travelling(hit, hops float64) float64 {
	if hit == 0 || hops == 0 {
		return 1
	}
	keep := 1 - hit
	return keep * (1 - math.Pow(keep, hops)) / (hit * hops)
}

// Frames returns the number of frames that carry pebbles over one link in an epoch, if they leave when full and once
// more at the end: ⌈X/C⌉ for X pebbles and C per buffer. If the number of pebbles is the same on every link (even) X is
// the argument. Otherwise each pebble draws its owner independently, X is close to Poisson's distribution with that
// mean, and the result is the mean of ⌈X/C⌉. TRAM counts full buffers alone, z/g (TRAM, table I): the difference are
// the last ones, half full in the mean.
//
// Cost: a hundred to ten thousand steps, proportional to the deviation of X.
func Frames(pebbles float64, coalesce int, even bool) float64 {
	c := float64(coalesce)
	switch {
	case pebbles <= 0:
		return 0
	case even:
		return math.Ceil(pebbles/c - 1e-9) // 1e-9: the rounding error of a sum of parts
	case math.Sqrt(pebbles) > c:
		// X is spread over buffers so widely that all fillings of the last one are equally likely
		return pebbles/c + (c-1)/(2*c)
	}
	return frameMean(pebbles, c)
}

// frameMean sums ⌈x/C⌉ over Poisson's distribution, from its middle outwards until terms are too small to count.
func frameMean(mean, c float64) float64 {
	middle := math.Floor(mean)
	lg, _ := math.Lgamma(middle + 1)
	top := math.Exp(middle*math.Log(mean) - mean - lg)
	sum := 0.0
	for x, p := middle, top; x > 0 && p > 1e-18; x-- {
		sum += p * math.Ceil(x/c)
		p *= x / mean
	}
	for x, p := middle+1, top*mean/(middle+1); p > 1e-18; x++ {
		sum += p * math.Ceil(x/c)
		p *= mean / (x + 1)
	}
	return sum
}
