package alltoall

import (
	"fmt"

	"github.com/activepebbles/pebbles/apps"
)

// inbox is what a rank knows of the items that came to it.
type inbox struct {
	numbers
	self    uint32
	rounds  uint64
	end     uint64 // above the numbers of all rounds
	senders []tally
	tally   apps.Tally // of items that came, in whatever state
	damaged uint64     // items that are not as any that was sent to this rank
}

// tally is what a rank knows of one sender, however many the rounds.
type tally struct {
	came uint64
	sum  uint64 // of the marks of the items that came
}

func newInbox(n numbers, self, ranks int, rounds uint64) *inbox {
	return &inbox{numbers: n, self: uint32(self), rounds: rounds, end: n.id(0, 0, rounds), senders: make([]tally, ranks)}
}

// expects tells whether an item with this number is to come from some rank. Its round is for the run to look at.
func (in *inbox) expects(id uint64) bool {
	return in.to(id) == in.self && int(in.from(id)) < len(in.senders)
}

// run is what the numbers of items have in common that one rank has sent to another.
type run struct {
	first uint64 // number of its first item
	ends  uint64 // bits of a number that say who sends the item, and to whom
	end   uint64 // above the numbers of all rounds
	seed  uint64
}

// has tells whether an item belongs to the run.
func (r *run) has(id uint64) bool { return (id^r.first)&r.ends == 0 && id < r.end }

// receive is the handler. It looks at items of one sender together.
func receive[V any](in *inbox, its []V, k kind[V]) {
	in.tally.Handled += uint64(len(its))
	for len(its) > 0 {
		first := k.number(&its[0])
		n, sum := 0, uint64(0)
		if in.expects(first) {
			n, sum = k.read(its, run{first, 1<<(2*in.bits&63) - 1, in.end, in.seed})
		}
		if n == 0 {
			in.refuse(first)
			its = its[1:]
			continue
		}
		t := &in.senders[in.from(first)]
		t.came += uint64(n)
		t.sum += sum
		its = its[n:]
	}
}

// refuse notes an item that did not come whole, or is not expected.
func (in *inbox) refuse(id uint64) {
	in.damaged++
	if in.to(id) != in.self {
		in.tally.Misplaced++
	}
}

// Faults is what went wrong, in items.
type Faults struct {
	Lost    uint64 `json:"lost"`    // did not come, or not whole
	Twice   uint64 `json:"twice"`   // came once too often
	Damaged uint64 `json:"damaged"` // came with other bytes than they were sent with, or to the wrong rank
}

// faults compares what came with what should have.
func (in *inbox) faults() Faults {
	f := Faults{Damaged: in.damaged}
	for from, t := range in.senders {
		want := in.want(uint32(from))
		switch {
		case from == int(in.self): // which sends itself nothing
			f.Damaged += t.came
		case t.came < want.came:
			f.Lost += want.came - t.came
		case t.came > want.came:
			f.Twice += t.came - want.came
		case t.sum != want.sum:
			f.Lost++
			f.Twice++
		}
	}
	return f
}

// want is the tally of a sender all of whose items came once.
func (in *inbox) want(from uint32) (t tally) {
	if from == in.self {
		return t
	}
	for round := range in.rounds {
		t.sum += mark(in.id(from, in.self, round))
	}
	t.came = in.rounds
	return t
}

// errors counts the items that something is wrong with: one that came damaged did not come whole, and is one of the
// lost, unless it came whole too.
func (f Faults) errors() uint64 { return f.Twice + max(f.Lost, f.Damaged) }

func (f Faults) text() string {
	return fmt.Sprintf("%d lost, %d twice, %d damaged", f.Lost, f.Twice, f.Damaged)
}

func (f Faults) add(g Faults) Faults {
	return Faults{f.Lost + g.Lost, f.Twice + g.Twice, f.Damaged + g.Damaged}
}
