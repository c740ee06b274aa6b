package distgraph

import (
	"errors"
	"fmt"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/ingest"
	"github.com/activepebbles/pebbles/pebble"
)

// outline is the knowledge of a graph before its edges are sent.
type outline struct {
	vertices, edges uint64
	undirected      bool
	weighted        bool          // the file has weights
	file            *ingest.Graph // nil for a generator
	base            uint64        // the id of number 0, if numbers follow from ids
	lookup          *lookup       // otherwise: from ids or names to numbers
	// label gives each owner the labels of its vertices. It is collective.
	label func(g *Graph) (ownLabels, error)
}

// survey reads the whole files, to find all errors in them before an edge is sent. It is collective.
func (s Source) survey(r *pebble.Rank) (o outline, err error) {
	if g := s.Generator; g != nil {
		return outline{vertices: g.Vertices(), edges: g.EdgeCount(), undirected: s.Undirected || !g.Directed()}, nil
	}
	s.begin("edges read")
	m := &meeting{rank: r}
	var options []ingest.Option
	if s.Names {
		m.names = &ingest.Names{}
		options = append(options, ingest.Named(m.names))
	}
	if err := m.list(s.Vertices, options); err != nil {
		return o, err
	}
	if s.Weights == Given {
		options = append(options, ingest.Weights())
	}
	format, err := s.edges(r, m.names)
	if err != nil {
		return o, err
	}
	done := uint64(0)
	f, err := ingest.OpenGraph(r, s.patterns(), format, func(e ingest.Edge) {
		m.meet(e.From)
		m.meet(e.To)
		done++
		s.tell(done-1, done, 0)
	}, append(options, ingest.Alone(m.meet))...)
	if errors.Is(err, ingest.ErrUnweighted) {
		return o, fmt.Errorf("%w: take %s weights, or %s each", err, Random, Ones)
	}
	if err != nil {
		return o, err
	}
	o = outline{
		vertices: f.Vertices, edges: f.Edges, undirected: s.Undirected || !f.Directed, weighted: f.Weighted, file: f,
	}
	switch {
	case f.Numbered && len(s.Vertices) > 0:
		err = errors.New("the format numbers its vertices: leave the list of vertices out")
	case f.Numbered:
		o.base = 1
	case s.Names:
		err = o.nameVertices(m)
	default:
		err = o.numberVertices(m, f.Vertices)
	}
	if err != nil {
		err = fmt.Errorf("read graph %s: %w", s.Path, err)
	}
	return o, err
}

// A meeting collects the vertices of one rank's share of a graph, before they have numbers.
type meeting struct {
	rank  *pebble.Rank
	names *ingest.Names // nil if vertices are ids
	ids   idSet

	isListed    bool  // a list of all vertices exists
	listedIDs   idSet // ids of that list
	listedNames int   // number of names of that list; they are the first of names
}

// meet records a vertex of an edge.
func (m *meeting) meet(v uint64) {
	if m.names == nil {
		m.ids.add(v)
	}
}

// list reads any lists of vertices. It is collective.
func (m *meeting) list(patterns []string, options []ingest.Option) error {
	if len(patterns) == 0 {
		return nil
	}
	in, err := ingest.Open(m.rank, patterns, ingest.Vertices(), options...)
	if err != nil {
		return err
	}
	for v := range in.All() {
		if m.meet(v); m.names == nil {
			m.listedIDs.add(v)
		}
	}
	if m.isListed = true; m.names != nil {
		m.listedNames = len(m.names.All())
	}
	_, err = in.Report()
	return err
}

// numberVertices gives ids their numbers, for a graph with at least counted vertices; counted is from a header. If all
// ids are below the number of vertices, they are the numbers. It is collective.
func (o *outline) numberVertices(m *meeting, counted uint64) error {
	own := m.ids.sorted()
	t, err := newRoll(m.rank, own, m.isListed, func(at int) bool { return m.listedIDs.has(own[at]) })
	if err != nil {
		return err
	}
	c, err := count(t, counted)
	if err != nil {
		return err
	}
	o.vertices = t.total + c.isolated
	above := uint64(0)
	if n := len(t.names); n > 0 && t.names[n-1] >= o.vertices {
		above = 1
	}
	if above, err = apps.Sum(m.rank, above); err != nil || above == 0 {
		return err
	}
	numbers, err := t.answer(c, len(own))
	o.lookup = newLookup(own, numbers)
	o.label = func(g *Graph) (ownLabels, error) {
		ids, err := t.deal(c, g)
		for at := range ids {
			if number := g.First + uint64(at); number < c.dense {
				ids[at] = number
			}
		}
		return ownLabels{ids: ids}, err
	}
	return err
}

// nameVertices gives names their numbers. It is collective.
func (o *outline) nameVertices(m *meeting) error {
	own := m.names.All()
	t, err := newRoll(m.rank, own, m.isListed, func(at int) bool { return at < m.listedNames })
	if err != nil {
		return err
	}
	o.vertices = t.total
	numbers, err := t.answer(counting{}, len(own))
	o.lookup = &lookup{numbers: numbers}
	o.label = func(g *Graph) (ownLabels, error) {
		names, err := t.deal(counting{}, g)
		return ownLabels{names: names, isNamed: true}, err
	}
	return err
}

// numberOf returns the number of the end of an edge, and reports whether that vertex exists.
func (o *outline) numberOf(end uint64) (number uint64, known bool) {
	if o.lookup != nil {
		return o.lookup.number(end)
	}
	return end - o.base, end-o.base < o.vertices
}
