package pebble

import (
	"fmt"

	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/route"
)

// MarkLink marks the link between two ranks as down, or as up again: topologies made by route.Dynamic route around it from
// here on, and pebbles that wait for it take other links (Active Pebbles, section 3.4). The mark holds for the whole job;
// this rank's buffers obey at once, or after the running handler, and others as soon as they look for what has arrived. It may
// be called at any time by a rank's goroutine, also in handlers. When several ranks mark the same link, all see the same mark
// in the end: the last by count of marks known, then by rank; a mark that knew of another is later.
//
// A mark is advice to routing, for links that are slow, costly or about to go: what was handed to the transport before
// still arrives.
func (r *Rank) MarkLink(a, b int, down bool) {
	r.mustBeRank("MarkLink", a)
	r.mustBeRank("MarkLink", b)
	r.mark("MarkLink was called", route.Mark{From: a, To: b, Down: down})
}

// MarkRank is MarkLink for a rank: nothing is routed through it. It still sends and receives pebbles of its own.
func (r *Rank) MarkRank(rank int, down bool) {
	r.mustBeRank("MarkRank", rank)
	r.mark("MarkRank was called", route.Mark{From: rank, To: -1, Down: down})
}

// Links are the marks of the job, for topologies that look at them.
func (r *Rank) Links() *route.Links { return r.links }

func (r *Rank) mark(call string, m route.Mark) {
	from := r.enter(call)
	m = r.links.Issue(m, r.id)
	place := r.Place()
	for process := range place.Processes {
		if process == place.Process {
			continue
		}
		value, err := m.AppendBinary(nil)
		if err != nil {
			r.fail(err)
		}
		r.tell(process, marking, value)
	}
	if from == body {
		r.reroute()
	}
	r.leave(call, from)
}

// tell sends a message to the first rank of a process, which looks at it whenever it comes.
func (r *Rank) tell(process int, what purpose, value []byte) {
	place := r.Place()
	first, _ := netio.Spread(place.Ranks, place.Processes, process)
	f := r.pool.Get(len(value))
	copy(f.Space(), value)
	f.Kind, f.From, f.To, f.Bytes, f.Check = netio.Control, uint32(r.id), uint32(first), uint32(len(value)), uint32(what)
	r.counters.ControlSent++
	f.Charge(&r.messages)
	r.port.Send(f)
}

// marked applies a mark that another process has told.
func (r *Rank) marked(f *netio.Frame) {
	var m route.Mark
	if err := m.UnmarshalBinary(f.Payload()); err != nil {
		r.refuse(f, err.Error())
	}
	if m.From >= r.Size() || m.To >= r.Size() || m.By >= r.Size() {
		r.refuse(f, fmt.Sprintf("rank %d marks the link from rank %d to rank %d", m.By, m.From, m.To))
	}
	f.Release()
	r.links.Apply(m)
}

// reroute lets targets move what waits for links that are down.
func (r *Rank) reroute() {
	if !r.inEpoch() {
		return // the next epoch will look again
	}
	r.linksSeen = r.links.Version()
	for i, e := range r.endpoints {
		if err := e.Reroute(); err != nil {
			r.fail(fmt.Errorf("rank %d: target %q: %w", r.id, r.doors[i].name, err))
		}
	}
}
