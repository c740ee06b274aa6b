package distgraph

import (
	"context"

	"github.com/activepebbles/pebbles/apps/graph"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
)

// Load reads or makes a whole graph on one rank, for serial twins. It returns the graph and a function that finds the
// index of an id. In a graph with names, their numbers are the ids. It runs its own job.
func (s Source) Load() (c *graph.CSR, index func(id uint64) (index uint64, known bool), err error) {
	err = pebble.Run(context.Background(), pebble.Config{Ranks: 1}, func(r *pebble.Rank) error {
		o, err := s.survey(r)
		if err != nil {
			return err
		}
		all := make([]graph.Edge, 0, o.edges)
		var weights []float64
		if err := s.share(0, 1, o, func(batch edges) {
			all, weights = append(all, batch.list...), append(weights, batch.weights...)
		}); err != nil {
			return err
		}
		if len(weights) < len(all) {
			weights = nil
		}
		index = func(id uint64) (uint64, bool) { return id - o.base, id-o.base < o.vertices }
		if o.label != nil && !s.Names {
			g := &Graph{Rank: r, Owner: distribution.Block(o.vertices, 1), Local: int(o.vertices)}
			if g.own, err = o.label(g); err != nil {
				return err
			}
			index = func(id uint64) (uint64, bool) { return g.own.find(Label{ID: id}, g) }
		}
		c = graph.NewWeightedCSR(o.vertices, all, weights, !o.undirected)
		return nil
	})
	return c, index, err
}
