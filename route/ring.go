package route

type ring int

// Ring connects each rank to the one before and the one after it. Pebbles go the shorter way around; if both are
// equally long, those of even ranks go up and those of odd ranks go down.
//
// Guarantees: at most ⌊P/2⌋ hops; at most 2 neighbours; P(P-1) frames for an all-to-all of one pebble each if ranks run
// in step. Routes go along cycles of links, so it has no stages.
func Ring(ranks int) Topology {
	mustRanks("ring", ranks)
	return ring(ranks)
}

var (
	_ Router  = ring(0)
	_ Bounded = ring(0)
)

func (r ring) Name() string { return "ring" }
func (r ring) Ranks() int   { return int(r) }
func (r ring) Hops() int    { return max(1, int(r)/2) }

func (r ring) Next(at, dest int) int {
	size := uint32(r)
	return int(step(uint32(at), size, up(uint32(at), uint32(dest), size)))
}

// Neighbors returns the rank above, and the rank below if that is another one.
func (r ring) Neighbors(at int) []int {
	above, below := step(uint32(at), uint32(r), true), step(uint32(at), uint32(r), false)
	return []int{int(above), int(below)}[:min(2, r-1)]
}

func (r ring) Slots(at int, dests, slots []uint32) {
	own, size := uint32(at), uint32(r)
	self := min(2, size-1)
	slots = slots[:len(dests)]
	for i, dest := range dests {
		if dest == own {
			slots[i] = self
		} else {
			slots[i] = below(own, dest, size)
		}
	}
}
