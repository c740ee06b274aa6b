package main

import (
	"encoding/binary"

	"github.com/activepebbles/pebbles/termination"
)

// central is a detector: all ranks send rank 0 their counts when they are idle. Rank 0 sends all the verdict: whether
// the sums equal those of the round before, and the number of processed frames equals that of created ones. The
// argument is that of termination.SKR; the cost is P-1 messages per round for rank 0, and one for each other rank.
type central struct {
	site   termination.Site
	told   bool
	seq    uint64
	next   int // rank that rank 0 waits for
	sums   [2]uint64
	last   [2]uint64
	seen   bool // last is of this epoch
	rounds uint64
}

func newCentral(s termination.Site) (termination.Detector, error) { return &central{site: s}, nil }

func (c *central) Name() string   { return "central" }
func (c *central) Rounds() uint64 { return c.rounds }
func (c *central) Begin()         { c.seen = false }

func (c *central) Step(n termination.Network, s termination.State) (ended bool) {
	if !c.told {
		if !s.Idle {
			return false
		}
		c.tell(n, s.Counts)
	}
	verdict, heard := c.hear(n)
	if heard {
		c.told = false
		c.rounds++
	}
	return heard && verdict
}

func (c *central) tell(n termination.Network, own termination.Counts) {
	c.seq, c.told, c.next = n.Open(), true, 1
	c.sums = [2]uint64{own.Created, own.Processed}
	if c.site.Rank != 0 {
		value := binary.LittleEndian.AppendUint64(nil, own.Created)
		n.Send(0, c.seq, 0, binary.LittleEndian.AppendUint64(value, own.Processed))
	}
}

func (c *central) hear(n termination.Network) (verdict, heard bool) {
	if c.site.Rank != 0 {
		answer, ok := n.Take(0, c.seq, 1)
		return ok && answer[0] == 1, ok
	}
	for ; c.next < c.site.Ranks; c.next++ {
		value, ok := n.Take(c.next, c.seq, 0)
		if !ok {
			return false, false
		}
		c.sums[0] += binary.LittleEndian.Uint64(value)
		c.sums[1] += binary.LittleEndian.Uint64(value[8:])
	}
	return c.judge(n), true
}

// judge sends all ranks the verdict.
func (c *central) judge(n termination.Network) (verdict bool) {
	verdict = c.seen && c.sums == c.last && c.sums[0] == c.sums[1]
	c.last, c.seen = c.sums, true
	answer := []byte{0}
	if verdict {
		answer[0] = 1
	}
	for to := 1; to < c.site.Ranks; to++ {
		n.Send(to, c.seq, 1, answer)
	}
	return verdict
}
