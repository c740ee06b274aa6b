package alltoall

import "fmt"

// inbox is what a rank knows of the items that came to it.
type inbox struct {
	pattern pattern
	self    uint32
	rounds  uint64
	senders []tally
	handled uint64 // items that came, in whatever state
	astray  uint64 // those of them that are another rank's
	damaged uint64 // items that are not as any that was sent to this rank
}

// tally is what a rank knows of one sender, however many the rounds.
type tally struct {
	base uint64 // of its items
	came uint64
	sum  uint64 // of the marks of the items that came
}

func newInbox(p pattern, self, ranks int, rounds uint64) *inbox {
	in := &inbox{pattern: p, self: uint32(self), rounds: rounds, senders: make([]tally, ranks)}
	for from := range in.senders {
		in.senders[from].base = p.base(uint32(from), in.self)
	}
	return in
}

// expects reports whether an item of this sender and round can come here, where it says that it goes.
func (in *inbox) expects(to, from uint32, round uint64) bool {
	return to == in.self && from != in.self && uint64(from) < uint64(len(in.senders)) && round < in.rounds
}

// put notes an item that came whole. It must be expected.
func (in *inbox) put(from uint32, first uint64) {
	t := &in.senders[from]
	t.came++
	t.sum += mark(first)
}

// refuse notes an item that did not come whole, or is not expected.
func (in *inbox) refuse(to uint32) {
	in.damaged++
	if to != in.self {
		in.astray++
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
		t.sum += mark(in.pattern.first(from, in.self, round))
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
