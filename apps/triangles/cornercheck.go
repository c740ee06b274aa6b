package triangles

import (
	"slices"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/distgraph"
	"github.com/activepebbles/pebbles/pebble"
)

// cornerCheck checks that each vertex is in exactly one triangle for each pair of neighbours that an edge joins. It
// asks one vertex of each pair. It checks all vertices if the number of pairs is affordable for the arcs of the graph,
// and a sample otherwise.
type cornerCheck[V distgraph.Index] struct {
	*corners[V]
	part      *distgraph.Part[V]
	wedges    *distgraph.Wedges[V]
	counted   []corner // by place
	near      []V      // neighbours of the present vertex
	recounted uint64
}

func newCornerCheck[V distgraph.Index](
	s *corners[V], p *distgraph.Part[V], name func(what string) string,
) *cornerCheck[V] {
	c := &cornerCheck[V]{corners: s, part: p}
	c.wedges = distgraph.NewWedges(s.g, s.Rows, name, func(w distgraph.Wedge[V]) distgraph.Note[V] {
		return distgraph.Note[V]{Vertex: w.Middle, Value: c.edges(w.Asked-s.first, w.Head)}
	}, func(vs []distgraph.Note[V]) {
		for _, n := range vs {
			c.counted[n.Vertex-s.first].add(corner{1, uint64(n.Value)})
		}
	})
	return c
}

// edges returns the number of edges that join this rank's vertex v to head.
func (c *cornerCheck[V]) edges(v, head V) (n V) {
	if c.g.Undirected {
		return 1
	}
	if c.part.Leads(c.g, v, head) {
		n++
	}
	if c.part.Into.Leads(c.g, v, head) {
		n++
	}
	return n
}

// pairs returns the number of pairs of neighbours of a vertex.
func (c *cornerCheck[V]) pairs(v V) uint64 {
	n := uint64(c.degree(v))
	return n * (max(n, 1) - 1) / 2
}

func (c *cornerCheck[V]) run() (breaches distgraph.Breaches, err error) {
	own := uint64(0)
	for v := V(0); v < c.local; v++ {
		own += c.pairs(v)
	}
	sample, err := distgraph.NewSample(c.g.Rank, c.config.Seed, own, affordable*uint64(len(c.Heads)))
	if err != nil {
		return breaches, err
	}
	picked := func(v V) bool { return sample.Has(uint64(c.first+v), c.pairs(v)) }
	if err := c.ask(picked); err != nil {
		return breaches, err
	}
	for v := V(0); v < c.local; v++ {
		if got, want := c.found[v], c.counted[v]; picked(v) && got != want {
			index := uint64(c.first + v)
			breaches.Add(cornersWrong, index, 0, float64(got.Triangles), float64(want.Triangles))
			breaches.Add(edgesWrong, index, 0, float64(got.Edges), float64(want.Edges))
		}
	}
	c.recounted, err = apps.Sum(c.g.Rank, c.recounted)
	return breaches, err
}

// ask counts the triangles of the vertices that picked selects.
func (c *cornerCheck[V]) ask(picked func(v V) bool) error {
	c.counted, c.recounted = make([]corner, c.local), 0
	before := c.wedges.Tally()
	err := c.g.Rank.Epoch(func() error {
		for v := V(0); v < c.local; v++ {
			if picked(v) {
				c.recounted++
				c.askAbout(v)
			}
		}
		c.wedges.Flush()
		return nil
	}, pebble.Depth(2), pebble.Named("validate"))
	if err != nil {
		return err
	}
	return c.wedges.Tally().Since(before).Check(c.g.Rank, "count the triangles again")
}

// askAbout sends all wedges around a vertex.
func (c *cornerCheck[V]) askAbout(v V) {
	c.near = append(c.near[:0], c.Row(v)...)
	c.near = slices.Compact(c.near)
	for i, asked := range c.near {
		for _, head := range c.near[i+1:] {
			c.wedges.Send(distgraph.Wedge[V]{Asked: asked, Head: head, Middle: c.first + v})
		}
	}
}
