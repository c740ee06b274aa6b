package route

import "fmt"

// columns is a topology of two levels: direct within a node, which is a process or a host, and along an inner topology
// between nodes. A core is the number of a rank within its node. The ranks of all nodes with the same core form a
// column, and the inner topology connects them. The smallest node sets the number of columns.
//
// A pebble for core e of another node first goes to column e within its node, where it meets the pebbles of all ranks
// of the node, and then along the column. If the smallest node has no core e, the pebble takes the column of the
// remainder, and goes to core e within the last node. Columns have low cores, and such a last hop leads to a high one.
// So links to low cores come first, then links between nodes, in the order of the inner topology, and links to high
// cores last.
type columns struct {
	*placement
	inner   upper
	byLeast divisor
}

// upper is the topology between nodes. Its Slots may get the same slice twice: each implementation here reads dests[i]
// before it writes slots[i].
type upper interface {
	Router
	Staged
	Bounded
}

func newColumns(p *placement, inner upper) *columns { return &columns{p, inner, newDivisor(p.least)} }

// upperOf makes the topology between nodes, or panics with the reason.
func upperOf(inner Constructor, nodes int) upper {
	if inner == nil {
		panic("route: hosts: the topology between them is nil: give a constructor, such as route.Hypercube")
	}
	switch made := inner(nodes).(type) {
	case direct, hypercube, tree, *mesh:
		return made.(upper)
	default:
		panic(fmt.Sprintf("route: hosts: the topology between them is a %T: give route.Direct, route.Hypercube, "+
			"route.Tree, or one by route.MeshOf", made))
	}
}

func (t *columns) Ranks() int { return t.ranks() }

// column returns the core whose column leads to a core.
func (t *columns) column(core uint32) uint32 { return core - t.byLeast.quotient(core)*t.least }

// Hops returns the length of the longest route if all nodes have the same size. Otherwise the result may be one or two
// hops more, since not every pair of nodes has the ranks for it.
func (t *columns) Hops() int {
	if t.nodes() == 1 {
		return 1
	}
	return min(1, t.several) + t.inner.Hops() + t.uneven()
}

// uneven returns 1 if some node has a core that another one lacks, and otherwise 0.
func (t *columns) uneven() int {
	if t.even {
		return 0
	}
	return 1
}

func (t *columns) Stages() int { return 1 + t.inner.Stages() + t.uneven() }

func (t *columns) Stage(from, to int) int {
	p, _ := t.at(uint32(from))
	q, e := t.at(uint32(to))
	switch {
	case p != q:
		return 1 + t.inner.Stage(int(p), int(q))
	case e < t.least:
		return 0
	}
	return 1 + t.inner.Stages()
}

// Neighbors returns the other cores of the node, and then those of the column in other nodes.
func (t *columns) Neighbors(at int) []int {
	p, c := t.at(uint32(at))
	if c >= t.least {
		return t.inside(p, c, 0)
	}
	nodes := t.inner.Neighbors(int(p))
	all := t.inside(p, c, uint32(len(nodes)))
	for _, q := range nodes {
		all = append(all, t.rank(uint32(q), c))
	}
	return all
}

func (t *columns) Next(at, dest int) int {
	p, c := t.at(uint32(at))
	q, e := t.at(uint32(dest))
	if p == q {
		return dest
	}
	if via := t.column(e); via != c {
		return t.rank(p, via)
	}
	return t.rank(uint32(t.inner.Next(int(p), int(q))), c)
}

// Slots first computes the slots of nodes; the slot of this node is the number of its neighbours.
func (t *columns) Slots(at int, dests, slots []uint32) {
	p, c := t.at(uint32(at))
	others := t.size(p) - 1
	slots = slots[:len(dests)]
	for i, dest := range dests {
		slots[i], _ = t.at(dest)
	}
	t.inner.Slots(int(p), slots, slots)
	for i, dest := range dests {
		q, via := t.at(dest)
		if p != q {
			via = t.column(via)
		}
		switch {
		case via != c:
			slots[i] = skip(via, c)
		case c < t.least:
			slots[i] += others
		default: // the rank itself, which has no neighbours in other nodes
			slots[i] = others
		}
	}
}
