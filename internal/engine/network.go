package engine

import (
	"fmt"
	"reflect"

	"github.com/activepebbles/pebbles/coalesce"
	"github.com/activepebbles/pebbles/internal/collective"
	"github.com/activepebbles/pebbles/internal/layout"
	"github.com/activepebbles/pebbles/internal/watch/board"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/termination"
)

// purpose is the purpose of a collective's message. Ranks that are in different collectives at the same time have not
// made the same calls in the same order; the purposes of their messages reveal it.
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
	finishing
	allGather
	scan
	posting
	sharing
	splitting
	parting
	purposes
)

var purposeNames = [purposes]string{
	quiescence:   "the end of an epoch",
	registration: "the comparison of targets",
	barrier:      "a barrier",
	allReduce:    "an all-reduction",
	broadcast:    "a broadcast",
	gather:       "a gathering",
	marking:      "a mark of a link",
	windows:      "the end of a window of tuning",
	settings:     "the choice of settings",
	finishing:    "the end of the rank's function",
	allGather:    "an all-gathering",
	scan:         "a scan",
	posting:      "a message between locks",
	sharing:      "a barrier of shared pages",
	splitting:    "a split into teams",
	parting:      "the end of a team",
}

// begun describes the start of a collective for this purpose.
func (p purpose) begun() string { return beginnings[p] }

var beginnings = func() (all [purposes]string) {
	for p, name := range purposeNames {
		all[p] = name + " was begun"
	}
	return all
}()

// stands describes the position of a rank in a collective for this purpose.
func (p purpose) stands() string {
	switch {
	case p == finishing:
		return "has returned from its function"
	case p >= purposes:
		return fmt.Sprintf("is at a collective of unknown purpose %d", p)
	}
	return "is at " + purposeNames[p]
}

// network carries the messages of one rank's collectives for one purpose. A rank has one for each, so that using one as
// an interface costs no allocation.
type network struct {
	caller    *caller
	sender    *coalesce.Sender
	publisher *publisher
	loop      *loop
	common    *common
	purpose
	variant uint32 // hash of the details, besides the purpose, that ranks must agree on
	of      Values
}

// Values describes the values of a collective; it must be equal on all ranks. The zero value is for bytes, or for no
// values.
type Values struct {
	Type  reflect.Type
	Slice bool   // each is a slice of the type
	Codec string // description of the codec that carries them; "" for plain data
}

func (v Values) String() string {
	switch {
	case v.Type == nil:
		return "bytes"
	case v.Slice:
		return Values{Type: reflect.SliceOf(v.Type), Codec: v.Codec}.String()
	case v.Codec != "":
		return v.Type.String() + " through a codec"
	}
	return v.Type.String()
}

// typed makes a network one for the given values.
func (n *network) typed(of Values) *network {
	if n.of != of {
		n.of, n.variant = of, 0
		if of.Type != nil {
			n.variant = variant(fmt.Sprint(layout.Describe(of.Type), of.Slice, of.Codec), 0)
		}
	}
	return n
}

// mark returns the mark of a message, which identifies its purpose.
func (n *network) mark() uint32 { return uint32(n.purpose) | n.variant<<purposeBits }

const purposeBits = 8

var (
	_ collective.Network  = (*network)(nil)
	_ termination.Network = (*network)(nil)
)

// Open returns the sequence number of the next collective.
func (n *network) Open() uint64 {
	n.common.sequence++
	return uint64(n.common.sequence)
}

// fits ends the job if a value is too large for a message.
func (n *network) fits(value []byte) {
	if len(value) > netio.FrameBytesMax {
		n.caller.Fail(fmt.Errorf("pebble: rank %d: %s has %d bytes in one message, which holds %d at most: give less at once",
			n.caller.id, purposeNames[n.purpose], len(value), netio.FrameBytesMax))
	}
}

func (n *network) Send(to int, seq uint64, tag uint32, value []byte) {
	n.fits(value)
	if n.purpose == quiescence {
		n.sender.Count.DetectionSent++
	}
	sendControl(n.sender, to, value, netio.Header{Seq: seq, Tag: tag, Check: n.mark()})
}

// sendControl sends a message. Its header identifies its purpose.
func sendControl(s *coalesce.Sender, to int, value []byte, h netio.Header) {
	f := s.Pool.Get(len(value))
	copy(f.Space(), value)
	f.Kind, f.From, f.To, f.Bytes = netio.Control, uint32(s.Rank), uint32(to), uint32(len(value))
	f.Seq, f.Tag, f.Check = h.Seq, h.Tag, h.Check
	s.Count.ControlSent++
	f.Charge(&s.Messages)
	s.Port.Send(f)
}

func (n *network) Take(from int, seq uint64, tag uint32) ([]byte, bool) {
	value, ok, stray := n.common.control.take(from, seq, tag, n.mark())
	if stray != nil {
		if p := purpose(stray.Check & (1<<purposeBits - 1)); p != n.purpose {
			n.caller.Fail(n.elsewhere(int(stray.From), p))
		}
		if n.purpose != quiescence {
			n.caller.Fail(n.otherType(int(stray.From)))
		}
		n.caller.Fail(fmt.Errorf("pebble: rank %d ends an epoch by %s, rank %d by %s: all ranks must declare the same "+
			"depth, and end an epoch by the same detector", n.caller.id, ending(n.variant), stray.From,
			ending(stray.Check>>purposeBits)))
	}
	return value, ok
}

// elsewhere returns the error of ranks that have not made the same calls.
func (n *network) elsewhere(from int, at purpose) error {
	return fmt.Errorf("pebble: rank %d %s while rank %d %s: "+
		"all ranks must register and free the same targets, and call epochs and collectives in the same order",
		n.caller.id, n.stands(), from, at.stands())
}

// otherType returns the error of ranks in one collective with values of different types.
func (n *network) otherType(from int) error {
	return fmt.Errorf("pebble: %s gets values of %s from rank %d, and values of another type from rank %d: give the "+
		"same type on every rank", purposeNames[n.purpose], n.of, n.caller.id, from)
}

// run takes part in one collective and returns its result, which is valid until the next one. It handles nothing: data
// frames of the next epoch wait.
func (n *network) run(steps []collective.Step, value []byte, merge func(into, from []byte)) ([]byte, error) {
	return n.collect(steps, value, merge, nil)
}

// collect is run with merge for values that keep their length, or fold for others.
func (n *network) collect(steps []collective.Step, value []byte, merge func(into, from []byte),
	fold Fold) ([]byte, error) {
	c := n.caller
	if c.Job.config.Lone {
		steps = nil
	}
	call := n.begun()
	c.ownedAnew(call)
	if in := c.mode; in != outside {
		c.misplaced(in, call, "%s inside an epoch: collectives are for the main function between epochs", call)
	}
	machine := &n.common.machine
	run := func() error {
		c.Check()
		n.publisher.begins(board.Collective+board.Kind(n.purpose), "")
		n.publisher.board.Waits(board.ForOthers, "")
		if fold != nil {
			machine.StartFold(steps, n.Open(), value, fold)
		} else {
			machine.Start(steps, n.Open(), value, merge)
		}
		for idle := 0; !machine.Advance(n); idle++ {
			if n.loop.Progress() {
				idle = 0
				continue
			}
			n.loop.Rest(idle)
		}
		n.publisher.board.Waited()
		n.publisher.ends()
		c.endCall(call, outside)
		return nil
	}
	var err error
	if c.port != nil {
		err = c.port.during(call, func() error { c.beginCall(call); return c.guard(run) })
	} else {
		c.beginCall(call)
		err = c.guard(run)
	}
	return machine.Value, err
}
