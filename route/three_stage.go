package route

type threeStage struct{ *placement }

// ThreeStage goes core, node, core. Each process has one core, its door, for each other process, and all pebbles
// between two processes pass the doors of both: core c of process p sends to p's door for p', which sends to the door
// of p' for p, which sends to core c'. So two processes communicate over one pair of cores, and a rank has few
// neighbours in other processes, at the price of a hop (the intranode step of TRAM, section V.C, at both ends). Doors
// rotate: core p' mod c of a process of c cores is its door for process p'.
//
// The constructor alone assumes one process, as [Direct] does; Place sets the processes.
//
// Guarantees, for n processes of c cores: at most 3 hops; at most c-1 neighbours in the process and ⌈n/c⌉ in others;
// 2P(c-1) + n(n-1) frames for an all-to-all of one pebble each. It has no stages, and can't: a link within a process
// carries pebbles on their way out and on their way in, so with three processes links wait for each other in a cycle.
func ThreeStage(ranks int) Topology {
	return threeStage{together("three-stage", ranks)}
}

var (
	_ Router  = threeStage{}
	_ Bounded = threeStage{}
	_ Placed  = threeStage{}
)

func (t threeStage) Name() string { return "three-stage" }
func (t threeStage) Ranks() int   { return t.ranks() }

func (t threeStage) Place(first []int) Topology {
	return threeStage{newPlacement(t.Name(), t.ranks(), first)}
}

// Hops: each end adds a hop if a core that is no door can be the source, or the destination.
func (t threeStage) Hops() int {
	if t.nodes() == 1 {
		return 1
	}
	return 1 + min(2, t.several)
}

// door returns the core of a process for another process.
func (t threeStage) door(of, to uint32) uint32 { return to % t.size(of) }

// Neighbors returns the other cores of the process, and then the doors of the processes that the rank is the door for.
func (t threeStage) Neighbors(at int) []int {
	p, c := t.at(uint32(at))
	all := t.inside(p, c, t.doors(p, c))
	for q := c; q < t.nodes(); q += t.size(p) {
		if q != p {
			all = append(all, t.rank(q, t.door(q, p)))
		}
	}
	return all
}

// doors returns the number of other processes for which a core is the door.
func (t threeStage) doors(of, core uint32) uint32 {
	if core >= t.nodes() {
		return 0
	}
	n := (t.nodes()-1-core)/t.size(of) + 1
	if t.door(of, of) == core {
		n--
	}
	return n
}

func (t threeStage) Next(at, dest int) int {
	p, c := t.at(uint32(at))
	q, _ := t.at(uint32(dest))
	if p == q {
		return dest
	}
	if door := t.door(p, q); door != c {
		return t.rank(p, door)
	}
	return t.rank(q, t.door(q, p))
}

func (t threeStage) Slots(at int, dests, slots []uint32) {
	p, c := t.at(uint32(at))
	size := t.size(p)
	self, bySize := size-1+t.doors(p, c), newDivisor(size)
	slots = slots[:len(dests)]
	for i, dest := range dests {
		q, via := t.at(dest)
		turn := bySize.quotient(q)
		if p != q {
			via = q - turn*size
		}
		switch {
		case via != c:
			slots[i] = skip(via, c)
		case p == q:
			slots[i] = self
		case q > p && t.door(p, p) == c:
			slots[i] = size - 1 + turn - 1
		default:
			slots[i] = size - 1 + turn
		}
	}
}
