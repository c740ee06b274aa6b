package ingest

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"

	"github.com/activepebbles/pebbles/pebble"
)

// ErrUnweighted is the error of a graph that lacks the weights that Weights requires.
var ErrUnweighted = errors.New("the graph has no weights")

// A Graph is one rank's share of the edges of a graph. Its fields are equal on all ranks; do not change them.
type Graph struct {
	Directed bool
	Weighted bool // vertices or edges have weights or other values
	// Numbered graphs have vertices 1 to Vertices, from their headers. In other graphs the vertices are the ends of
	// edges; then Vertices, unless it is 0, is the number of vertices including those without an edge.
	Numbered bool
	Vertices uint64
	Edges    uint64

	source *Source[Edge]
	heads  map[int]edgeHead // by file
	repeat map[int]uint64   // by file: the number of occurrences of a self-loop that make one edge; 0 if unknown
	first  map[piece]uint64 // of this rank's pieces: the number of edges before the first one
	counts []edgeCount      // of this rank's pieces
}

// OpenGraph opens files whose edges are one graph, and checks them: all ranks read their shares, and compare the edges
// with the headers. It is collective, and returns the same error on all ranks. Unless visit is nil, that pass calls it
// with this rank's edges, as All yields them later.
//
// A graph with one line for each undirected edge is undirected: PACE, METIS, and Matrix Market unless the matrix is
// general. Edge lists, arcs of DIMACS, and general matrices are directed. Without [Weights], weights are ignored. All
// files have the same format. Their headers, if any, are checked file by file.
func OpenGraph(r *pebble.Rank, patterns []string, format Format[Edge], visit func(Edge),
	opts ...Option) (*Graph, error) {
	s, err := Open(r, patterns, format, opts...)
	if err != nil {
		return nil, err
	}
	s.in.missing = math.NaN()
	g := &Graph{source: s, heads: map[int]edgeHead{}, repeat: map[int]uint64{}, first: map[piece]uint64{}}
	for _, p := range s.in.mine() {
		g.heads[p.file] = edgeHead{Values: anyValues, Directed: true}
		if e, ok := s.reader.(*edges); ok {
			g.heads[p.file] = e.of.head(p.file)
		}
	}
	for _, e := range g.All() {
		if visit != nil {
			visit(e)
		}
	}
	if _, err := s.Report(); err != nil {
		return nil, unweighted(err)
	}
	return g, g.settle()
}

// unweighted turns the text of another rank's ErrUnweighted into that error again.
func unweighted(err error) error {
	if errors.Is(err, ErrUnweighted) {
		return err
	}
	text, suffix := err.Error(), ErrUnweighted.Error()
	if n := len(text) - len(suffix); n > 0 && text[n:] == suffix {
		return fmt.Errorf("%s%w", text[:n], ErrUnweighted)
	}
	return err
}

// All yields this rank's edges with their places among the edges of all ranks, from 0. It yields an undirected edge
// once, and duplicates and self-loops as often as the files have them. Places do not depend on the number of ranks. Err
// returns the error that ends the loop. Another call reads all files again.
func (g *Graph) All() iter.Seq2[uint64, Edge] {
	return func(yield func(uint64, Edge) bool) {
		in := &g.source.in
		g.source.err, in.counts, g.counts = nil, counts{}, nil
		for _, p := range in.mine() {
			s := &edgeShare{
				head: g.heads[p.file], in: in, place: g.first[p], repeat: g.repeat[p.file], yield: yield,
				edgeCount: edgeCount{File: p.file, From: p.from},
			}
			in.Bytes += p.to - p.from
			err := s.read(g.source.reader, p)
			g.counts = append(g.counts, s.edgeCount)
			if err == errStop {
				return
			}
			if err != nil {
				g.source.err, in.Failed = err, told{p.file, err.Error()}
				return
			}
		}
	}
}

// Err returns the error that ended the last loop over All on this rank: nil if the loop reached the end or was left.
func (g *Graph) Err() error { return g.source.err }

// Share returns the number of edges that All yields on this rank.
func (g *Graph) Share() (n uint64) {
	for _, c := range g.counts {
		n += c.edges(max(g.repeat[c.File], 1))
	}
	return n
}

// settle compares the edges of all ranks with the headers. It is collective.
func (g *Graph) settle() error {
	type share struct {
		Heads  map[int]edgeHead
		Counts []edgeCount
	}
	text, err := json.Marshal(share{g.heads, g.counts})
	if err != nil {
		return err
	}
	texts, err := g.source.in.rank.AllGatherBytes(text)
	if err != nil {
		return err
	}
	var all []edgeCount
	for _, text := range texts {
		var s share
		if err := json.Unmarshal(text, &s); err != nil {
			return err
		}
		all = append(all, s.Counts...)
		for file, h := range s.Heads {
			g.heads[file] = h
		}
	}
	slices.SortFunc(all, edgeCount.compare)
	return g.add(all)
}

// add adds the counts of all pieces, file by file.
func (g *Graph) add(all []edgeCount) error {
	own := map[piece]bool{}
	for _, p := range g.source.in.mine() {
		own[piece{file: p.file, from: p.from}] = true
	}
	for i := range g.source.in.files {
		sum, name := edgeCount{File: i}, g.source.in.files[i].Name
		for _, c := range all {
			if c.File == i {
				sum = sum.and(c)
			}
		}
		h := g.heads[i]
		var err error
		if g.repeat[i], err = h.check(sum); err != nil {
			return fmt.Errorf("read %s: %w", name, err)
		}
		if err := g.join(i, h, sum); err != nil {
			return fmt.Errorf("read %s: %w", name, err)
		}
	}
	before := uint64(0)
	for _, c := range all {
		for _, p := range g.source.in.mine() {
			if p.file == c.File && p.from == c.From {
				g.first[p] = before
			}
		}
		before += c.edges(g.repeat[c.File])
	}
	g.Edges = before
	return nil
}

// join joins a file to the graph of the files before it.
func (g *Graph) join(i int, h edgeHead, sum edgeCount) error {
	if i == 0 {
		g.Directed, g.Numbered = h.Directed, h.Numbered
	}
	if g.Directed != h.Directed || g.Numbered != h.Numbered {
		own, other := kindOfGraph(h.Directed, h.Numbered), kindOfGraph(g.Directed, g.Numbered)
		return fmt.Errorf("the graph is %s, and that of %s is %s: give files of one kind", own,
			g.source.in.files[0].Name, other)
	}
	g.Weighted = g.Weighted || sum.Weighted || h.Weighs || h.Values > 0
	switch {
	case h.Numbered:
		g.Vertices = max(g.Vertices, h.Vertices)
	case len(g.source.in.files) == 1:
		g.Vertices = h.Vertices
	}
	return nil
}

func kindOfGraph(directed, numbered bool) string {
	kind := "undirected"
	if directed {
		kind = "directed"
	}
	if numbered {
		return kind + ", with numbered vertices"
	}
	return kind + ", with vertices of any id"
}
