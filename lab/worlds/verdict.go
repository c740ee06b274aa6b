package worlds

import (
	"errors"
	"fmt"
	"time"

	"github.com/activepebbles/pebbles/netio"
)

// outcome sums up a world whose processes have ended.
func (m *members) outcome() (o Outcome) {
	for _, r := range m.posters {
		for _, n := range r.got {
			o.Stats.Frames += n
		}
	}
	for _, p := range m.all {
		o.Failed = o.Failed || len(p.heard()) > 0
	}
	o.Crossed, o.Stats.Seconds = m.crossed, time.Since(m.began).Seconds()
	return o
}

// heard returns the errors that were reported to the process.
func (p *member) heard() (all []error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, err := range append([]error{p.failed, p.closed}, p.told...) {
		if err != nil {
			all = append(all, err)
		}
	}
	return all
}

// judge returns an error if a promise was broken.
func (m *members) judge() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.wrong != nil {
		return fmt.Errorf("worlds: %w", m.wrong)
	}
	for _, l := range m.links {
		if !l.ends[0].closed || !l.ends[1].closed {
			return fmt.Errorf("worlds: a connection from process %d to process %d is left open", l.from, l.to)
		}
	}
	for _, p := range m.all {
		if m.dead(p.place.Process) {
			continue
		}
		for _, err := range p.heard() {
			if !p.excused(err) {
				return fmt.Errorf("worlds: process %d fails without a reason: %w", p.place.Process, err)
			}
		}
		if late := p.late(); late > tellLimit {
			return fmt.Errorf("worlds: process %d hears of the death of process %d after %v", p.place.Process, m.Death-1,
				late)
		}
	}
	return m.missing()
}

// unstarted reports whether the start of a process has failed.
func (m *members) unstarted() bool {
	for _, p := range m.all {
		if p.failed != nil {
			return true
		}
	}
	return false
}

// excused reports whether a fault of the world has led to an error of the process.
func (p *member) excused(err error) bool {
	var lost *netio.LostError
	switch {
	case !p.troubled():
		return false
	case p.Abort == 1 || p.unstarted():
		return true
	case errors.As(err, &lost):
		return p.dead(lost.Process) || p.struck[between(p.place.Process, lost.Process)]
	}
	return false
}

// late returns the delay of the report of a death: the time from the death, or from the start of the process if that is
// later, to the report. It is 0 if no report is due.
func (p *member) late() time.Duration {
	if p.died.IsZero() || p.Long == 1 || p.Abort == 0 || p.toldAt.IsZero() || p.unstarted() {
		return 0
	}
	since := p.died
	if p.started.After(since) {
		since = p.started
	}
	return p.toldAt.Sub(since)
}

// missing returns an error for a lost frame if neither end was told of an error.
func (m *members) missing() error {
	for _, r := range m.posters {
		for to, sent := range r.sent {
			other := m.posters[to.rank]
			if got := other.got[flow{r.number, to.kind}]; got < sent && !r.known(other.member) {
				return fmt.Errorf("worlds: rank %d has got %d of %d frames of kind %d from rank %d, and nobody was told",
					to.rank, got, sent, to.kind, r.number)
			}
		}
	}
	return nil
}

// known reports whether the loss of a frame from this process to another one was reported to a process that must be
// told. Only others tell a process of a dead one that would have sent to it.
func (p *member) known(to *member) bool {
	heard := len(p.heard()) > 0
	switch {
	case p.dead(p.place.Process):
		return p.dead(to.place.Process) || p.Abort == 0 || len(to.heard()) > 0
	case p.dead(to.place.Process):
		return heard
	}
	return heard || len(to.heard()) > 0
}
