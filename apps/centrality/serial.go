package centrality

import (
	"fmt"

	"github.com/activepebbles/pebbles/apps/distgraph"
	"github.com/activepebbles/pebbles/apps/graph"
)

// Serial is the plain twin of Run: it holds the whole graph, and adds up centralities from the vertices with these ids
// on one goroutine. The scores are in the order of the source of the graph.
func Serial(source distgraph.Source, sources []uint64) (scores []float64, err error) {
	c, index, err := source.Load()
	if err != nil {
		return nil, err
	}
	scores = make([]float64, c.Vertices())
	for _, id := range sources {
		at, known := index(id)
		if !known {
			return nil, fmt.Errorf("centrality: source %d: graph %s: %w", id, source.Name(), distgraph.ErrRoot)
		}
		if _, ok := graph.Brandes(c, at, scores); !ok {
			return nil, fmt.Errorf("centrality: graph %s has %w", source.Name(), ErrPaths)
		}
	}
	return scores, nil
}
