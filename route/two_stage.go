package route

type twoStage struct {
	*placement
	classes int      // number of different sizes of processes
	class   []uint32 // by process: number of smaller sizes
}

// TwoStage goes from core to core within a process and then between processes: core c of process p sends to core c' of
// p, which has the number of the destination's core, and that one to core c' of process p'. So a network whose switches
// the ranks don't see, such as a Clos network, gets frames that combine pebbles of all cores of a process (TRAM,
// section V.C). Processes may have any numbers of cores: if p has no core c', the pebble goes to core c of p' first,
// which is larger than p, and then to core c' within it.
//
// The constructor alone assumes one process, as [Direct] does; Place sets the processes.
//
// Guarantees, for n processes of c cores: at most 2 hops; at most c-1 neighbours in the process and n-1 in others; P
// times (c-1 + n-1) frames for an all-to-all of one pebble each. It has two stages for each size of process, also if
// sizes differ: links within smaller processes come before links out of them, and those before links within larger
// ones. For a pebble from another process is sent on within a process only if that process is larger.
func TwoStage(ranks int) Topology {
	return newTwoStage(together("two-stage", ranks))
}

func newTwoStage(p *placement) *twoStage {
	t := &twoStage{placement: p, class: make([]uint32, p.processes())}
	for i := len(p.bySize) - 1; i >= 0; i-- {
		if i == len(p.bySize)-1 || p.size(p.bySize[i]) != p.size(p.bySize[i+1]) {
			t.classes++
		}
		t.class[p.bySize[i]] = uint32(t.classes - 1)
	}
	return t
}

var (
	_ Router  = (*twoStage)(nil)
	_ Staged  = (*twoStage)(nil)
	_ Bounded = (*twoStage)(nil)
	_ Placed  = (*twoStage)(nil)
)

func (t *twoStage) Name() string { return "two-stage" }
func (t *twoStage) Ranks() int   { return t.ranks() }

func (t *twoStage) Place(first []int) Topology {
	return newTwoStage(newPlacement(t.Name(), t.ranks(), first))
}

func (t *twoStage) Hops() int {
	if t.processes() > 1 && t.several() > 0 {
		return 2
	}
	return 1
}

func (t *twoStage) Stages() int { return 2 * t.classes }

func (t *twoStage) Stage(from, to int) int {
	p, _ := t.at(uint32(from))
	q, _ := t.at(uint32(to))
	if p == q {
		return 2 * int(t.class[p])
	}
	return 2*int(t.class[p]) + 1
}

// Neighbors returns the other cores of the process, and then those of the same number in other processes, the largest
// first.
func (t *twoStage) Neighbors(at int) []int {
	p, c := t.at(uint32(at))
	having := t.having(c)
	all := t.inside(p, c, having-1)
	for _, q := range t.bySize[:having] {
		if q != p {
			all = append(all, t.rank(q, c))
		}
	}
	return all
}

func (t *twoStage) Next(at, dest int) int {
	p, c := t.at(uint32(at))
	q, e := t.at(uint32(dest))
	switch {
	case p == q:
		return dest
	case e != c && e < t.size(p):
		return t.rank(p, e)
	}
	return t.rank(q, c)
}

func (t *twoStage) Slots(at int, dests, slots []uint32) {
	p, c := t.at(uint32(at))
	size, own := t.size(p), t.place[p]
	self := size - 1 + t.having(c) - 1
	slots = slots[:len(dests)]
	for i, dest := range dests {
		q, e := t.at(dest)
		switch {
		case e != c && (p == q || e < size):
			slots[i] = skip(e, c)
		case p != q:
			slots[i] = size - 1 + skip(t.place[q], own)
		default:
			slots[i] = self
		}
	}
}
