package command

import (
	"github.com/spf13/cobra"

	"github.com/activepebbles/pebbles/apps/components"
)

// componentsFlags are the flags of pebbles components alone.
type componentsFlags struct {
	graph  graphFlags
	method Word
}

func newComponents(t Terminal) *cobra.Command {
	c := &cobra.Command{
		Use:   "components",
		Short: "Find the connected components of a graph",
		Long: "components finds the connected components of a graph from a file or a generator, and floods each to check it. Arcs\n" +
			"of a directed graph lead both ways here: its components are the weakly connected ones. Files are SNAP edge lists,\n" +
			"PACE or DIMACS .gr, Matrix Market or METIS, plain or gzip.\n\n" +
			"Methods: hook lets each rank join what its own arcs join, and ranks join their trees by pebbles; propagate spreads\n" +
			"the smallest index of each component from vertex to vertex, in one epoch. hook is the faster one.",
		Example: "  pebbles components --kronecker 16\n" +
			"  pebbles components --graph web.el.gz --json\n" +
			"  pebbles components --erdos-renyi 18 --edge-factor 1 --method propagate --procs 4",
	}
	return graphCommand(t, c, &componentsFlags{}, components.Run)
}

func (b *componentsFlags) register(c *cobra.Command) {
	b.graph.register(c)
	Words(c, &b.method, "method", string(components.Hook), names(components.Methods), "how to go about it")
}

// config translates the flags. given tells which of them are on the command line.
func (b *componentsFlags) config(seed uint64, given func(string) bool) (c components.Config, err error) {
	c.Source, err = b.graph.source(seed, given)
	c.Method, c.Seed = components.Method(b.method.Text), seed
	return c, err
}
