package main

import (
	"errors"
	"fmt"
	"math"

	"github.com/spf13/cobra"

	"github.com/activepebbles/pebbles/apps/distgraph"
	"github.com/activepebbles/pebbles/apps/sssp"
)

// ssspFlags are the flags of pebbles sssp alone.
type ssspFlags struct {
	graph   graphFlags
	roots   startFlags
	weights word
	delta   float64
}

func newSSSP(t terminal) *cobra.Command {
	c := &cobra.Command{
		Use:   "sssp",
		Short: "Find shortest paths by weights from one or more roots, by the rules of Graph500",
		Long: "sssp finds the shortest paths from each root to all vertices of a graph from a file or a generator, and checks each tree\n" +
			"of paths. It is asynchronous: vertices that have come nearer offer their neighbours to come nearer too, the nearest\n" +
			"first, in one epoch. Files are SNAP edge lists and PACE .gr with a third column, DIMACS .gr, Matrix Market or METIS,\n" +
			"plain or gzip. Weights are finite numbers of 0 or more.\n\n" +
			"Weights: given are those of the file, and the default for one; random are drawn uniformly from [0, 1) by the seed, as\n" +
			"Graph500 does, and the default for graphs that are made; one is 1 each, so that distances count arcs.",
		Example: "  pebbles sssp --kronecker 16 --roots 4\n" +
			"  pebbles sssp --graph USA-road-d.NY.gr.gz --root 1 --json\n" +
			"  pebbles sssp --graph web.el.gz --weights random --root 0 --delta 0.1\n" +
			"  pebbles sssp --erdos-renyi 18 --edge-factor 8 --procs 4 --topology hypercube --cache 4096",
	}
	return graphCommand(t, c, &ssspFlags{}, sssp.Run)
}

func (b *ssspFlags) register(c *cobra.Command) {
	f := c.Flags()
	b.graph.register(c)
	b.roots.register(c, "root", "roots", "search", sssp.RootsDefault)
	words(c, &b.weights, "weights", "", names([]distgraph.Weights{distgraph.Given, distgraph.Random, distgraph.Ones}), "weights of arcs (default given with --graph, else random)")
	f.Float64Var(&b.delta, "delta", 0, "width of a bucket of vertices about as near (default by the heaviest arc and the degrees)")
}

// config translates the flags. given tells which of them are on the command line.
func (b *ssspFlags) config(seed uint64, given func(string) bool) (c sssp.Config, err error) {
	if c.Source, err = b.graph.source(seed, given); err != nil {
		return c, err
	}
	made := c.Source.Generator != nil
	switch c.Source.Weights = distgraph.Weights(b.weights.text); {
	case c.Source.Weights == distgraph.Given && made:
		return c, errors.New("--weights given is for files: leave it out, or name one by --graph")
	case c.Source.Weights == "" && made:
		c.Source.Weights = distgraph.Random
	case c.Source.Weights == "":
		c.Source.Weights = distgraph.Given
	}
	if c.Delta = b.delta; given("delta") && !(c.Delta > 0 && c.Delta <= math.MaxFloat64) { // NaN too
		return c, fmt.Errorf("--delta is %v: give a number above 0", c.Delta)
	}
	c.Seed = seed
	c.Roots, c.RootCount, err = b.roots.chosen(given)
	return c, err
}
