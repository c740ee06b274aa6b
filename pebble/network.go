package pebble

import (
	"fmt"

	"github.com/activepebbles/pebbles/internal/collective"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/termination"
)

// purpose says what a message of a collective is for. Ranks that are in different collectives at the same time have not
// made the same calls in the same order; the purposes of their messages tell.
type purpose uint32

const (
	quiescence purpose = iota + 1
	registration
	barrier
	allReduce
	broadcast
	gather
	marking
	windows
	settings
	refactoring
	purposes
)

var purposeNames = map[purpose]string{
	quiescence:   "the end of an epoch",
	registration: "the comparison of new targets",
	barrier:      "a barrier",
	allReduce:    "an all-reduction",
	broadcast:    "a broadcast",
	gather:       "a gathering",
	marking:      "a mark of a link",
	windows:      "the end of a window of tuning",
	settings:     "the choice of settings",
	refactoring:  "an order to take another coalescing factor",
}

// network carries the messages of one rank's collectives, for one purpose. A rank has one for each, so that using one as an
// interface costs no allocation.
type network struct {
	rank *Rank
	purpose
	variant uint32 // of the purpose: what ranks must agree on beyond it, as a hash
}

// mark is what a message carries to tell what it is for.
func (n *network) mark() uint32 { return uint32(n.purpose) | n.variant<<purposeBits }

const purposeBits = 8

var (
	_ collective.Network  = (*network)(nil)
	_ termination.Network = (*network)(nil)
)

// Open gives out the sequence number of the next collective.
func (n *network) Open() uint64 {
	n.rank.sequence++
	return n.rank.sequence
}

func (n *network) Send(to int, seq uint64, tag uint32, value []byte) {
	r := n.rank
	f := r.pool.Get(len(value))
	copy(f.Space(), value)
	f.Kind, f.From, f.To, f.Bytes = netio.Control, uint32(r.id), uint32(to), uint32(len(value))
	f.Seq, f.Tag, f.Check = seq, tag, n.mark()
	r.counters.ControlSent++
	if n.purpose == quiescence {
		r.counters.DetectionSent++
	}
	f.Charge(&r.messages)
	r.port.Send(f)
}

func (n *network) Take(from int, seq uint64, tag uint32) ([]byte, bool) {
	value, ok, stray := n.rank.control.take(from, seq, tag, n.mark())
	if stray != nil {
		if p := purpose(stray.Check & (1<<purposeBits - 1)); p != n.purpose {
			n.rank.fail(n.elsewhere(int(stray.From), p))
		}
		n.rank.fail(fmt.Errorf("pebble: rank %d and rank %d end the same epoch in different ways: "+
			"all ranks must declare the same depth", n.rank.id, stray.From))
	}
	return value, ok
}

// elsewhere is the error for ranks that have not made the same calls.
func (n *network) elsewhere(from int, at purpose) error {
	return fmt.Errorf("pebble: rank %d is at %s while rank %d is at %s: "+
		"all ranks must register the same targets, and call epochs and collectives in the same order",
		n.rank.id, purposeNames[n.purpose], from, purposeNames[at])
}

// run takes part in one collective and returns its result, which is good until the next one. It handles nothing: data
// frames of the next epoch wait.
func (n *network) run(steps []collective.Step, value []byte, merge func(into, from []byte)) ([]byte, error) {
	r := n.rank
	if r.mode != outside {
		misuse("rank %d: %s was begun inside an epoch: collectives are for the main function between epochs", r.id, purposeNames[n.purpose])
	}
	err := r.guard(func() error {
		r.check()
		r.machine.Start(steps, n.Open(), value, merge)
		for idle := 0; !r.machine.Advance(n); idle++ {
			if r.progress() {
				idle = 0
				continue
			}
			r.rest(idle)
		}
		return nil
	})
	return r.machine.Value, err
}
