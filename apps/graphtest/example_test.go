package graphtest

import (
	"context"
	"fmt"

	"github.com/activepebbles/pebbles/apps/centrality"
	"github.com/activepebbles/pebbles/apps/communities"
	"github.com/activepebbles/pebbles/apps/components"
	"github.com/activepebbles/pebbles/apps/distgraph"
	"github.com/activepebbles/pebbles/apps/graph"
	"github.com/activepebbles/pebbles/apps/jaccard"
	"github.com/activepebbles/pebbles/apps/kcore"
	"github.com/activepebbles/pebbles/apps/pagerank"
	"github.com/activepebbles/pebbles/apps/triangles"
	"github.com/activepebbles/pebbles/pebble"
)

// Results of several applications for a generated graph, on three ranks.
func Example() {
	generator, err := graph.Kronecker(10, 8, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	source := distgraph.Source{Generator: generator}
	err = pebble.Run(context.Background(), pebble.Config{Ranks: 3}, func(r *pebble.Rank) error {
		parts, err := components.Run(r, components.Config{Source: source})
		if err != nil {
			return err
		}
		cores, err := kcore.Run(r, kcore.Config{Source: source})
		if err != nil {
			return err
		}
		groups, err := communities.Run(r, communities.Config{Source: source})
		if err != nil {
			return err
		}
		count, err := triangles.Run(r, triangles.Config{Source: source})
		if err != nil {
			return err
		}
		similar, err := jaccard.Run(r, jaccard.Config{Source: source})
		if err != nil {
			return err
		}
		scores, err := pagerank.Run(r, pagerank.Config{Source: source})
		if err != nil {
			return err
		}
		central, err := centrality.Run(r, centrality.Config{Source: source, Sources: distgraph.IDs(0, 1)})
		if r.ID() == 0 && err == nil {
			fmt.Printf("%d components, the largest has %d vertices, %d errors\n", parts.Components, parts.Largest, parts.Errors)
			fmt.Printf("largest core %d, of %d vertices, %d errors\n", cores.Largest, cores.InLargest, cores.Errors)
			fmt.Printf("%d communities after %d iterations, %d errors\n", groups.Communities, groups.Iterations, groups.Errors)
			fmt.Printf("%d triangles, %d errors\n", count.Triangles, count.Errors)
			fmt.Printf("%d pairs, %.4f in the mean, %d errors\n", similar.Pairs, similar.Mean, similar.Errors)
			fmt.Printf("%d iterations, first vertex %d, %d errors\n", scores.Iterations, scores.Top[0].Vertex, scores.Errors)
			fmt.Printf("%d sources, reached %d of %d, %d errors\n",
				central.Sources.Len(), central.Reached[0], central.Vertices, central.Errors)
		}
		return err
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// 230 components, the largest has 795 vertices, 0 errors
	// largest core 26, of 55 vertices, 0 errors
	// 230 communities after 6 iterations, 0 errors
	// 23586 triangles, 0 errors
	// 6006 pairs, 0.0873 in the mean, 0 errors
	// 10 iterations, first vertex 966, 0 errors
	// 2 sources, reached 795 of 1024, 0 errors
}
