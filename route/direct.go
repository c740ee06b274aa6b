package route

type direct int

// Direct sends every pebble straight to its owner.
//
// Guarantees: one hop; P-1 neighbours, so P-1 buffers a rank; up to P(P-1) frames for an all-to-all of one pebble each.
func Direct(ranks int) Topology {
	mustRanks("direct", ranks)
	return direct(ranks)
}

func (d direct) Name() string { return "direct" }
func (d direct) Ranks() int   { return int(d) }

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
