package bfs

import (
	"fmt"
	"slices"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/graph"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
)

// vertex is the type of indices in memory and in pebbles: 32 bits serve for all graphs but the largest.
type vertex interface{ uint32 | uint64 }

// none stands for the parent and the level of a vertex that is not reached. It is no index, and above every level.
func none[V vertex]() V { return ^V(0) }

// rows are arcs at a rank's vertices: heads[offsets[v]:offsets[v+1]] are the other ends of those of the v-th, sorted, each
// once, itself left out.
type rows[V vertex] struct {
	offsets []uint64
	heads   []V
}

func (c *rows[V]) row(v V) []V { return c.heads[c.offsets[v]:c.offsets[v+1]] }

// arc is the pebble by which a graph is built. It goes to the owner of its tail.
type arc[V vertex] struct{ Tail, Head V }

func (a arc[V]) fingerprint() uint64 { return apps.Fold(uint64(a.Tail), uint64(a.Head)) }

// arcs are arcs on their way, with an account of them: a graph that lacks some would be searched without an error.
type arcs[V vertex] struct {
	target *target.Target[arc[V]]
	tally  apps.Tally
}

// newArcs registers a target that gives the arcs that arrive to take.
func newArcs[V vertex](g *Graph, what string, take func(vs []arc[V])) *arcs[V] {
	s, first, local := &arcs[V]{}, V(g.first), V(g.local)
	s.target = target.New(g.rank, g.target(what), g.owner,
		target.Keys(func(vs []arc[V], keys []uint64) {
			for i, v := range vs {
				keys[i] = uint64(v.Tail)
			}
		}),
		target.Batch(func(vs []arc[V]) {
			own := vs[:0]
			for _, v := range vs {
				isOwn := v.Tail-first < local
				s.tally.Take(v.fingerprint(), isOwn)
				if isOwn {
					own = append(own, v)
				}
			}
			take(own)
		}))
	return s
}

func (s *arcs[V]) sendAll(vs []arc[V]) {
	for _, v := range vs {
		s.tally.Send(v.fingerprint())
	}
	s.target.SendAll(vs)
}

// check tells, on all ranks, whether what was sent has arrived. All ranks call it.
func (s *arcs[V]) check(g *Graph) error {
	return s.tally.Check(g.rank, fmt.Sprintf("build graph %s by pebbles of %s", g.Name, s.target.Name()))
}

// buildPart sends this rank's share of the edges, and makes its part of the graph of the arcs that arrive.
func buildPart[V vertex](g *Graph, source Source, o outline) (*part[V], error) {
	var got collector[V]
	arcs := newArcs(g, "arcs", got.add)
	out := make([]arc[V], 0, 2*edgesAtOnce)
	err := g.rank.Epoch(func() error {
		return source.share(g.rank.ID(), g.rank.Size(), o, func(edges []graph.Edge) {
			out = out[:0]
			for _, e := range edges {
				out = append(out, arc[V]{V(e.From), V(e.To)})
			}
			if o.undirected {
				for _, e := range edges {
					out = append(out, arc[V]{V(e.To), V(e.From)})
				}
			}
			arcs.sendAll(out)
		})
	}, pebble.Depth(1))
	if err == nil {
		err = arcs.check(g)
	}
	if err != nil {
		return nil, err
	}
	source.begin("edges sorted")
	p := &part[V]{counts: got.degrees(V(g.first), g.local)}
	if g.Ordered, err = isOrdered(g, source.Order, p.counts); err != nil {
		return nil, err
	}
	if g.Ordered {
		if err := p.order(g, &got); err != nil {
			return nil, err
		}
	}
	p.rows = got.sort(g)
	if g.Undirected {
		p.into = p.rows
	}
	return p, nil
}

// reverse makes the rows of the arcs that lead to this rank's vertices. Every arc travels once, to the owner of its head.
func (p *part[V]) reverse(g *Graph) error {
	var got collector[V]
	arcs := newArcs(g, "reversed arcs", got.add)
	out := make([]arc[V], 0, sendAtOnce)
	err := g.rank.Epoch(func() error {
		for v := range g.local {
			for _, head := range p.row(V(v)) {
				if out = append(out, arc[V]{head, V(g.first) + V(v)}); len(out) == cap(out) {
					arcs.sendAll(out)
					out = out[:0]
				}
			}
		}
		arcs.sendAll(out)
		return nil
	}, pebble.Depth(1))
	if err == nil {
		err = arcs.check(g)
	}
	if err != nil {
		return err
	}
	p.into = got.sort(g)
	return nil
}

// collector keeps the arcs of a rank's vertices as they arrive. A list of chunks grows without copying, and shrinks while
// rows are made of it.
type collector[V vertex] struct {
	chunks [][]arc[V]
	count  uint64
}

const arcsPerChunk = 1 << 14

func (c *collector[V]) add(vs []arc[V]) {
	c.count += uint64(len(vs))
	for len(vs) > 0 {
		last := len(c.chunks) - 1
		if last < 0 || len(c.chunks[last]) == arcsPerChunk {
			c.chunks = append(c.chunks, make([]arc[V], 0, arcsPerChunk))
			last++
		}
		chunk := c.chunks[last]
		n := min(len(vs), arcsPerChunk-len(chunk))
		c.chunks[last] = append(chunk, vs[:n]...)
		vs = vs[n:]
	}
}

// degrees counts the arcs of each vertex, duplicates and self-loops among them.
func (c *collector[V]) degrees(first V, vertices int) []uint64 {
	counts := make([]uint64, vertices)
	for _, chunk := range c.chunks {
		for _, a := range chunk {
			counts[a.Tail-first]++
		}
	}
	return counts
}

// sort makes rows by counting, sorts each, and forgets the arcs.
func (c *collector[V]) sort(g *Graph) *rows[V] {
	first := V(g.first)
	// Degrees are counted two places on, so that summing them up leaves the beginning of row v at v+1, and placing the
	// heads moves it on to the end of row v, where it belongs.
	offsets := make([]uint64, g.local+2)
	for _, chunk := range c.chunks {
		for _, a := range chunk {
			offsets[a.Tail-first+2]++
		}
	}
	for v := range g.local {
		offsets[v+2] += offsets[v+1]
	}
	heads := make([]V, c.count)
	for i, chunk := range c.chunks {
		for _, a := range chunk {
			at := &offsets[a.Tail-first+1]
			heads[*at] = a.Head
			*at++
		}
		c.chunks[i] = nil
	}
	c.chunks = nil
	made := &rows[V]{offsets[:g.local+1], heads}
	made.tidy(g)
	return made
}

// tidy sorts each row, and leaves out what a search need not look at: duplicates and self-loops. In an ordered graph, the
// vertices with the highest degrees come first: a search against the direction of arcs looks for any reached vertex, and those
// are the first to be reached.
func (c *rows[V]) tidy(g *Graph) {
	size, ranks := V(g.owner.Key(1, 0)), V(g.rank.Size())
	end := uint64(0)
	for v := range g.local {
		row := c.row(V(v))
		if g.Ordered { // sort by place within the rank, which is by degree
			for i, head := range row {
				row[i] = head%size*ranks + head/size
			}
		}
		slices.Sort(row)
		row = slices.Compact(row)
		if g.Ordered {
			for i, key := range row {
				row[i] = key%ranks*size + key/ranks
			}
		}
		c.offsets[v] = end
		own := V(g.first) + V(v)
		for _, head := range row {
			if head != own {
				c.heads[end] = head
				end++
			}
		}
	}
	c.offsets[g.local] = end
	c.heads = c.heads[:end]
}
