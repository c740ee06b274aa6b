package command

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/activepebbles/pebbles/apps/jaccard"
)

// jaccardFlags are the flags of pebbles jaccard alone.
type jaccardFlags struct {
	graph     graphFlags
	threshold float64
}

func newJaccard(t Terminal) *cobra.Command {
	c := &cobra.Command{
		Use:   "jaccard",
		Short: "Find how similar the two ends of each edge are",
		Long: "jaccard finds, for each two vertices that an edge of a graph joins, how many neighbours they have in\n" +
			"common, over how many they have together. The graph is from a file or a generator; arcs count either\n" +
			"way. It counts again by another way, for all pairs of small graphs and a sample of larger ones. Files\n" +
			"are SNAP edge lists, PACE or DIMACS .gr, Matrix Market or METIS, plain or gzip.",
		Example: "  pebbles jaccard --kronecker 16\n" +
			"  pebbles jaccard --graph web.el.gz --threshold 0.8 --json\n" +
			"  pebbles jaccard --erdos-renyi 18 --procs 4 --topology hypercube",
	}
	return graphCommand(t, c, &jaccardFlags{}, jaccard.Run)
}

func (b *jaccardFlags) register(c *cobra.Command) {
	b.graph.register(c)
	c.Flags().Float64Var(&b.threshold, "threshold", jaccard.ThresholdDefault,
		"count pairs of this similarity or more, above 0 and 1 at most")
}

// config translates the flags. given tells which of them are on the command line.
func (b *jaccardFlags) config(seed uint64, given func(string) bool) (c jaccard.Config, err error) {
	if b.threshold == 0 { // which a configuration takes for the default
		return c, errors.New("--threshold is 0: give a number above 0")
	}
	c.Source, err = b.graph.source(seed, given)
	c.Threshold, c.Seed = b.threshold, seed
	return c, err
}
