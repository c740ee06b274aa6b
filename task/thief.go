package task

import (
	"math/bits"
	"math/rand/v2"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/internal/engine"
	"github.com/activepebbles/pebbles/internal/frame"
	"github.com/activepebbles/pebbles/target"
)

// thief gets tasks for an idle rank. It asks two ranks at random. With the second question, whose answer may take long,
// it also asks the ranks at its lifelines, its neighbours in a hypercube, which remember it and send half of their
// tasks when they have some (Saraswat and others, Lifeline-based global load balancing, 2011). Then it stops asking:
// each question is a pebble, and would keep the epoch open. Grappa keeps asking (section 4.2).
//
// No work is missed. A rank with tasks to spare sends some to all ranks with a lifeline to it, these to those with one
// to them, and the hypercube connects all ranks.
type thief struct {
	s      *Scheduler
	steals *target.Target[message]
	engine *engine.Target
	random *rand.Rand
	asking bool     // a question is unanswered
	tries  int      // since the last task arrived
	lines  []bool   // by dimension: the neighbour remembers this rank
	waits  []uint32 // ranks that this one remembers
}

// message asks for tasks, or answers that there are none.
type message struct {
	To, From uint32
	What     what
}

type what uint32

const (
	steal what = iota
	lifeline
	nothing
)

const triesMost = 2

func newThief(s *Scheduler) *thief {
	id, ranks := s.rank.ID(), s.rank.Size()
	t := &thief{s: s, random: rand.New(rand.NewPCG(uint64(id), 1)), lines: make([]bool, bits.Len(uint(ranks-1)))}
	t.steals = target.New(s.rank, "task: steal requests", distribution.Ranks(ranks),
		target.Key(func(p message) uint64 { return uint64(p.To) }), target.Each(t.receive))
	t.engine = t.steals.Inside(frame.Access{})
	return t
}

// seek asks for tasks, unless a question is open or the last ones were in vain. It reports whether it has asked.
func (t *thief) seek() bool {
	if t.asking || t.tries == triesMost {
		return false
	}
	before := t.engine.Handle(0) // its sends don't wait
	defer t.engine.Handled(before)
	self, ranks := t.s.rank.ID(), t.s.rank.Size()
	t.asking = true
	t.send((self+1+t.random.IntN(ranks-1))%ranks, steal)
	if t.tries++; t.tries < triesMost {
		return true
	}
	for d := range t.lines {
		if to := self ^ 1<<d; to < ranks && !t.lines[d] {
			t.lines[d] = true
			t.send(to, lifeline)
		}
	}
	return true
}

func (t *thief) send(to int, what what) {
	t.steals.Send(message{uint32(to), uint32(t.s.rank.ID()), what})
	t.steals.Flush()
}

// receive is the handler of messages.
func (t *thief) receive(p message) {
	switch from := int(p.From); p.What {
	case nothing:
		t.asking = false
	case steal:
		if !t.sendTasks(from, asked) {
			t.send(from, nothing)
		}
	case lifeline:
		if !t.sendTasks(from, remembered) {
			t.waits = append(t.waits, p.From)
		}
	}
}

// sendTasks sends tasks to another rank, and reports whether there were enough: the last one stays here.
func (t *thief) sendTasks(to int, why why) bool {
	for _, k := range t.s.kinds {
		if k.spare() > 1 {
			k.sendHalf(to, why)
			return true
		}
	}
	return false
}

// share sends tasks to remembered ranks, and reports whether it did.
func (t *thief) share() (shared bool) {
	if len(t.waits) == 0 {
		return false
	}
	before := t.engine.Handle(0)
	defer t.engine.Handled(before)
	for len(t.waits) > 0 && t.sendTasks(int(t.waits[0]), remembered) {
		t.waits = t.waits[:copy(t.waits, t.waits[1:])]
		shared = true
	}
	return shared
}

// found records a task that arrived from another rank.
func (t *thief) found(from int, why why) {
	t.s.counts.Stolen++
	t.tries = 0
	if why == asked {
		t.asking = false
		return
	}
	t.lines[bits.TrailingZeros(uint(from^t.s.rank.ID()))] = false
}

// forget resets the thief at the end of an epoch.
func (t *thief) forget() {
	t.asking, t.tries, t.waits = false, 0, t.waits[:0]
	clear(t.lines)
}
