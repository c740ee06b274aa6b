package command

import (
	"github.com/spf13/cobra"

	"github.com/activepebbles/pebbles/apps/kcore"
)

// kcoreFlags are the flags of pebbles kcore alone.
type kcoreFlags struct{ graph graphFlags }

func newKCore(t Terminal) *cobra.Command {
	c := &cobra.Command{
		Use:   "kcore",
		Short: "Find the core numbers of a graph's vertices",
		Long: "kcore takes vertices with few neighbours away from a graph, from a file or a generator, again and again: what is left\n" +
			"when all have k or more is the k-core, and a vertex's core number is the largest k of a core that has it. Arcs count\n" +
			"whichever way they lead. The numbers are found again by another way. Files are SNAP edge lists, PACE or DIMACS .gr,\n" +
			"Matrix Market or METIS, plain or gzip.",
		Example: "  pebbles kcore --kronecker 16\n" +
			"  pebbles kcore --graph web.el.gz --json\n" +
			"  pebbles kcore --erdos-renyi 18 --procs 4 --topology hypercube",
	}
	return graphCommand(t, c, &kcoreFlags{}, kcore.Run)
}

func (b *kcoreFlags) register(c *cobra.Command) { b.graph.register(c) }

// config translates the flags. given tells which of them are on the command line.
func (b *kcoreFlags) config(seed uint64, given func(string) bool) (c kcore.Config, err error) {
	c.Source, err = b.graph.source(seed, given)
	c.Seed = seed
	return c, err
}
