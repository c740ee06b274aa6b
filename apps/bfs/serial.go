package bfs

import (
	"fmt"

	"github.com/activepebbles/pebbles/apps/graph"
)

// Serial is the plain twin of the searches of Run: it holds the whole graph, and searches from the vertices with these ids
// with a queue, on one goroutine.
func Serial(source Source, roots []uint64) ([]Summary, error) {
	c, ids, err := load(source)
	if err != nil {
		return nil, err
	}
	var all []Summary
	for _, id := range roots {
		root, known := ids.Index(id)
		if !known {
			return nil, fmt.Errorf("bfs: root %d: graph %s: %w", id, source.Name(), ErrRoot)
		}
		dist, parent := graph.BFS(c, root)
		if err := graph.Validate(c, root, parent, dist); err != nil {
			return nil, err
		}
		all = append(all, Summary{graph.Summarize(dist), graph.TraversedEdges(c, dist)})
	}
	return all, nil
}

// load reads or makes a whole graph.
func load(source Source) (*graph.CSR, names, error) {
	o, ids, err := source.survey()
	if err != nil {
		return nil, nil, err
	}
	edges := make([]graph.Edge, 0, o.edges)
	err = source.share(0, 1, o, func(batch []graph.Edge) { edges = append(edges, batch...) })
	if err != nil {
		return nil, nil, err
	}
	return graph.NewCSR(o.vertices, edges, !o.undirected), ids, nil
}
