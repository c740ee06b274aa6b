package main

import (
	"fmt"
	"math"

	"github.com/spf13/cobra"

	"github.com/activepebbles/pebbles/apps/bfs"
)

// bfsFlags are the flags of pebbles bfs alone.
type bfsFlags struct {
	graph graphFlags
	roots startFlags
	mode  word
	alpha float64
	beta  float64
}

func newBFS(t terminal) *cobra.Command {
	c := &cobra.Command{
		Use:   "bfs",
		Short: "Search a graph breadth-first from one or more roots, by the rules of Graph500",
		Long: "bfs searches a graph from a file or a generator breadth-first, from each root on its own, and checks each tree\n" +
			"by the five rules of Graph500. Files are SNAP edge lists, PACE or DIMACS .gr, Matrix Market or METIS, plain or gzip.\n\n" +
			"Modes: level goes level by level along arcs; async corrects levels as better offers come, in one epoch; direction\n" +
			"goes level by level, and for large levels lets the vertices not yet reached look for a parent instead (Beamer);\n" +
			"tasks goes level by level as Grappa does, by tasks that ask about each arc and wait for the answer.\n" +
			"direction is much the fastest where levels are large, as in social networks; it keeps the reversed arcs of\n" +
			"directed graphs too.\n\n" +
			"Two rates are told: traversed edges a second by the Graph500 rule, and all edges of the graph a second, which is\n" +
			"how the GAP benchmark suite counts.",
		Example: "  pebbles bfs --kronecker 16 --roots 4\n" +
			"  pebbles bfs --kronecker 20 --mode direction\n" +
			"  pebbles bfs --graph web.el.gz --root 0 --root 217849 --json\n" +
			"  pebbles bfs --graph road.gr.gz --root 1 --mode async --procs 4 --topology hypercube\n" +
			"  pebbles bfs --erdos-renyi 18 --edge-factor 8 --undirected --cache 4096",
	}
	return graphCommand(t, c, &bfsFlags{}, bfs.Run)
}

func (b *bfsFlags) register(c *cobra.Command) {
	f := c.Flags()
	b.graph.register(c)
	b.roots.register(c, "root", "roots", "search", bfs.RootsDefault)
	words(c, &b.mode, "mode", string(bfs.ByLevel), names(bfs.Modes), "how to search")
	f.Float64Var(&b.alpha, "alpha", bfs.AlphaDefault, "mode direction looks against arcs when the frontier's are more than one in `N` of those left")
	f.Float64Var(&b.beta, "beta", bfs.BetaDefault, "and along arcs again when the frontier shrinks below one in `N` vertices")
}

// config translates the flags. given tells which of them are on the command line.
func (b *bfsFlags) config(seed uint64, given func(string) bool) (c bfs.Config, err error) {
	if c.Source, err = b.graph.source(seed, given); err != nil {
		return c, err
	}
	c.Mode, c.Seed = bfs.Mode(b.mode.text), seed
	if err := b.thresholds(&c, given); err != nil {
		return c, err
	}
	c.Roots, c.RootCount, err = b.roots.chosen(given)
	return c, err
}

// thresholds sets those that are given: the defaults depend on the mode.
func (b *bfsFlags) thresholds(c *bfs.Config, given func(string) bool) error {
	for _, flag := range []struct {
		name     string
		from, to *float64
	}{{"alpha", &b.alpha, &c.Alpha}, {"beta", &b.beta, &c.Beta}} {
		switch {
		case !given(flag.name):
		case c.Mode != bfs.Direction:
			return fmt.Errorf("--%s is for --mode %s: leave it out, or name that mode", flag.name, bfs.Direction)
		case !(*flag.from > 0 && *flag.from <= math.MaxFloat64): // NaN too
			return fmt.Errorf("--%s is %v: give a number above 0", flag.name, *flag.from)
		default:
			*flag.to = *flag.from
		}
	}
	return nil
}
