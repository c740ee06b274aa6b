package command

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/activepebbles/pebbles/apps/pagerank"
)

// pageRankFlags are the flags of pebbles pagerank alone.
type pageRankFlags struct {
	graph      graphFlags
	damping    float64
	tolerance  float64
	iterations int
}

func newPageRank(t Terminal) *cobra.Command {
	c := &cobra.Command{
		Use:   "pagerank",
		Short: "Rank the vertices of a graph by its arcs",
		Long: "pagerank ranks the vertices of a graph from a file or a generator: each gives what it has, in equal parts, to the\n" +
			"vertices that its arcs lead to, again and again, until an iteration changes little. It does so as the GAP benchmark\n" +
			"suite does: what vertices without arcs have is lost. Each arc is checked afterwards. Files are SNAP edge lists, PACE\n" +
			"or DIMACS .gr, Matrix Market or METIS, plain or gzip.\n\n" +
			"The rate counts the edges of the graph for each iteration.",
		Example: "  pebbles pagerank --kronecker 16\n" +
			"  pebbles pagerank --graph web.el.gz --tolerance 1e-8 --iterations 200 --json\n" +
			"  pebbles pagerank --erdos-renyi 18 --damping 0.5 --procs 4 --topology hypercube",
	}
	return graphCommand(t, c, &pageRankFlags{}, pagerank.Run)
}

func (b *pageRankFlags) register(c *cobra.Command) {
	b.graph.register(c)
	f := c.Flags()
	f.Float64Var(&b.damping, "damping", pagerank.DampingDefault, "share that arcs carry on, above 0 and below 1")
	f.Float64Var(&b.tolerance, "tolerance", pagerank.ToleranceDefault, "end when an iteration changes all scores together by less")
	b.iterations = pagerank.IterationsDefault
	f.Var(Count(&b.iterations, 1, ""), "iterations", "end after so many anyway")
}

// config translates the flags. given tells which of them are on the command line.
func (b *pageRankFlags) config(seed uint64, given func(string) bool) (c pagerank.Config, err error) {
	for _, flag := range []struct {
		name  string
		value float64
	}{{"damping", b.damping}, {"tolerance", b.tolerance}} {
		if flag.value == 0 { // which a configuration takes for the default
			return c, fmt.Errorf("--%s is 0: give a number above 0", flag.name)
		}
	}
	c.Source, err = b.graph.source(seed, given)
	c.Damping, c.Tolerance, c.Iterations, c.Seed = b.damping, b.tolerance, b.iterations, seed
	return c, err
}
