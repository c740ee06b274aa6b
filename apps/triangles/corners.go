package triangles

import (
	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/distgraph"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
)

// corner is the counts of one vertex.
type corner struct {
	Triangles uint64
	Edges     uint64 // number of edges between its neighbours; in a directed graph arcs
}

func (c *corner) add(more corner) {
	c.Triangles += more.Triangles
	c.Edges += more.Edges
}

// share is the pebble that carries a rank's counts of a vertex to the vertex's owner.
type share[V distgraph.Index] struct {
	Vertex V
	Found  corner
}

func (s share[V]) fingerprint() uint64 {
	return apps.Fold(uint64(s.Vertex)^s.Found.Edges<<32, s.Found.Triangles)
}

// corners is the kernel for PerVertex. The owner of a triangle's middle vertex finds it, and adds to its counts of all
// three vertices. At the end, each rank sends its counts of other ranks' vertices to their owners.
type corners[V distgraph.Index] struct {
	*counting[V]
	found  []corner // by slot: of this rank's vertices and of ghosts
	twice  []uint64 // a bit for each vertex of the graph: those that are twice in the present list
	shares *target.Target[share[V]]
	tally  apps.Tally
	check  *cornerCheck[V]
}

func newCorners[V distgraph.Index](
	s *counting[V], p *distgraph.Part[V], name func(what string) string,
) *corners[V] {
	c := &corners[V]{
		counting: s, found: make([]corner, len(s.ghosts.Values)), twice: make([]uint64, len(s.marks)),
	}
	s.take = c.count
	c.shares = target.New(s.g.Rank, name("shares"), s.g.Owner,
		target.Keys(func(vs []share[V], keys []uint64) {
			for i := range vs {
				keys[i] = uint64(vs[i].Vertex)
			}
		}),
		target.Batch(func(vs []share[V]) {
			for _, v := range vs {
				isOwn := s.g.Owns(uint64(v.Vertex))
				if c.tally.Take(v.fingerprint(), isOwn); isOwn {
					c.found[v.Vertex-s.first].add(v.Found)
				}
			}
		}))
	c.check = newCornerCheck(c, p, name)
	return c
}

// Run implements Kernel. It costs one more epoch.
func (c *corners[V]) Run() error {
	clear(c.found)
	if err := c.counting.Run(); err != nil {
		return err
	}
	return c.g.Rank.Epoch(func() error {
		const sendAtOnce = 512
		out := make([]share[V], 0, sendAtOnce)
		for slot := c.local; slot < V(len(c.found)); slot++ {
			if c.found[slot].Triangles == 0 {
				continue
			}
			s := share[V]{c.ghosts.Vertex(slot), c.found[slot]}
			c.tally.Send(s.fingerprint())
			if out = append(out, s); len(out) == cap(out) {
				c.shares.SendAll(out)
				out = out[:0]
			}
		}
		c.shares.SendAll(out)
		return nil
	}, pebble.Depth(1), pebble.Named("corners"))
}

// count finds the triangles of tail as the lowest vertex; list are the heads of its arcs, and the middle vertex is one
// of them and this rank's. It is also a handler. The list is sorted. A vertex with arcs in both directions is in it
// twice.
func (c *corners[V]) count(tail V, list []V) {
	for i, v := range list {
		c.marks[v/64] |= 1 << (v % 64)
		if i > 0 && v == list[i-1] {
			c.twice[v/64] |= 1 << (v % 64)
		}
	}
	var lowest corner
	for i, v := range list {
		if own := v - c.first; own < c.local && (i == 0 || v != list[i-1]) {
			lowest.add(c.meet(own, 1+c.twice[v/64]>>(v%64)&1))
		}
	}
	if lowest.Triangles > 0 {
		c.found[c.ghosts.Slot(tail)].add(lowest)
	}
	for _, v := range list {
		c.marks[v/64], c.twice[v/64] = 0, 0
	}
}

// meet finds the triangles of the present list whose middle vertex is own. It is a vertex of this rank; the given
// number of edges joins it to the lowest vertex. It returns the counts of the lowest vertex.
func (c *corners[V]) meet(own V, edges uint64) (lowest corner) {
	var middle corner
	begin, row := c.upwards.Offsets[own], c.upwards.Row(own)
	for i, w := range row {
		if c.marks[w/64]>>(w%64)&1 == 0 {
			continue
		}
		lowest.Edges++
		if i > 0 && w == row[i-1] {
			continue // the other arc of two
		}
		lowest.Triangles++
		middle.Edges += 1 + c.twice[w/64]>>(w%64)&1
		c.found[c.slots[begin+uint64(i)]].add(corner{1, edges})
	}
	middle.Triangles = lowest.Triangles
	c.middles[own] += middle.Triangles
	c.found[own].add(middle)
	return lowest
}

// Tally implements Kernel.
func (c *corners[V]) Tally() apps.Tally { return c.counting.Tally().Add(c.tally) }

// Validate implements Kernel.
func (c *corners[V]) Validate() (distgraph.Breaches, error) { return c.check.run() }

// Recounted implements Kernel.
func (c *corners[V]) Recounted() uint64 { return c.check.recounted }

// Corners implements Kernel.
func (c *corners[V]) Corners() ([]uint64, []float64) {
	triangles, clustering := make([]uint64, c.local), make([]float64, c.local)
	for v := range triangles {
		triangles[v] = c.found[v].Triangles
		pairs := float64(c.degree(V(v))) * (float64(c.degree(V(v))) - 1)
		if c.g.Undirected {
			pairs /= 2 // an edge joins both orders of its ends
		}
		clustering[v] = apps.Rate(float64(c.found[v].Edges), pairs)
	}
	return distgraph.BySource(c.part, triangles), distgraph.BySource(c.part, clustering)
}
