package engine

import (
	"fmt"

	"github.com/activepebbles/pebbles/coalesce"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/route"
)

// marks are the marks of links, with the version that a rank has followed.
type marks struct {
	caller  *caller
	sender  *coalesce.Sender
	targets *targets
	links   *route.Links
	seen    uint64 // version of links that targets have followed
}

// MarkLink marks the link between two ranks as down or as up.
func (m *marks) MarkLink(a, b int, down bool) {
	mustBeRank(m.caller, "MarkLink", a)
	mustBeRank(m.caller, "MarkLink", b)
	m.mark("MarkLink was called", route.Mark{From: a, To: b, Down: down})
}

// MarkRank marks all links through a rank.
func (m *marks) MarkRank(rank int, down bool) {
	mustBeRank(m.caller, "MarkRank", rank)
	m.mark("MarkRank was called", route.Mark{From: rank, To: -1, Down: down})
}

// Links returns the marks of the job.
func (m *marks) Links() *route.Links { return m.links }

func (m *marks) mark(call string, mark route.Mark) {
	from := m.caller.beginCall(call)
	if from == task {
		m.caller.mode = from
		m.caller.Misuse(room, "%s in a task: marks are for the main function and for handlers", call)
	}
	mark = m.links.Issue(mark, m.caller.id)
	value, err := mark.AppendBinary(nil)
	if err != nil {
		m.caller.Fail(err)
	}
	place := m.caller.team.place
	for process := range place.Processes {
		if process != place.Process {
			m.tell(process, value)
		}
	}
	if from == body {
		m.reroute()
	}
	m.caller.endCall(call, from)
}

// tell sends a mark to the first rank of a process, which takes it at any time.
func (m *marks) tell(process int, value []byte) {
	first, _ := m.caller.team.place.Span(process)
	sendControl(m.sender, first, value, netio.Header{Check: uint32(marking)})
}

// marked applies a mark of another process.
func (m *marks) marked(f *netio.Frame) error {
	var mark route.Mark
	if err := mark.UnmarshalBinary(f.Payload()); err != nil {
		return err
	}
	if ranks := m.caller.Size(); mark.From >= ranks || mark.To >= ranks || mark.By >= ranks {
		return fmt.Errorf("rank %d marks the link from rank %d to rank %d", mark.By, mark.From, mark.To)
	}
	m.links.Apply(mark)
	return nil
}

// follow reroutes pebbles if links were marked since the last call.
func (m *marks) follow() {
	if m.links.Version() != m.seen {
		m.reroute()
	}
}

// reroute lets targets move the pebbles that wait for links that are down.
func (m *marks) reroute() {
	if !m.caller.InEpoch() {
		return // the next epoch will look again
	}
	m.seen = m.links.Version()
	if err := m.targets.reroute(); err != nil {
		m.caller.Fail(&rankError{m.caller.id, err})
	}
}
