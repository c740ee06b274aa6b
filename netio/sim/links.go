package sim

// links are the links between the ranks of a world.
type links struct {
	layout  *layout
	charges *charges
	fabric  *fabric // nil when hosts are connected pairwise
	hosts   []traffic
	stats   *Stats
}

// traffic is the outgoing and the incoming side of a link that ranks share.
type traffic struct{ out, in gate }

// transit returns the arrival time of bytes that leave at a moment. They pass the outgoing link and the incoming link,
// which ranks share, and the fabric.
func (l *links) transit(leaves instant, r, to *rank, k class, bytes uint32) instant {
	c := l.charges
	wire := c.wire(k, bytes)
	takes := max(c.gap[k], wire)
	switch k {
	case withinProcess:
		l.stats.WithinProcess++
		return leaves + c.latency[k] + wire
	case withinHost:
		l.stats.WithinHost++
		start := r.out.enter(leaves, takes)
		return to.in.enter(start+c.latency[k], takes) + wire
	}
	l.stats.BetweenHosts++
	from, dest := l.layout.host(r.id), l.layout.host(to.id)
	start := l.hosts[from].out.enter(leaves, takes)
	if l.fabric != nil {
		start = l.fabric.cross(from, dest, start, wire)
	}
	return l.hosts[dest].in.enter(start+c.latency[k], takes) + wire
}
