package engine

import (
	"fmt"

	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/route"
)

// MarkLink marks the link between two ranks as down or as up.
func (r *Rank) MarkLink(a, b int, down bool) {
	r.mustBeRank("MarkLink", a)
	r.mustBeRank("MarkLink", b)
	r.mark("MarkLink was called", route.Mark{From: a, To: b, Down: down})
}

// MarkRank marks all links through a rank.
func (r *Rank) MarkRank(rank int, down bool) {
	r.mustBeRank("MarkRank", rank)
	r.mark("MarkRank was called", route.Mark{From: rank, To: -1, Down: down})
}

// Links are the marks of the job.
func (r *Rank) Links() *route.Links { return r.links }

func (r *Rank) mark(call string, m route.Mark) {
	from := r.enter(call)
	if from == task {
		r.mode = from
		misuse("rank %d: %s in a task: marks are for the main function and for handlers", r.id, call)
	}
	m = r.links.Issue(m, r.id)
	place := r.Place()
	for process := range place.Processes {
		if process == place.Process {
			continue
		}
		value, err := m.AppendBinary(nil)
		if err != nil {
			r.Fail(err)
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
	f := r.Pool.Get(len(value))
	copy(f.Space(), value)
	f.Kind, f.From, f.To, f.Bytes, f.Check = netio.Control, uint32(r.id), uint32(first), uint32(len(value)), uint32(what)
	r.Count.ControlSent++
	f.Charge(&r.Messages)
	r.Port.Send(f)
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
	for _, t := range r.targets {
		if err := t.endpoint.Reroute(); err != nil {
			r.Fail(fmt.Errorf("rank %d: target %q: %w", r.id, t.Name, err))
		}
	}
}
