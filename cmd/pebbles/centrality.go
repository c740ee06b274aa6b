package main

import (
	"github.com/spf13/cobra"

	"github.com/activepebbles/pebbles/apps/centrality"
)

// centralityFlags are the flags of pebbles centrality alone.
type centralityFlags struct {
	graph   graphFlags
	sources startFlags
	mode    word
}

func newCentrality(t terminal) *cobra.Command {
	c := &cobra.Command{
		Use:   "centrality",
		Short: "Compute the betweenness centrality of a graph's vertices from some sources",
		Long: "centrality adds up, for each vertex of a graph from a file or a generator, the share of the shortest paths from some\n" +
			"sources to all others that pass through it (Brandes), and checks what each source contributes. Arcs count 1 each. Files\n" +
			"are SNAP edge lists, PACE or DIMACS .gr, Matrix Market or METIS, plain or gzip.\n\n" +
			"Modes: level sends pebbles, level by level out and back; tasks is Grappa's, whose tasks ask about each arc and wait for\n" +
			"the answer. The rate counts the edges of the graph for each source, as Grappa's paper does.",
		Example: "  pebbles centrality --kronecker 16\n" +
			"  pebbles centrality --graph web.el.gz --sources 16 --json\n" +
			"  pebbles centrality --kronecker 14 --mode tasks --procs 4\n" +
			"  pebbles centrality --graph road.gr.gz --source 1 --source 7",
	}
	return graphCommand(t, c, &centralityFlags{}, centrality.Run)
}

func (b *centralityFlags) register(c *cobra.Command) {
	b.graph.register(c)
	b.sources.register(c, "source", "sources", "begin", centrality.SourcesDefault)
	words(c, &b.mode, "mode", string(centrality.ByLevel), names(centrality.Modes), "how to go about it")
}

// config translates the flags. given tells which of them are on the command line.
func (b *centralityFlags) config(seed uint64, given func(string) bool) (c centrality.Config, err error) {
	if c.Source, err = b.graph.source(seed, given); err != nil {
		return c, err
	}
	c.Mode, c.Seed = centrality.Mode(b.mode.text), seed
	c.Sources, c.SourceCount, err = b.sources.chosen(given)
	return c, err
}
