package route

// survey follows all routes of a topology. For each destination it walks from every rank until it meets a rank that it
// has walked from before: it passes each rank once. It collects the next hops to a block of destinations at a time, so
// that it calls Neighbors a few times per rank only, and its memory is bounded.
type survey struct {
	*rules
	shape Shape
	hops  int  // of all routes
	fault pair // first pair in order with a bad route

	block int    // destinations in a block
	links []link // of a block, by rank and by destination
	dests []uint32
	slots []uint32

	lister []int32 // by rank: 1 + the last rank that has listed it as a neighbour
	slot   []int32 // its index there
	stage  []int32 // stage of the link

	far  []int32 // by rank: its hops to the destination
	path []int32
}

type pair struct{ at, dest int }

var nobody = pair{-1, -1}

// link is the next hop of a rank to a destination, and the stage of its link.
type link struct{ next, stage int32 }

// States of a rank instead of hops, or of a link instead of the next hop.
const (
	unknown = -1 - iota
	passing
	atFault
)

func newSurvey(r *rules) *survey {
	const linksMax = 1 << 21
	ranks := r.t.Ranks()
	block := min(ranks, max(1, linksMax/ranks))
	return &survey{
		rules: r, shape: Shape{Ranks: ranks, Stages: r.stages}, fault: nobody,
		block: block, links: make([]link, block*ranks), slots: make([]uint32, block),
		lister: make([]int32, ranks), slot: make([]int32, ranks), stage: make([]int32, ranks),
		far: make([]int32, ranks),
	}
}

func (s *survey) run() error {
	for first := 0; first < s.shape.Ranks; first += s.block {
		s.dests = s.dests[:0]
		for dest := first; dest < min(first+s.block, s.shape.Ranks); dest++ {
			s.dests = append(s.dests, uint32(dest))
		}
		clear(s.lister)
		for at := range s.shape.Ranks {
			if err := s.ask(at); err != nil {
				return err
			}
		}
		for i := range s.dests {
			s.walk(i)
		}
	}
	if n := s.shape.Ranks; n > 1 {
		s.shape.MeanHops = float64(s.hops) / float64(n*(n-1))
	}
	return nil
}

// ask collects a rank's links to a block of destinations.
func (s *survey) ask(at int) error {
	neighbors := s.t.Neighbors(at)
	for i, n := range neighbors {
		if err := s.neighbor(at, n, n >= 0 && n < s.shape.Ranks && s.lister[n] == int32(at)+1); err != nil {
			return err
		}
		s.lister[n], s.slot[n] = int32(at)+1, int32(i)
		if s.staged != nil {
			s.stage[n] = int32(s.staged.Stage(at, n))
		}
	}
	if s.dests[0] == 0 {
		s.shape.Links += len(neighbors)
		s.shape.NeighborsMax = max(s.shape.NeighborsMax, len(neighbors))
	}
	slots := s.slots[:len(s.dests)]
	if s.router != nil {
		for i := range slots {
			slots[i] = noSlot
		}
		s.router.Slots(at, s.dests, slots)
	}
	links := s.links[at*s.block:]
	for i, dest := range s.dests {
		if int(dest) != at {
			links[i] = s.linkTo(at, int(dest), slots[i])
		} else if s.router != nil && int(slots[i]) != len(neighbors) {
			s.blame(pair{at, at})
		}
	}
	return nil
}

func (s *survey) linkTo(at, dest int, slot uint32) link {
	next := s.t.Next(at, dest)
	if next < 0 || next >= s.shape.Ranks || s.lister[next] != int32(at)+1 || s.router != nil &&
		s.slot[next] != int32(slot) {
		return link{next: atFault}
	}
	if stage := s.stage[next]; s.staged != nil && (stage < 0 || int(stage) >= s.stages) {
		return link{next: atFault}
	}
	return link{int32(next), s.stage[next]}
}

// walk follows all routes to a destination.
func (s *survey) walk(dest int) {
	for r := range s.far {
		s.far[r] = unknown
	}
	s.far[s.dests[dest]] = 0
	for at := range s.far {
		here := int32(at)
		for s.path = s.path[:0]; here >= 0 && s.far[here] == unknown; here = s.link(here, dest).next {
			s.far[here] = passing
			s.path = append(s.path, here)
		}
		s.wayBack(here, dest)
		if s.far[at] == atFault {
			s.blame(pair{at, int(s.dests[dest])})
			continue
		}
		s.shape.Diameter = max(s.shape.Diameter, int(s.far[at]))
		s.hops += int(s.far[at])
	}
}

func (s *survey) link(at int32, dest int) link { return s.links[int(at)*s.block+dest] }

// wayBack sets the hops of the ranks of the path, from its end back. If the end is still marked passing, the path is a
// loop.
func (s *survey) wayBack(end int32, dest int) {
	for i := len(s.path) - 1; i >= 0; i-- {
		here := s.path[i]
		s.far[here] = s.beyond(here, end, dest)
		end = here
	}
}

// beyond returns the hops of a rank whose next hop is known.
func (s *survey) beyond(here, next int32, dest int) int32 {
	switch {
	case next < 0 || s.far[next] < 0:
		return atFault
	case int(s.far[next]) >= s.most:
		return atFault
	case s.staged != nil && s.far[next] > 0 && s.link(here, dest).stage >= s.link(next, dest).stage:
		return atFault
	}
	return s.far[next] + 1
}

// blame keeps the first pair in order with a bad route.
func (s *survey) blame(p pair) {
	if f := s.fault; f == nobody || p.at < f.at || p.at == f.at && p.dest < f.dest {
		s.fault = p
	}
}
