package route

import (
	"fmt"
)

// Plan is a topology as one rank sees it: its lanes, each of which leads to one neighbour, or to the rank itself. It
// belongs to the rank's goroutine.
type Plan struct {
	Lanes []int // the rank that each lane leads to
	Self  int   // the lane that leads to the rank itself
	at    int
	fill  func(at int, dests, lanes []uint32) // nil when a lane has the number of its rank

	topology Topology
	links    *Links // that the topology looks at; nil for most
	table    []uint32
	version  uint64 // of the marks that the table was made from
}

// noVersion is the version of marks that no table was made from.
const noVersion = 1<<64 - 1

// tableRanks is up to how many ranks a table of lanes is faster than working them out: it stays in the cache.
const tableRanks = 4096

// NewPlan makes the plan of rank at. The topology must be sound (see [Check]). It is written out in a table of 4 bytes
// for each rank of the job; only a [Router] of more than 4,096 ranks that is not [Watching] is asked for its hops as
// they are needed. When marks leave no way to some rank the plan is stale from the start, and Renew says why.
func NewPlan(t Topology, at int) *Plan {
	p := &Plan{at: at, topology: t, version: noVersion}
	if d, ok := t.(direct); ok {
		p.Self, p.Lanes = at, make([]int, d)
		for r := range p.Lanes {
			p.Lanes[r] = r
		}
		return p
	}
	neighbors := t.Neighbors(at)
	p.Lanes, p.Self = append(neighbors[:len(neighbors):len(neighbors)], at), len(neighbors)
	w, watching := t.(Watching)
	if r, ok := t.(Router); ok && !watching {
		p.fill = r.Slots
		if TableBytes(t) > 0 {
			p.ask(r)
		}
		return p
	}
	if watching {
		p.links = w.Links()
	}
	p.table, p.fill = make([]uint32, t.Ranks()), p.look
	if err := p.tabulate(); err != nil && p.links == nil {
		panic(err)
	}
	return p
}

// TableBytes is how much memory the table of a rank's plan takes; 0 where there is none.
func TableBytes(t Topology) int64 {
	if _, ok := t.(direct); ok {
		return 0
	}
	_, watching := t.(Watching)
	if _, ok := t.(Router); ok && !watching && t.Ranks() > tableRanks {
		return 0
	}
	return 4 * int64(t.Ranks())
}

// Identity reports whether lanes have the numbers of their ranks, so that Fill need not be called.
func (p *Plan) Identity() bool { return p.fill == nil }

// Fill writes into lanes[i] the lane for a pebble to rank dests[i]. Cost: some nanoseconds each; BenchmarkFill tells.
func (p *Plan) Fill(dests, lanes []uint32) {
	if p.fill == nil {
		copy(lanes, dests)
		return
	}
	p.fill(p.at, dests, lanes[:len(dests)])
}

// Fixed reports whether marks do not change the plan: whatever happens, pebbles for one rank form a tree that leads to
// it, along which none comes to a rank twice.
func (p *Plan) Fixed() bool {
	_, watching := p.topology.(Watching)
	return !watching
}

// Link reports whether the link of a lane is not marked. The lane to the rank itself never is.
func (p *Plan) Link(lane int) bool {
	return p.links == nil || lane == p.Self || !p.links.Down(p.at, p.Lanes[lane])
}

// Stale reports whether marks have changed since the plan was made or renewed, so that Renew has something to do. Cost:
// one atomic load.
func (p *Plan) Stale() bool { return p.links != nil && p.links.Version() != p.version }

// Renew routes around the marks that there are now. Lanes stay the same. Its error names the ranks that there is no way
// to, and the marks; pebbles for those would go over marked links, and the plan stays stale. Cost: the hops of all
// routes from this rank, and at most one search of all links.
func (p *Plan) Renew() error {
	if !p.Stale() {
		return nil
	}
	return p.tabulate()
}

// ask writes a router's answers down.
func (p *Plan) ask(r Router) {
	dests := make([]uint32, r.Ranks())
	for i := range dests {
		dests[i] = uint32(i)
	}
	p.table = make([]uint32, len(dests))
	r.Slots(p.at, dests, p.table)
	p.fill = p.look
}

func (p *Plan) look(_ int, dests, lanes []uint32) {
	for i, dest := range dests {
		lanes[i] = p.table[dest]
	}
}

func (p *Plan) tabulate() error {
	next, version, err := p.hops()
	lane := make(map[int]uint32, len(p.Lanes))
	for i, rank := range p.Lanes {
		lane[rank] = uint32(i)
	}
	for dest, hop := range next {
		i, ok := lane[hop]
		if !ok && err == nil {
			err = fmt.Errorf("route: topology %q: the next hop from rank %d to rank %d is %d, which is no neighbour of rank %d",
				p.topology.Name(), p.at, dest, hop, p.at)
		}
		p.table[dest] = i
	}
	if p.version = version; err != nil {
		p.version = noVersion
	}
	return err
}

// hops are the next hops to all ranks, that to the rank itself being the rank, and the version of the marks before.
func (p *Plan) hops() (next []int, version uint64, err error) {
	if d, ok := p.topology.(dynamic); ok {
		next, version, err = d.hops(p.at)
	} else {
		if p.links != nil {
			version = p.links.Version()
		}
		next = make([]int, p.topology.Ranks())
		for dest := range next {
			if dest != p.at {
				next[dest] = p.topology.Next(p.at, dest)
			}
		}
	}
	next[p.at] = p.at
	return next, version, err
}
