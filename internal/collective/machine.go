package collective

import "slices"

// Network carries the messages of collectives for one rank.
type Network interface {
	// Send sends a copy of value to rank to.
	Send(to int, seq uint64, tag uint32, value []byte)
	// Take returns the value that rank from has sent with this sequence number and tag, if it has arrived. The value is
	// valid until the next call.
	Take(from int, seq uint64, tag uint32) (value []byte, ok bool)
}

// Machine runs the steps of one collective at a time on one rank. It keeps its memory between runs, so that a run of
// the size of an earlier one allocates nothing.
type Machine struct {
	// Value is this rank's value, then the result. The machine owns its memory.
	Value []byte

	steps []Step
	seq   uint64
	merge func(into, from []byte)
	fold  func(own, from []byte) []byte // if set, used instead of merge
	next  int
	below []byte // of a scan: the value of the ranks below this one
	spare []byte // memory for the next value
}

// Start prepares a run, and sends nothing: call Advance. seq is equal on all ranks and used once. Start copies value.
// merge folds a value into another one of the same length, its first argument.
func (m *Machine) Start(steps []Step, seq uint64, value []byte, merge func(into, from []byte)) {
	m.steps, m.seq, m.merge, m.fold, m.next = steps, seq, merge, nil, 0
	m.Value = append(m.Value[:0], value...)
}

// StartFold is Start for values whose merged length differs: fold returns the merged value, in the memory of own or in
// other memory that the machine then keeps.
func (m *Machine) StartFold(steps []Step, seq uint64, value []byte, fold func(own, from []byte) []byte) {
	m.Start(steps, seq, value, nil)
	m.fold = fold
}

// Advance runs all steps that need not wait, and reports whether the run is complete.
func (m *Machine) Advance(n Network) (done bool) {
	for ; m.next < len(m.steps); m.next++ {
		if !m.take(n, m.steps[m.next]) {
			return false
		}
	}
	return true
}

// take runs one step, and reports whether it need not wait.
func (m *Machine) take(n Network, s Step) bool {
	switch s.Action {
	case Send:
		n.Send(s.Peer, m.seq, s.Tag, m.Value)
	case CutTail:
		n.Send(s.Peer, m.seq, s.Tag, m.Value[s.At:])
		m.Value = m.Value[:s.At]
	case CutHead:
		n.Send(s.Peer, m.seq, s.Tag, m.Value[:s.At])
		m.Value = append(m.Value[:0], m.Value[s.At:]...)
	case Before:
		m.Value, m.below = m.below, m.Value
		if s.At == 0 {
			m.Value = m.Value[:0]
		}
	default:
		value, ok := n.Take(s.Peer, m.seq, s.Tag)
		if !ok {
			return false
		}
		m.receive(s, value)
	}
	return true
}

func (m *Machine) receive(s Step, value []byte) {
	switch s.Action {
	case Merge:
		m.Value = m.merged(m.Value, value)
	case Replace:
		m.Value = append(m.Value[:0], value...)
	case Append:
		m.Value = append(m.Value, value...)
	case Prepend:
		m.Value = slices.Insert(m.Value, 0, value...)
	case Above:
		higher := append(m.spare[:0], value...)
		m.Value, m.spare = m.merged(higher, m.Value), m.Value
	case Below:
		m.Value = m.merged(m.Value, value)
		if s.At == 0 {
			m.below = append(m.below[:0], value...)
		} else {
			m.below = m.merged(m.below, value)
		}
	}
}

// merged merges from into into, in the memory of into or, by fold, possibly in other memory.
func (m *Machine) merged(into, from []byte) []byte {
	switch {
	case m.fold != nil:
		return m.fold(into, from)
	case m.merge != nil:
		m.merge(into, from)
	}
	return into
}
