package engine

import (
	"fmt"
	"sync/atomic"
	"time"

	"github.com/activepebbles/pebbles/coalesce"
	"github.com/activepebbles/pebbles/netio"
)

// hub delivers frames for one rank of the job to the teams of this rank. A rank gets a hub at its first Split; before,
// and in programs without teams, nothing stands between a rank and its port.
type hub struct {
	whole   *port
	teams   []*port               // not freed
	past    coalesce.Counters     // counts of freed teams
	went    uint64                // work of freed teams, as in moved
	next    uint32                // the lowest number that no team of this rank has had
	early   netio.Frames          // frames of teams that are being made
	running *atomic.Pointer[Rank] // the team of the running call; else the whole job
}

// port is a rank's end of the transport in one of its teams; the whole job counts as a team. Below it, frames carry the
// team's number, and ranks have their numbers in the job.
type port struct {
	netio.Port // of the rank in the job
	hub        *hub
	rank       *Rank
	waiting    netio.Frames // frames that arrived while another team was receiving
}

var (
	_ netio.Port  = (*port)(nil)
	_ netio.Meter = (*port)(nil)
)

// teamShift is the position of a team's number in a header's Seq.
const teamShift = 32

// hubOf returns the hub of a rank, which gets one with its first team.
func hubOf(r *Rank) *hub {
	if p, ok := r.Sender.Port.(*port); ok {
		return p.hub
	}
	h := &hub{next: 1, running: &r.Job.running[r.id-r.Job.place.First]}
	h.whole = &port{Port: r.Sender.Port, hub: h, rank: r}
	h.whole.Meter(h.work)
	r.Sender.Port = h.whole
	return h
}

// Send implements [netio.Port].
func (p *port) Send(f *netio.Frame) {
	if t := p.rank.team; t.number > 0 {
		f.Seq |= uint64(t.number) << teamShift
		f.From, f.To = uint32(t.members[f.From]), uint32(t.members[f.To])
	}
	p.Port.Send(f)
}

// Recv implements [netio.Port]. It keeps the frames of other teams for them.
func (p *port) Recv() *netio.Frame {
	if f := p.waiting.Shift(); f != nil {
		return f
	}
	for f := p.Port.Recv(); f != nil; f = p.Port.Recv() {
		if to := p.hub.receiver(f); to == p {
			return f
		} else if to != nil {
			to.keep(f)
		}
	}
	return nil
}

// Wait implements [netio.Port].
func (p *port) Wait(d time.Duration) {
	if p.waiting.Empty() {
		p.Port.Wait(d)
	}
}

// Meter implements [netio.Meter]. It does nothing if the port below is none.
func (p *port) Meter(done func() netio.Work) {
	if m, ok := p.Port.(netio.Meter); ok {
		m.Meter(done)
	}
}

// Compute implements [netio.Meter].
func (p *port) Compute(d time.Duration) {
	if m, ok := p.Port.(netio.Meter); ok {
		m.Compute(d)
	}
}

// keep keeps a frame for this team's next call, unless it is a message that is taken at any time.
func (p *port) keep(f *netio.Frame) {
	if a := &p.rank.Loop.arrivals; f.Kind == netio.Control && a.takesAnywhere(f) {
		a.message(f)
		return
	}
	p.waiting.Push(f)
}

// receiver returns the port of a frame, and replaces the frame's ranks by their numbers there. It is nil if the frame
// was kept for a team that is being made, or is no longer needed.
func (h *hub) receiver(f *netio.Frame) *port {
	number := uint32(f.Seq >> teamShift)
	if number == 0 {
		return h.whole
	}
	for _, p := range h.teams {
		if t := p.rank.team; t.number == number {
			from, ok := t.rankOf(int(f.From))
			if !ok {
				h.refuse(f, fmt.Sprintf("the sender is no member of %v", t))
			}
			f.From, f.To, f.Seq = uint32(from), uint32(p.rank.id), f.Seq&(1<<teamShift-1)
			return p
		}
	}
	if number >= h.next {
		h.early.Push(f) // its sender has left Split earlier
		return nil
	}
	if f.Kind != netio.Control || purpose(f.Check) != marking { // a mark may come late
		h.refuse(f, fmt.Sprintf("it is for team number %d, which was freed here", number))
	}
	f.Release()
	return nil
}

// refuse ends the job because of an invalid frame.
func (h *hub) refuse(f *netio.Frame, why string) { h.whole.rank.Loop.arrivals.refuse(f, why) }

// add makes the rank's part in a team.
func (h *hub) add(t *team, id int) *Rank {
	whole := h.whole.rank
	p := &port{Port: h.whole.Port, hub: h}
	p.rank = newRankOf(whole, t, id, p)
	h.teams = append(h.teams, p)
	early := h.early.Move()
	for f := early.Shift(); f != nil; f = early.Shift() {
		if to := h.receiver(f); to != nil {
			to.keep(f)
		}
	}
	return p.rank
}

// all returns the rank's parts in its teams, and in the job.
func (h *hub) all() (ranks []*Rank) {
	for _, p := range h.teams {
		ranks = append(ranks, p.rank)
	}
	return append(ranks, h.whole.rank)
}

// counts returns the sum of the rank's counters in all its teams and in the job.
func (h *hub) counts() coalesce.Counters {
	sum := h.past.Add(h.whole.rank.Sender.Count)
	for _, p := range h.teams {
		sum = sum.Add(p.rank.Sender.Count)
	}
	return sum
}

// moved returns the pieces of work, of all teams and of the job, that no counter includes.
func (h *hub) moved() uint64 {
	sum := h.went
	for _, r := range h.all() {
		sum += r.Publisher.moved + r.Loop.arrivals.processed
	}
	return sum
}

// work is counts for a port that meters it.
func (h *hub) work() netio.Work {
	sum := h.counts()
	return workOf(&sum)
}

// during runs a call of the team. Meanwhile, the rank's other teams can't be called.
func (p *port) during(call string, f func() error) error {
	if p.hub.running.Load() == p.rank {
		return f() // in another call of this team
	}
	all := p.hub.all()
	for _, r := range all {
		if r != p.rank && r.mode != outside {
			p.rank.inOther(call)
		}
	}
	for _, r := range all {
		if r != p.rank {
			r.mode = elsewhere
		}
	}
	p.hub.running.Store(p.rank)
	defer func() {
		for _, r := range all {
			if r.mode == elsewhere {
				r.mode = outside
			}
		}
		p.hub.running.Store(p.hub.whole.rank)
	}()
	return f()
}

// inOther ends the job: a call comes during a call of another team of the same rank.
func (c *caller) inOther(call string) {
	whose := "the whole job"
	if r := c.Job.running[c.InJob(c.id)-c.Job.place.First].Load(); r != nil && r.port != nil {
		whose = r.team.String()
	}
	c.Misuse(room, "%s inside an epoch or call of %s: a rank is in an epoch of one team at a time", call, whose)
}
