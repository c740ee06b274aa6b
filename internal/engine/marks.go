package engine

import (
	"fmt"

	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/route"
)

// marks are the marks of links, as far as a rank has followed them.
type marks struct {
	rank      *Rank
	links     *route.Links
	linksSeen uint64 // version of links that targets have been told of
}

// MarkLink marks the link between two ranks as down or as up.
func (m *marks) MarkLink(a, b int, down bool) {
	m.rank.mustBeRank("MarkLink", a)
	m.rank.mustBeRank("MarkLink", b)
	m.mark("MarkLink was called", route.Mark{From: a, To: b, Down: down})
}

// MarkRank marks all links through a rank.
func (m *marks) MarkRank(rank int, down bool) {
	m.rank.mustBeRank("MarkRank", rank)
	m.mark("MarkRank was called", route.Mark{From: rank, To: -1, Down: down})
}

// Links are the marks of the job.
func (m *marks) Links() *route.Links { return m.links }

func (k *marks) mark(call string, m route.Mark) {
	from := k.rank.beginCall(call)
	if from == task {
		k.rank.mode = from
		k.rank.Misuse(room, "%s in a task: marks are for the main function and for handlers", call)
	}
	m = k.links.Issue(m, k.rank.id)
	place := k.rank.Place()
	for process := range place.Processes {
		if process == place.Process {
			continue
		}
		value, err := m.AppendBinary(nil)
		if err != nil {
			k.rank.Fail(err)
		}
		k.tell(process, marking, value)
	}
	if from == body {
		k.reroute()
	}
	k.rank.endCall(call, from)
}

// tell sends a message to the first rank of a process, which looks at it whenever it comes.
func (m *marks) tell(process int, what purpose, value []byte) {
	place := m.rank.Place()
	first, _ := netio.Spread(place.Ranks, place.Processes, process)
	f := m.rank.Pool.Get(len(value))
	copy(f.Space(), value)
	f.Kind, f.From, f.To = netio.Control, uint32(m.rank.id), uint32(first)
	f.Bytes, f.Check = uint32(len(value)), uint32(what)
	m.rank.Count.ControlSent++
	f.Charge(&m.rank.Messages)
	m.rank.Port.Send(f)
}

// marked applies a mark that another process has told.
func (k *marks) marked(f *netio.Frame) {
	var m route.Mark
	if err := m.UnmarshalBinary(f.Payload()); err != nil {
		k.rank.refuse(f, err.Error())
	}
	if m.From >= k.rank.Size() || m.To >= k.rank.Size() || m.By >= k.rank.Size() {
		k.rank.refuse(f, fmt.Sprintf("rank %d marks the link from rank %d to rank %d", m.By, m.From, m.To))
	}
	f.Release()
	k.links.Apply(m)
}

// reroute lets targets move what waits for links that are down.
func (m *marks) reroute() {
	if !m.rank.inEpoch() {
		return // the next epoch will look again
	}
	m.linksSeen = m.links.Version()
	for _, t := range m.rank.targets {
		if err := t.endpoint.Reroute(); err != nil {
			m.rank.Fail(fmt.Errorf("rank %d: target %q: %w", m.rank.id, t.Name, err))
		}
	}
}
