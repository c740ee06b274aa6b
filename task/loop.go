package task

import (
	"github.com/activepebbles/pebbles/target"
)

// For runs a loop over [from, to) in pieces of at most grain, as tasks of this rank and in the calling task, and
// returns when all pieces have ended. A larger grain saves switches; a smaller one lets more pieces wait at a time. For
// needs no free worker, so loops may nest.
func (s *Scheduler) For(from, to, grain uint64, body func(from, to uint64)) {
	w := s.caller("For")
	if grain == 0 {
		s.engine.Misuse("task", "For with a grain of 0: give at least 1")
	}
	if from >= to {
		return
	}
	inFlight, waits := 0, false
	work := func() {
		for from < to {
			begin := from
			from += min(grain, to-from)
			inFlight++
			body(begin, from)
			inFlight--
		}
		if waits && inFlight == 0 {
			waits = false
			w.wake()
		}
	}
	for range min((to-from-1)/grain, uint64(s.most)) {
		s.fresh.push(own{run: work})
	}
	work()
	if inFlight > 0 {
		waits = true
		w.wait("For")
	}
}

// Loop is a loop whose pieces may run on any rank. A range is split in halves down to the grain, so that an idle rank
// gets half of another rank's rest (Grappa, section 4.1).
type Loop struct {
	kind  *Kind[span]
	grain uint64
	body  func(from, to uint64)
}

type span struct{ From, To uint64 }

// NewLoop registers a loop, by the rules of [NewKind]. body gets ranges of at most grain.
func NewLoop(s *Scheduler, name string, grain uint64, body func(from, to uint64), options ...target.Option) *Loop {
	l := &Loop{grain: grain, body: body}
	if grain == 0 {
		s.engine.Misuse("task", "loop %q has a grain of 0: give at least 1", name)
	}
	if body == nil {
		s.engine.Refuse(name, "it has no function that runs its pieces: give one")
	}
	l.kind = NewKind(s, name, l.run, options...)
	return l
}

// Free frees the loop, by the rules of target.Target.Free.
func (l *Loop) Free() { l.kind.Free() }

// Spawn starts the loop over [from, to), and returns at once. All pieces have ended at the end of the epoch.
func (l *Loop) Spawn(from, to uint64) {
	if from < to {
		l.kind.Spawn(span{from, to})
	}
}

func (l *Loop) run(r span) {
	for n := r.To - r.From; n > l.grain; n = r.To - r.From {
		l.kind.Spawn(span{r.From + n/2, r.To})
		r.To = r.From + n/2
	}
	l.body(r.From, r.To)
}
