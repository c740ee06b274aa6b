package bfs

import (
	"github.com/activepebbles/pebbles/apps/graph"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
)

// vertex is the type of indices in memory and in pebbles: 32 bits serve for all graphs but the largest.
type vertex interface{ uint32 | uint64 }

// none stands for the parent and the level of a vertex that is not reached. It is no index, and above every level.
func none[V vertex]() V { return ^V(0) }

// rows are the arcs that leave a rank's vertices: to heads[offsets[v]:offsets[v+1]] for the v-th.
type rows[V vertex] struct {
	offsets []uint64
	heads   []V
}

func (c *rows[V]) row(v V) []V { return c.heads[c.offsets[v]:c.offsets[v+1]] }

// arc is the pebble by which a graph is built. It goes to the owner of its tail.
type arc[V vertex] struct{ Tail, Head V }

// buildRows sends this rank's share of the edges and makes rows of the arcs that arrive.
func buildRows[V vertex](g *Graph, source Source, o outline) (*rows[V], error) {
	var got collector[V]
	arcs := target.New(g.rank, g.target("arcs"), g.owner,
		target.Keys(func(vs []arc[V], keys []uint64) {
			for i, v := range vs {
				keys[i] = uint64(v.Tail)
			}
		}),
		target.Batch(got.add))
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
			arcs.SendAll(out)
		})
	}, pebble.Depth(1))
	if err != nil {
		return nil, err
	}
	return got.sort(V(g.first), g.local), nil
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

// sort makes rows by counting, and forgets the arcs.
func (c *collector[V]) sort(first V, vertices int) *rows[V] {
	// Degrees are counted two places on, so that summing them up leaves the beginning of row v at v+1, and placing the
	// heads moves it on to the end of row v, where it belongs.
	offsets := make([]uint64, vertices+2)
	for _, chunk := range c.chunks {
		for _, a := range chunk {
			offsets[a.Tail-first+2]++
		}
	}
	for v := range vertices {
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
	return &rows[V]{offsets[:vertices+1], heads}
}
