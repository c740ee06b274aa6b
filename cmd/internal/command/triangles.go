package command

import (
	"github.com/spf13/cobra"

	"github.com/activepebbles/pebbles/apps/triangles"
)

// trianglesFlags are the flags of pebbles triangles alone.
type trianglesFlags struct{ graph graphFlags }

func newTriangles(t Terminal) *cobra.Command {
	c := &cobra.Command{
		Use:   "triangles",
		Short: "Count the triangles of a graph",
		Long: "triangles counts the sets of three vertices of a graph, from a file or a generator, each two of which are joined by an\n" +
			"arc, whichever way it leads; and counts again by another way, for all vertices of small graphs and a sample of larger\n" +
			"ones. Files are SNAP edge lists, PACE or DIMACS .gr, Matrix Market or METIS, plain or gzip.",
		Example: "  pebbles triangles --kronecker 16\n" +
			"  pebbles triangles --graph web.el.gz --json\n" +
			"  pebbles triangles --erdos-renyi 18 --procs 4 --topology hypercube",
	}
	return graphCommand(t, c, &trianglesFlags{}, triangles.Run)
}

func (b *trianglesFlags) register(c *cobra.Command) { b.graph.register(c) }

// config translates the flags. given tells which of them are on the command line.
func (b *trianglesFlags) config(seed uint64, given func(string) bool) (c triangles.Config, err error) {
	c.Source, err = b.graph.source(seed, given)
	c.Seed = seed
	return c, err
}
