package route

type direct int

// Direct sends every pebble straight to its owner.
//
// Guarantees: one hop; P-1 neighbours, so P-1 buffers per rank; P(P-1) frames for an all-to-all of one pebble each; one
// stage.
func Direct(ranks int) Topology {
	mustRanks("direct", ranks)
	return direct(ranks)
}

var (
	_ Router  = direct(0)
	_ Staged  = direct(0)
	_ Bounded = direct(0)
)

func (d direct) Name() string       { return "direct" }
func (d direct) Ranks() int         { return int(d) }
func (d direct) Hops() int          { return 1 }
func (d direct) Stages() int        { return 1 }
func (d direct) Stage(_, _ int) int { return 0 }

func (d direct) Neighbors(at int) []int {
	all := make([]int, 0, int(d)-1)
	for r := range int(d) {
		if r != at {
			all = append(all, r)
		}
	}
	return all
}

func (d direct) Next(_, dest int) int { return dest }

func (d direct) Slots(at int, dests, slots []uint32) {
	own, self := uint32(at), uint32(d)-1
	slots = slots[:len(dests)]
	for i, dest := range dests {
		if dest == own {
			slots[i] = self
		} else {
			slots[i] = skip(dest, own)
		}
	}
}

// skip returns the index of n in a list that counts up from 0 and leaves out one number.
func skip(n, without uint32) uint32 {
	if n > without {
		return n - 1
	}
	return n
}
