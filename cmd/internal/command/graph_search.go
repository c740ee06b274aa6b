package command

import (
	"errors"
	"fmt"
	"math"

	"github.com/spf13/cobra"

	"github.com/activepebbles/pebbles/apps/bfs"
	"github.com/activepebbles/pebbles/apps/centrality"
	"github.com/activepebbles/pebbles/apps/distgraph"
	"github.com/activepebbles/pebbles/apps/sssp"
)

func newBFS(t Terminal) *cobra.Command {
	c := &cobra.Command{
		Use:   "bfs",
		Short: "Search a graph breadth-first from one or more roots, by the rules of Graph500",
		Long: "bfs searches a graph from a file or a generator breadth-first, from each root on its own, and checks\n" +
			"each tree by the five rules of Graph500. Self-loops and parallel arcs change no tree; they count in\n" +
			"the rates.\n\n" +
			"Modes: level goes level by level along arcs; async corrects levels as better offers come, in one\n" +
			"epoch; direction goes level by level, and for large levels lets the vertices not yet reached look\n" +
			"for a parent instead (Beamer); tasks goes level by level as Grappa does, by tasks that ask about\n" +
			"each arc and wait for the answer. direction is much the fastest where levels are large, as in social\n" +
			"networks; it keeps the reversed arcs of directed graphs too.\n\n" +
			"--output writes the tree of one root: of all vertices one level nearer, the parent is the one with\n" +
			"the smallest id. Vertices that are not reached have no row; the root is its own parent.\n\n" +
			"It prints two rates: traversed edges a second by the Graph500 rule, and all edges of the graph a\n" +
			"second, which is how the GAP benchmark suite counts.",
		Example: "  pebbles bfs --kronecker 16 --roots 4\n" +
			"  pebbles bfs --kronecker 20 --mode direction\n" +
			"  pebbles bfs --graph web.el.gz --root 0 --root 217849 --json\n" +
			"  pebbles bfs --graph web.el.gz --root 0 --output tree.csv\n" +
			"  pebbles bfs --graph road.gr.gz --root 1 --mode async --procs 4 --topology hypercube\n" +
			"  pebbles bfs --erdos-renyi 18 --edge-factor 8 --undirected --cache 4096",
	}
	var config bfs.Config
	var roots startFlags
	var mode Word
	outputFlags(c, &config.Output, "vertex,parent,distance", "distances")
	roots.register(c, "root", "roots", "search", bfs.RootsDefault)
	Words(c, &mode, "mode", string(bfs.ByLevel), names(bfs.Modes), "search algorithm")
	f := c.Flags()
	f.Float64Var(&config.Alpha, "alpha", bfs.AlphaDefault,
		"mode direction: search against arcs while the frontier has more than one in `N` of the arcs left")
	f.Float64Var(&config.Beta, "beta", bfs.BetaDefault,
		"mode direction: search along arcs again when the frontier shrinks below one in `N` vertices")
	return graphCommand(t, c, &config, &config.Source, bfs.Run, func(given givenFlags) (err error) {
		config.Mode = bfs.Mode(mode.Text)
		if err := thresholds(&config, given); err != nil {
			return err
		}
		config.Roots, config.RootCount, err = roots.chosen(config.Source, given)
		return err
	})
}

// thresholds checks the given flags, and leaves the others to the mode.
func thresholds(c *bfs.Config, given givenFlags) error {
	for name, value := range map[string]*float64{"alpha": &c.Alpha, "beta": &c.Beta} {
		switch {
		case !given(name):
			*value = 0
		case c.Mode != bfs.Direction:
			return fmt.Errorf("--%s is for --mode %s: leave it out, or name that mode", name, bfs.Direction)
		case !(*value > 0 && *value <= math.MaxFloat64): // NaN too
			return fmt.Errorf("--%s is %v: give a number above 0", name, *value)
		}
	}
	return nil
}

func newSSSP(t Terminal) *cobra.Command {
	c := &cobra.Command{
		Use:   "sssp",
		Short: "Find shortest paths by weights from one or more roots, by the rules of Graph500",
		Long: "sssp finds the shortest paths from each root to all vertices of a graph from a file or a generator,\n" +
			"and checks each tree of paths. It is asynchronous: vertices that have come nearer offer their\n" +
			"neighbours to come nearer too, the nearest first, in one epoch. Of parallel arcs the lightest\n" +
			"counts, self-loops do not; all count in the rates. Weights are finite numbers of 0 or more.\n\n" +
			"Weights: given are those of the file, and the default for one; random are drawn uniformly from [0,\n" +
			"1) by the seed, as Graph500 does, and the default for graphs that are made; one is 1 each, so that\n" +
			"distances count arcs. Of parallel arcs the lightest counts.\n\n" +
			"--output writes the paths of one root: of all vertices on shortest paths, the parent is the one with\n" +
			"the smallest id. Vertices that are not reached have no row; the root is its own parent.",
		Example: "  pebbles sssp --kronecker 16 --roots 4\n" +
			"  pebbles sssp --graph USA-road-d.NY.gr.gz --root 1 --output paths.parquet\n" +
			"  pebbles sssp --graph web.el.gz --weights random --root 0 --delta 0.1\n" +
			"  pebbles sssp --erdos-renyi 18 --edge-factor 8 --procs 4 --topology hypercube --cache 4096",
	}
	var config sssp.Config
	var roots startFlags
	var weights Word
	outputFlags(c, &config.Output, "vertex,parent,distance", "distances")
	f := c.Flags()
	roots.register(c, "root", "roots", "search", sssp.RootsDefault)
	Words(c, &weights, "weights", "", names([]distgraph.Weights{distgraph.Given, distgraph.Random, distgraph.Ones}),
		"weights of arcs (default given with --graph, else random)")
	f.Float64Var(&config.Delta, "delta", 0,
		"bucket width of delta-stepping (default derived from the heaviest arc and the degrees)")
	return graphCommand(t, c, &config, &config.Source, sssp.Run, func(given givenFlags) (err error) {
		if err := weigh(&config.Source, distgraph.Weights(weights.Text)); err != nil {
			return err
		}
		if given("delta") && !(config.Delta > 0 && config.Delta <= math.MaxFloat64) { // NaN too
			return fmt.Errorf("--delta is %v: give a number above 0", config.Delta)
		}
		config.Roots, config.RootCount, err = roots.chosen(config.Source, given)
		return err
	})
}

// weigh sets the origin of a source's weights: by default its file, or random numbers for a generator.
func weigh(source *distgraph.Source, by distgraph.Weights) error {
	generated := source.Generator != nil
	switch source.Weights = by; {
	case by == distgraph.Given && generated:
		return errors.New("--weights given is for files: leave it out, or name one by --graph")
	case by == "" && generated:
		source.Weights = distgraph.Random
	case by == "":
		source.Weights = distgraph.Given
	}
	return nil
}

func newCentrality(t Terminal) *cobra.Command {
	c := &cobra.Command{
		Use:   "centrality",
		Short: "Compute the betweenness centrality of a graph's vertices from some sources",
		Long: "centrality adds up, for each vertex of a graph from a file or a generator, the fraction of the\n" +
			"shortest paths from some roots to all others that pass through it (Brandes), and checks the\n" +
			"contribution of each source. Arcs count 1 each. Parallel arcs count once, self-loops not at all,\n" +
			"except in the rate.\n\n" +
			"Modes: level sends pebbles, level by level out and back; tasks is Grappa's, whose tasks ask about\n" +
			"each arc and wait for the answer. The rate counts the edges of the graph for each root, as\n" +
			"Grappa's paper does.",
		Example: "  pebbles centrality --kronecker 16\n" +
			"  pebbles centrality --graph web.el.gz --roots 16 --json\n" +
			"  pebbles centrality --graph web.el.gz --output scores.csv.gz --top 10\n" +
			"  pebbles centrality --kronecker 14 --mode tasks --procs 4\n" +
			"  pebbles centrality --graph road.gr.gz --root 1 --root 7",
	}
	var config centrality.Config
	var roots startFlags
	var mode Word
	outputFlags(c, &config.Output, "vertex,score", "scores")
	roots.register(c, "root", "roots", "begin", centrality.SourcesDefault)
	Words(c, &mode, "mode", string(centrality.ByLevel), names(centrality.Modes), "algorithm")
	return graphCommand(t, c, &config, &config.Source, centrality.Run, func(given givenFlags) (err error) {
		config.Mode = centrality.Mode(mode.Text)
		config.Sources, config.SourceCount, err = roots.chosen(config.Source, given)
		return err
	})
}
