package alltoall

import (
	"fmt"

	"github.com/activepebbles/pebbles/apps"
)

// inbox is a rank's account of the items that it received.
type inbox struct {
	numbers
	self    uint32
	rounds  uint64
	end     uint64 // above the numbers of all rounds
	senders []tally
	tally   apps.Tally // of all received items
	damaged uint64     // number of items that differ from every item sent to this rank
}

// tally is a rank's account of one sender, of constant size for any number of rounds.
type tally struct {
	came uint64 // number of whole items received
	sum  uint64 // sum of the marks of the whole items received
}

func newInbox(n numbers, self, ranks int, rounds uint64) *inbox {
	return &inbox{numbers: n, self: uint32(self), rounds: rounds, end: n.id(0, 0, rounds), senders: make([]tally, ranks)}
}

// expects reports whether the number of an item is that of some rank to this one. The run checks its round.
func (in *inbox) expects(id uint64) bool {
	return in.to(id) == in.self && int(in.from(id)) < len(in.senders)
}

// run is the common part of the numbers of the items from one rank to another.
type run struct {
	first uint64 // number of its first item
	ends  uint64 // bits of a number for the sender and the receiver of the item
	end   uint64 // above the numbers of all rounds
	seed  uint64
}

// has reports whether an item belongs to the run.
func (r *run) has(id uint64) bool { return (id^r.first)&r.ends == 0 && id < r.end }

// receive is the handler. It checks consecutive items of one sender together.
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

// refuse counts an item that is damaged or not expected.
func (in *inbox) refuse(id uint64) {
	in.damaged++
	if in.to(id) != in.self {
		in.tally.Misplaced++
	}
}

// Faults are the numbers of items with errors.
type Faults struct {
	Lost    uint64 `json:"lost"`    // not received, or damaged
	Twice   uint64 `json:"twice"`   // surplus copies
	Damaged uint64 `json:"damaged"` // received with wrong bytes, or at the wrong rank
}

// faults compares the received items with the expected ones.
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

// want returns the tally of a sender whose items were all received once.
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

// errors returns the number of items with errors. A damaged item is also lost, unless it was also received whole.
func (f Faults) errors() uint64 { return f.Twice + max(f.Lost, f.Damaged) }

func (f Faults) text() string {
	return fmt.Sprintf("%d lost, %d twice, %d damaged", f.Lost, f.Twice, f.Damaged)
}

func (f Faults) add(g Faults) Faults {
	return Faults{f.Lost + g.Lost, f.Twice + g.Twice, f.Damaged + g.Damaged}
}
