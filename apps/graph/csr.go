// Package graph makes synthetic graphs for the graph applications, and contains plain serial twins of the distributed
// programs. Package ingest reads graphs from files.
//
// Every graph is a list of [Edge] values whose ends are vertex indices 0 to n-1. [Kronecker] and [ErdosRenyi] make any
// part of their edges from the seed and the position alone. So each rank makes its own share, and the graph is the same
// for any number of ranks.
//
// [CSR], [BFS], [Summarize], [TraversedEdges] and [Validate] are the serial side: linear time, one goroutine. They
// define a correct distributed result. The package does not depend on ranks, pebbles, files or clocks.
package graph

import (
	"fmt"
	"slices"
)

// Edge joins two vertices by their indices. In a directed graph it is an arc From -> To; in an undirected graph the
// order of its ends has no meaning.
type Edge struct{ From, To uint64 }

// CSR is a graph in memory, in compressed sparse rows: the heads of the arcs that leave vertex v are
// Heads[Offsets[v]:Offsets[v+1]]. An undirected edge is in the rows of both its ends, a self-loop twice in its own row,
// so the rows of an undirected graph have exactly two entries per edge. It takes 8 bytes per vertex and entry.
type CSR struct {
	Offsets  []uint64
	Heads    []uint64
	Weights  []float64 // weights of the arcs, in the order of Heads; nil without weights
	Directed bool
}

// NewCSR builds the rows of a graph serially. It keeps the order of edges within a row, duplicates and self-loops. If
// directed is false, every edge counts in both directions; this also makes a directed graph symmetric. It panics if an
// edge names a vertex that is not below vertices. It does not keep edges.
func NewCSR(vertices uint64, edges []Edge, directed bool) *CSR {
	return NewWeightedCSR(vertices, edges, nil, directed)
}

// NewWeightedCSR is NewCSR for edges with one weight each. With nil weights it is NewCSR.
func NewWeightedCSR(vertices uint64, edges []Edge, weights []float64, directed bool) *CSR {
	if weights != nil && len(weights) != len(edges) {
		panic(fmt.Sprintf("graph: %d weights of %d edges", len(weights), len(edges)))
	}
	c := &CSR{Offsets: make([]uint64, vertices+1), Directed: directed}
	for _, e := range edges {
		if e.From >= vertices || e.To >= vertices {
			panic(fmt.Sprintf("graph: edge %d -> %d in a graph of %d vertices", e.From, e.To, vertices))
		}
		c.Offsets[e.From+1]++
		if !directed {
			c.Offsets[e.To+1]++
		}
	}
	for v := range vertices {
		c.Offsets[v+1] += c.Offsets[v]
	}
	c.fillRows(edges, weights)
	return c
}

func (c *CSR) fillRows(edges []Edge, weights []float64) {
	c.Heads = make([]uint64, c.Offsets[c.Vertices()])
	if weights != nil {
		c.Weights = make([]float64, len(c.Heads))
	}
	free := append([]uint64(nil), c.Offsets...)
	put := func(from, to uint64, edge int) {
		at := free[from]
		free[from]++
		c.Heads[at] = to
		if weights != nil {
			c.Weights[at] = weights[edge]
		}
	}
	for i, e := range edges {
		put(e.From, e.To, i)
		if !c.Directed {
			put(e.To, e.From, i)
		}
	}
}

// Vertices returns the number of vertices.
func (c *CSR) Vertices() uint64 { return uint64(len(c.Offsets) - 1) }

// Edges returns the number of edges that the graph was built from.
func (c *CSR) Edges() uint64 { return c.edgesOf(uint64(len(c.Heads))) }

// Row returns the heads of the arcs that leave v; it aliases the graph.
func (c *CSR) Row(v uint64) []uint64 { return c.Heads[c.Offsets[v]:c.Offsets[v+1]] }

// WeightsOf returns the weights of the arcs that leave v, in the order of Row; it aliases the graph.
func (c *CSR) WeightsOf(v uint64) []float64 { return c.Weights[c.Offsets[v]:c.Offsets[v+1]] }

// edgesOf turns a number of row entries into a number of edges.
func (c *CSR) edgesOf(entries uint64) uint64 {
	if c.Directed {
		return entries
	}
	return entries / 2
}

// Simple returns the graph without duplicates, self-loops and weights, each row sorted. It costs O(E log E).
func (c *CSR) Simple() *CSR { return c.Distinct(false) }

// Distinct is Simple, except that with selfLoops it keeps one self-loop at each vertex that has any.
func (c *CSR) Distinct(selfLoops bool) *CSR {
	s := &CSR{Offsets: make([]uint64, 1, len(c.Offsets)), Directed: c.Directed}
	for v := range c.Vertices() {
		row := slices.Clone(c.Row(v))
		slices.Sort(row)
		row = slices.DeleteFunc(slices.Compact(row), func(head uint64) bool { return head == v && !selfLoops })
		s.Heads = append(s.Heads, row...)
		s.Offsets = append(s.Offsets, uint64(len(s.Heads)))
	}
	return s
}
