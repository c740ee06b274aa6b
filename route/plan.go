package route

import (
	"fmt"
)

// Plan is a topology as seen by one rank: its lanes, one for each neighbour, and one for the rank itself. It belongs to
// the rank's goroutine.
type Plan struct {
	Lanes []int // rank of each lane
	Self  int   // lane of the rank itself
	at    int
	fill  func(at int, dests, lanes []uint32) // nil if a lane has the number of its rank

	topology Topology
	links    *Links // marks of the topology; nil for most
	table    []uint32
	version  uint64 // of the marks that the table depends on
}

// noVersion marks a table that depends on no version of marks.
const noVersion = 1<<64 - 1

// tableRanks is the largest number of ranks for which a table of lanes is faster than computing them: it stays in the
// cache.
const tableRanks = 4096

// NewPlan makes the plan of rank at. The topology must be sound (see [Check]). The plan has a table of 4 bytes for each
// rank of the job. Only for a [Router] of more than 4,096 ranks that is not [Watching] does it compute hops on demand.
// If marks leave no way to some rank the plan is stale from the start, and Renew returns the error.
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

// TableBytes returns the memory of the table of a rank's plan; 0 if it has none.
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

// Fill writes into lanes[i] the lane for a pebble to rank dests[i]. Cost: some nanoseconds each; see BenchmarkFill.
func (p *Plan) Fill(dests, lanes []uint32) {
	if p.fill == nil {
		copy(lanes, dests)
		return
	}
	p.fill(p.at, dests, lanes[:len(dests)])
}

// Fixed reports whether the plan is independent of marks: pebbles for one rank then always form a tree that leads to
// it, and none passes a rank twice.
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

// Renew routes around the current marks. Lanes stay the same. Its error names the ranks that have no way to them, and
// the marks; pebbles for those would use marked links, and the plan stays stale. Cost: the hops of all routes from this
// rank, and at most one search of all links.
func (p *Plan) Renew() error {
	if !p.Stale() {
		return nil
	}
	return p.tabulate()
}

// ask fills the table from a router.
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
			err = fmt.Errorf("route: topology %q: the next hop from rank %d to rank %d is %d, which is not a "+
				"neighbour of rank %d",
				p.topology.Name(), p.at, dest, hop, p.at)
		}
		p.table[dest] = i
	}
	if p.version = version; err != nil {
		p.version = noVersion
	}
	return err
}

// hops returns the next hops to all ranks, with the rank itself for the rank, and the version of the marks before.
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
