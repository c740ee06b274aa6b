package route

// Plan is a topology as one rank sees it: its lanes, each of which leads to one neighbour, or to the rank itself.
type Plan struct {
	Lanes []int // the rank that each lane leads to
	Self  int   // the lane that leads to the rank itself
	at    int
	fill  func(at int, dests, lanes []uint32) // nil when a lane has the number of its rank
}

// NewPlan makes the plan of rank at. The topology must be sound (see [Check]). A [Router] is asked for its hops as they
// are needed; any other topology is written out in a table of 4 bytes for each rank of the job.
func NewPlan(t Topology, at int) *Plan {
	if d, ok := t.(direct); ok {
		p := &Plan{Lanes: make([]int, d), Self: at, at: at}
		for r := range p.Lanes {
			p.Lanes[r] = r
		}
		return p
	}
	neighbors := t.Neighbors(at)
	p := &Plan{Lanes: append(neighbors[:len(neighbors):len(neighbors)], at), Self: len(neighbors), at: at}
	if r, ok := t.(Router); ok {
		p.fill = r.Slots
	} else {
		p.fill = tabulate(t, at, neighbors)
	}
	return p
}

// Identity tells that lanes have the numbers of their ranks, so that Fill need not be called.
func (p *Plan) Identity() bool { return p.fill == nil }

// Fill writes into lanes[i] the lane for a pebble to rank dests[i]. Cost: 1 to 3 ns each.
func (p *Plan) Fill(dests, lanes []uint32) {
	if p.fill == nil {
		copy(lanes, dests)
		return
	}
	p.fill(p.at, dests, lanes[:len(dests)])
}

func tabulate(t Topology, at int, neighbors []int) func(int, []uint32, []uint32) {
	index := map[int]uint32{}
	for i, n := range neighbors {
		index[n] = uint32(i)
	}
	lane := make([]uint32, t.Ranks())
	for dest := range lane {
		if dest == at {
			lane[dest] = uint32(len(neighbors))
		} else {
			lane[dest] = index[t.Next(at, dest)]
		}
	}
	return func(_ int, dests, lanes []uint32) {
		for i, dest := range dests {
			lanes[i] = lane[dest]
		}
	}
}
