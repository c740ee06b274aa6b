package sim

import "slices"

// gate serializes the frames of one sender or one receiver in the order of their arrival. enter is called in the order
// of sending, so a frame may arrive earlier than a frame that entered before it. It then uses a gap that is long
// enough, if one exists.
type gate struct {
	free instant // no frame passes from this time on
	gaps []gap   // earlier gaps, the oldest first
}

// gap is a span without frames.
type gap struct{ from, to instant }

// gapsMost is the number of remembered gaps. Frames are late by some frames, not by thousands.
const gapsMost = 32

// enter lets through a frame that arrives at a moment and occupies the gate for a span. It returns the time of entry.
func (g *gate) enter(at, takes instant) instant {
	for i, gap := range g.gaps {
		if start := max(at, gap.from); start+takes <= gap.to {
			g.fill(i, start, start+takes)
			return start
		}
	}
	start := max(at, g.free)
	if start > g.free {
		g.add(len(g.gaps), gap{g.free, start})
	}
	g.free = start + takes
	return start
}

// fill removes a span from a gap.
func (g *gate) fill(i int, from, to instant) {
	old := g.gaps[i]
	g.gaps = slices.Delete(g.gaps, i, i+1)
	if to < old.to {
		g.add(i, gap{to, old.to})
	}
	if old.from < from {
		g.add(i, gap{old.from, from})
	}
}

// add remembers a gap, and drops the oldest when the list is full.
func (g *gate) add(i int, one gap) {
	g.gaps = slices.Insert(g.gaps, i, one)
	if len(g.gaps) > gapsMost {
		g.gaps = slices.Delete(g.gaps, 0, 1)
	}
}
