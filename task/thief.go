package task

import (
	"math/bits"
	"math/rand/v2"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/internal/engine"
	"github.com/activepebbles/pebbles/internal/frame"
	"github.com/activepebbles/pebbles/target"
)

// thief gets tasks for a rank that has none. It asks two ranks at random, and with the second, whose answer may take
// long, those that it has a lifeline to, its neighbours in a hypercube, which remember it and send half of what they
// have when they have something (Saraswat and others, Lifeline-based global load balancing, 2011). Then it asks no
// more: each question is a pebble, and would keep the epoch open. Grappa asks on (section 4.2).
//
// Nothing is lost by that. A rank with tasks to spare sends some to all who have a lifeline to it, these to those who
// have one to them, and the hypercube connects all ranks.
type thief struct {
	s      *Scheduler
	steals *target.Target[message]
	engine *engine.Target
	random *rand.Rand
	asking bool     // a rank was asked, and has not answered
	tries  int      // since a task has come
	lines  []bool   // by dimension: the neighbour remembers this rank
	waits  []uint32 // ranks that this one remembers
}

// message asks for tasks, or says that there are none.
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

// seek asks for tasks, unless that is in progress or was in vain. It tells whether it has asked.
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

// sendTasks sends tasks to another rank, and tells whether there were enough: the last one stays here.
func (t *thief) sendTasks(to int, why why) bool {
	for _, k := range t.s.kinds {
		if k.spare() > 1 {
			k.sendHalf(to, why)
			return true
		}
	}
	return false
}

// share gives to those who are remembered, and tells whether it has.
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

// found notes a task that has come from another rank.
func (t *thief) found(from int, why why) {
	t.s.counts.Stolen++
	t.tries = 0
	if why == asked {
		t.asking = false
		return
	}
	t.lines[bits.TrailingZeros(uint(from^t.s.rank.ID()))] = false
}

// forget ends an epoch: nobody remembers anybody.
func (t *thief) forget() {
	t.asking, t.tries, t.waits = false, 0, t.waits[:0]
	clear(t.lines)
}
