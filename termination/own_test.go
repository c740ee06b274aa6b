package termination_test

import (
	"encoding/binary"

	"github.com/activepebbles/pebbles/termination"
)

// centralCounter is a detector as a user would write one: every idle rank sends its counts to rank 0, and rank 0 tells
// all whether the sums are as in the round before, with equal numbers of processed and created frames. It costs rank 0
// P-1 messages a round, and others one.
type centralCounter struct {
	site   termination.Site
	told   bool
	seq    uint64
	next   int // the rank that rank 0 waits for
	sums   [2]uint64
	last   [2]uint64
	seen   bool
	rounds uint64
}

func central(s termination.Site) (termination.Detector, error) { return &centralCounter{site: s}, nil }

func (c *centralCounter) Name() string   { return "central" }
func (c *centralCounter) Rounds() uint64 { return c.rounds }
func (c *centralCounter) Begin()         { c.seen, c.told = false, false }

// Copy is only for enumeration.
func (c *centralCounter) Copy() termination.Detector { d := *c; return &d }

func (c *centralCounter) Step(n termination.Network, s termination.State) bool {
	if !c.told {
		if !s.Idle {
			return false
		}
		c.seq, c.told = n.Open(), true
		c.next, c.sums = 1, [2]uint64{s.Created, s.Processed}
		if c.site.Rank != 0 {
			value := binary.LittleEndian.AppendUint64(nil, s.Created)
			n.Send(0, c.seq, 0, binary.LittleEndian.AppendUint64(value, s.Processed))
		}
	}
	verdict, ok := c.hear(n)
	if !ok {
		return false
	}
	c.told = false
	c.rounds++
	return verdict
}

// hear waits for the verdict of rank 0, which gives it when it has the counts of all others.
func (c *centralCounter) hear(n termination.Network) (verdict, ok bool) {
	if c.site.Rank != 0 {
		value, ok := n.Take(0, c.seq, 1)
		return ok && value[0] == 1, ok
	}
	for ; c.next < c.site.Ranks; c.next++ {
		value, ok := n.Take(c.next, c.seq, 0)
		if !ok {
			return false, false
		}
		c.sums[0] += binary.LittleEndian.Uint64(value)
		c.sums[1] += binary.LittleEndian.Uint64(value[8:])
	}
	verdict = c.seen && c.sums == c.last && c.sums[0] == c.sums[1]
	c.last, c.seen = c.sums, true
	answer := []byte{0}
	if verdict {
		answer[0] = 1
	}
	for r := 1; r < c.site.Ranks; r++ {
		n.Send(r, c.seq, 1, answer)
	}
	return verdict, true
}
