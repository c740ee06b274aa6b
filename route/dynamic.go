package route

import (
	"fmt"
	"slices"
	"strconv"
)

// Watching is a topology that routes around marks. Its neighbours do not change with the marks.
type Watching interface {
	Topology
	// Watch returns the topology that uses these marks.
	Watch(l *Links) Topology
	// Links returns the marks that the topology uses; nil before a call of Watch.
	Links() *Links
}

type dynamic struct {
	base  Topology
	links *Links
}

// Dynamic routes as another topology does, and around the links and ranks that are marked (Active Pebbles, section
// 3.4). It uses the links of that topology alone. A pebble takes the base's next hop if the base's whole route from
// here is free of marks, and otherwise the first hop of a shortest way over unmarked links and through unmarked ranks;
// so it passes no mark as long as such a way exists. If none exists, [Plan.Renew] reports it, and Next returns the
// base's hop.
//
// No route has a loop while ranks see equal marks. From a rank whose base route is free of marks, the rest of that
// route is free of them too: the pebble follows it to its destination. From any other rank with a way, the next is
// closer by the shortest way, by one. From a rank without a way, the base's route goes on to a rank that has one, which
// can't lead back to a rank that has none.
//
// Guarantees: the base's neighbours, and its hops and frames as long as nothing is marked; a table of 4 bytes per rank
// (see [Plan]). Routes change, so it promises no bound on hops and has no stages. If the base's route is marked, Next
// costs a search of all links. A plan costs one such search for all destinations.
func Dynamic(base Constructor) Constructor {
	return func(ranks int) Topology {
		if base == nil {
			panic(fmt.Sprintf("route: dynamic over %d ranks: its base is nil: give a constructor, such as route.Hypercube",
				ranks))
		}
		made := base(ranks)
		if made == nil {
			panic(fmt.Sprintf("route: dynamic over %d ranks: its base's constructor has made nothing", ranks))
		}
		if _, ok := made.(Watching); ok {
			panic(fmt.Sprintf("route: dynamic over %d ranks: its base, %s, routes around marks by itself", ranks, made.Name()))
		}
		return dynamic{base: made}
	}
}

var (
	_ Watching = dynamic{}
	_ Placed   = dynamic{}
	_ Hosted   = dynamic{}
)

func (d dynamic) Name() string            { return "dynamic:" + d.base.Name() }
func (d dynamic) Ranks() int              { return d.base.Ranks() }
func (d dynamic) Neighbors(at int) []int  { return d.base.Neighbors(at) }
func (d dynamic) Watch(l *Links) Topology { return dynamic{d.base, l} }
func (d dynamic) Links() *Links           { return d.links }

// Place places the base, if it is a [Placed].
func (d dynamic) Place(first []int) Topology {
	if p, ok := d.base.(Placed); ok {
		return dynamic{p.Place(first), d.links}
	}
	return d
}

// OnHosts places the base, if it is a [Hosted].
func (d dynamic) OnHosts(first []int) Topology {
	if h, ok := d.base.(Hosted); ok {
		return dynamic{h.OnHosts(first), d.links}
	}
	return d
}

func (d dynamic) marks() *marks {
	if d.links == nil {
		return noMarks
	}
	return d.links.marks()
}

func (d dynamic) Next(at, dest int) int {
	m := d.marks()
	if !d.free(m, at, dest) {
		if hop := d.around(m, at)[dest]; hop >= 0 {
			return hop
		}
	}
	return d.base.Next(at, dest)
}

// hops returns the next hops from a rank to all others, and the version of the marks that they depend on. The error
// names the ranks that have no way to them. Cost: the base's hops on all routes, and one search of all links.
func (d dynamic) hops(at int) (next []int, version uint64, err error) {
	m := d.marks()
	next = make([]int, d.Ranks())
	var around, lost []int
	for dest := range next {
		if dest == at {
			continue
		}
		next[dest] = d.base.Next(at, dest)
		if d.free(m, at, dest) {
			continue
		}
		if around == nil {
			around = d.around(m, at)
		}
		if hop := around[dest]; hop >= 0 {
			next[dest] = hop
		} else {
			lost = append(lost, dest)
		}
	}
	if lost != nil {
		err = fmt.Errorf("route: topology %q: rank %d has no way left to rank %s: marked are %v: unmark some of them",
			d.Name(), at, listed(lost, strconv.Itoa), m)
	}
	return next, m.version, err
}

// free reports whether the base's route passes no mark.
func (d dynamic) free(m *marks, at, dest int) bool {
	if m.none() {
		return true
	}
	for here, hops := at, 0; here != dest; hops++ {
		next := d.base.Next(here, dest)
		if m.down(here, next) || next != dest && m.closed(next) || hops >= d.Ranks() {
			return false
		}
		here = next
	}
	return true
}

// around returns, for each rank, the first hop of a shortest way from a rank past all marks: -1 if there is none. It
// searches breadth first, and stops when it has found all ranks.
func (d dynamic) around(m *marks, at int) []int {
	first := slices.Repeat([]int{-1}, d.Ranks())
	first[at] = at
	found := append(make([]int, 0, d.Ranks()), at)
	for i := 0; i < len(found) && len(found) < d.Ranks(); i++ {
		here := found[i]
		if here != at && m.closed(here) {
			continue
		}
		for _, n := range d.base.Neighbors(here) {
			if first[n] >= 0 || m.down(here, n) {
				continue
			}
			first[n] = first[here]
			if here == at {
				first[n] = n
			}
			found = append(found, n)
		}
	}
	return first
}
