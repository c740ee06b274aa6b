package sim

// charges are a network's costs as spans of virtual time.
type charges struct {
	latency, overhead, gap [classes]instant
	perByte                [classes]float64 // picoseconds; less than one on fast links
	batch                  [classes]instant
	endByte                [classes]float64 // picoseconds
	send, handle, pass     float64          // picoseconds
	look                   instant
	ahead                  instant // lead of a rank over all others, at most
}

// slack is the number of overheads by which a rank may be ahead of the others beyond a latency. Nothing arrives sooner
// than a latency after it was sent, so a rank whose lead is smaller misses no arrival. Some more overheads save most
// turns of ranks that send and receive in step. Such a rank sees a missed arrival at its next look; a parked one is
// woken by it.
const slack = 2

// headBytes is the size of a header on the wire.
const headBytes = 64

func newCharges(n Network, l *layout) charges {
	c := charges{
		send: n.Costs.Send * 1e12, handle: n.Costs.Handle * 1e12, pass: n.Costs.Pass * 1e12,
		look: max(nanosecond, span(n.Costs.Look)), ahead: never,
	}
	for i, link := range []Link{n.Process, n.Host, n.Between} {
		c.latency[i], c.overhead[i], c.gap[i] = span(link.Latency), span(link.Overhead), span(link.Gap)
		c.perByte[i] = link.PerByte * 1e12
		if l.has(class(i)) {
			c.ahead = min(c.ahead, c.latency[i]+slack*c.overhead[i])
		}
	}
	for i, end := range []End{n.Ends.Process, n.Ends.Host, n.Ends.Between} {
		c.batch[i], c.endByte[i] = span(end.Batch), end.PerByte*1e12
	}
	if c.ahead == never {
		c.ahead = 0 // only one rank
	}
	return c
}

// wire returns the time of a frame's bytes on the wire.
func (c *charges) wire(k class, bytes uint32) instant {
	return instant(c.perByte[k] * float64(headBytes+bytes))
}
