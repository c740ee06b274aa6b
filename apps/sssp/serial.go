package sssp

import (
	"fmt"
	"math"

	"github.com/activepebbles/pebbles/apps/distgraph"
	"github.com/activepebbles/pebbles/apps/graph"
)

// Serial is the plain twin of the searches of Run: it holds the whole graph, and searches from the vertices with these
// ids by Dijkstra's algorithm, on one goroutine.
func Serial(source distgraph.Source, roots []uint64) ([]Summary, error) {
	c, index, err := source.Load()
	if err != nil {
		return nil, err
	}
	var all []Summary
	for _, id := range roots {
		root, known := index(id)
		if !known {
			return nil, fmt.Errorf("sssp: root %d: graph %s: %w", id, source.Name(), distgraph.ErrRoot)
		}
		dist, parent := graph.Dijkstra(c, root)
		if err := graph.ValidatePaths(c, root, parent, dist); err != nil {
			return nil, err
		}
		all = append(all, summarize(c, dist))
	}
	return all, nil
}

func summarize(c *graph.CSR, dist []float64) (s Summary) {
	levels := make([]int64, len(dist))
	for v, d := range dist {
		if math.IsInf(d, 1) {
			levels[v] = graph.Unreached
			continue
		}
		s.Reached++
		s.Sum += d
		s.Farthest = max(s.Farthest, d)
	}
	s.Traversed = graph.TraversedEdges(c, levels)
	return s
}
