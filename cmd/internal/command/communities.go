package command

import (
	"github.com/spf13/cobra"

	"github.com/activepebbles/pebbles/apps/communities"
)

func newCommunities(t Terminal) *cobra.Command {
	c := &cobra.Command{
		Use:   "communities",
		Short: "Find the communities of a graph by label propagation",
		Long: "communities gives each vertex of a graph from a file or a generator its own id as a label. In each\n" +
			"iteration a vertex takes the most frequent label of its neighbours, the smallest of several: CDLP of\n" +
			"LDBC Graphalytics. Arcs count both ways, so that a neighbour that arcs lead to and from counts\n" +
			"twice. Parallel arcs count once, self-loops not at all. All iterations are checked by pebbles along\n" +
			"each arc.\n\n" +
			"The rate counts the edges of the graph for each iteration.",
		Example: "  pebbles communities --kronecker 16\n" +
			"  pebbles communities --graph web.el.gz --iterations 5 --output communities.csv\n" +
			"  pebbles communities --erdos-renyi 18 --undirected --procs 4 --topology hypercube",
	}
	config := communities.Config{Iterations: communities.IterationsDefault}
	outputFlags(c, &config.Output, "vertex,community", "ids of communities")
	c.Flags().Var(Count(&config.Iterations, 1, ""), "iterations",
		"number of iterations; those after one without a change are left out")
	return graphCommand(t, c, &config, &config.Source, communities.Run, nil)
}
