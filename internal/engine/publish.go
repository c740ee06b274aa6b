package engine

import (
	"context"
	"maps"
	rtrace "runtime/trace"
	"strings"
	"time"

	"github.com/activepebbles/pebbles/coalesce"
	"github.com/activepebbles/pebbles/internal/watch/board"
	"github.com/activepebbles/pebbles/internal/watch/state"
	"github.com/activepebbles/pebbles/internal/watch/trace"
)

func init() {
	var all []string
	for _, name := range purposeNames {
		_, bare, _ := strings.Cut(name, " ") // the article
		all = append(all, bare)
	}
	board.NameCollectives(all)
}

// publisher publishes the state of a rank for observers of the job.
type publisher struct {
	caller  *caller
	sender  *coalesce.Sender
	targets *targets
	tasks   *tasksAndIdle
	board   *board.Board
	ages    ages
	trace   *trace.Rank   // nil for none
	begun   time.Duration // the call, and the pebbles that the rank had handled at its start: with a trace
	handled uint64
	region  *rtrace.Region // of the call, in Go's own trace; nil for none
	turns   uint32         // calls of the team so far; the board counts those of the whole job
	moved   uint64         // work that no counter includes: of tasks, of idle work, and operations on exposed memory
}

// begins records a call that all ranks make in the same order.
func (p *publisher) begins(kind board.Kind, name string) {
	if p.board.Stale() || p.trace != nil {
		p.board.Looked(p.sender.Port.Now())
	}
	if p.caller.port == nil {
		p.board.Call(kind, name)
	} else {
		p.turns++
		p.board.CallOf(p.caller.team.name, p.turns, kind, name)
	}
	if p.trace != nil {
		p.begun, p.handled = p.board.Now(), p.sender.Count.PebblesHandled
	}
	if rtrace.IsEnabled() {
		p.region = rtrace.StartRegion(context.Background(), strings.TrimSpace(kind.String()+" "+name))
	}
}

// ends records that the last call to begin has returned.
func (p *publisher) ends() {
	if p.trace != nil {
		p.board.Looked(p.sender.Port.Now())
		p.traceCall()
	}
	p.board.End()
	if p.region != nil {
		p.region.End()
		p.region = nil
	}
}

// SetStatus publishes the application's status. Any goroutine may call it.
func (p *publisher) SetStatus(text string) { p.board.SetStatus(text) }

// looks publishes the counts of a rank that has just read the clock.
func (p *publisher) looks(now time.Duration, processed uint64) {
	s := p.sender
	p.board.Looked(now)
	c, moved := s.Count, p.moved+processed
	if at, ok := s.Port.(*port); ok {
		c, moved = at.hub.counts(), at.hub.moved()
	}
	p.board.Count(&c, state.Memory{
		Held: s.Pool.LentAtMost() + s.Reserved, Peak: s.Pool.Peak() + s.Reserved, Queued: s.Queued, Limit: s.MemoryLimit,
	}, moved+c.PebblesSent+c.PebblesHandled+c.Forwarded+c.ControlSent-c.DetectionSent)
	if p.board.Asked() {
		p.board.Detail(p.details(now))
	}
}

// details returns the details, which cost a rank microseconds.
func (p *publisher) details(now time.Duration) *board.Details {
	d := &board.Details{}
	for _, t := range p.targets.all {
		d.Targets = append(d.Targets, state.Target{Name: t.Name, Handled: t.handled, Sent: t.outbox.Launched})
		d.Links = p.ages.links(d.Links, t, now)
	}
	d.Links = state.Fullest(d.Links)
	if tasks := p.tasks.tasks; tasks != nil {
		d.Tasks = tasks.Waiting()
	}
	return d
}

// ages holds the times since links have stood still, for links that were requested.
type ages map[age]*stood

type age struct{ target, lane int }

// stood is the state of a link at the last request.
type stood struct {
	at   time.Duration // first time in this state
	link coalesce.Load
}

// forget forgets a target.
func (a ages) forget(t *Target) {
	maps.DeleteFunc(a, func(of age, _ *stood) bool { return of.target == int(t.Index) })
}

// links appends a target's links that hold something.
func (a *ages) links(all []state.Link, t *Target, now time.Duration) []state.Link {
	if *a == nil {
		*a = ages{}
	}
	for l, load := range t.outbox.Loads() {
		key := age{int(t.Index), l}
		s := (*a)[key]
		if s == nil || s.link.Sent != load.Sent || load.Flight+load.Waiting < s.link.Flight+s.link.Waiting {
			s = &stood{at: now}
			(*a)[key] = s
		}
		s.link = load
		if load.Flight+load.Waiting == 0 {
			s.at = now
		}
		if load == (coalesce.Load{Sent: load.Sent}) {
			continue
		}
		all = append(all, state.Link{
			Target: t.Name, To: t.Rank.InJob(t.outbox.Plan.Lanes[l]),
			Filling: load.Filling, Flight: load.Flight, Waiting: load.Waiting,
			Bytes: load.Filling + (load.Flight+load.Waiting)*int64(t.description.Frame), Sent: uint64(load.Sent),
			AgeSeconds: (now - s.at).Seconds(),
		})
	}
	return all
}
