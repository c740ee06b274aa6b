package bfs

import (
	"fmt"

	"github.com/activepebbles/pebbles/apps/distgraph"
	"github.com/activepebbles/pebbles/apps/graph"
)

// Serial is the plain twin of the searches of Run: it holds the whole graph, and searches from the vertices with these
// ids with a queue, on one goroutine.
func Serial(source distgraph.Source, roots []uint64) ([]Summary, error) {
	c, index, err := source.Load()
	if err != nil {
		return nil, err
	}
	var all []Summary
	for _, id := range roots {
		root, known := index(id)
		if !known {
			return nil, fmt.Errorf("bfs: root %d: graph %s: %w", id, source.Name(), distgraph.ErrRoot)
		}
		dist, parent := graph.BFS(c, root)
		if err := graph.Validate(c, root, parent, dist); err != nil {
			return nil, err
		}
		all = append(all, Summary{graph.Summarize(dist), graph.TraversedEdges(c, dist)})
	}
	return all, nil
}
