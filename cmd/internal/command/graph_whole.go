package command

import (
	"github.com/spf13/cobra"

	"github.com/activepebbles/pebbles/apps/components"
	"github.com/activepebbles/pebbles/apps/graph"
	"github.com/activepebbles/pebbles/apps/jaccard"
	"github.com/activepebbles/pebbles/apps/kcore"
	"github.com/activepebbles/pebbles/apps/pagerank"
	"github.com/activepebbles/pebbles/apps/triangles"
)

func newPageRank(t Terminal) *cobra.Command {
	c := &cobra.Command{
		Use:   "pagerank",
		Short: "Rank the vertices of a graph by its arcs",
		Long: "pagerank ranks the vertices of a graph from a file or a generator: each iteration divides the score\n" +
			"of a vertex among the heads of its arcs, until the scores converge. Parallel arcs count once. By\n" +
			"default, as in the GAP benchmark suite, self-loops don't count and the scores of vertices without\n" +
			"arcs are lost. --dangling spread --self-loops keep ranks as NetworkX and igraph do, and --dangling\n" +
			"spread --tolerance 0 --iterations N as LDBC Graphalytics does. Each arc is checked afterwards.\n\n" +
			"The rate counts the edges of the graph for each iteration.",
		Example: "  pebbles pagerank --kronecker 16\n" +
			"  pebbles pagerank --graph web.el.gz --tolerance 1e-8 --iterations 200 --output scores.csv --top 10\n" +
			"  pebbles pagerank --graph web.el.gz --dangling spread --tolerance 0 --iterations 14\n" +
			"  pebbles pagerank --erdos-renyi 18 --damping 0.5 --procs 4 --topology hypercube",
	}
	config := pagerank.Config{Iterations: pagerank.IterationsDefault}
	var dangling, loops Word
	outputFlags(c, &config.Output, "vertex,score", "scores")
	f := c.Flags()
	f.Float64Var(&config.Damping, "damping", pagerank.DampingDefault, "damping factor, above 0 and below 1")
	f.Float64Var(&config.Tolerance, "tolerance", pagerank.ToleranceDefault,
		"stop when the L1 change of all scores is below this; 0: never")
	f.Var(Count(&config.Iterations, 1, ""), "iterations", "maximum number of iterations")
	Words(c, &dangling, "dangling", string(graph.Lose), names(graph.Danglings), "use of scores of vertices without arcs")
	Words(c, &loops, "self-loops", "drop", []string{"drop", "keep"}, "arcs from a vertex to itself")
	return graphCommand(t, c, &config, &config.Source, pagerank.Run, func(givenFlags) error {
		config.Fixed = config.Tolerance == 0
		config.Dangling, config.Source.SelfLoops = graph.Dangling(dangling.Text), loops.Text == "keep"
		return above0("damping", config.Damping)
	})
}

func newComponents(t Terminal) *cobra.Command {
	c := &cobra.Command{
		Use:   "components",
		Short: "Find the connected components of a graph",
		Long: "components finds the connected components of a graph from a file or a generator, and floods each to\n" +
			"check it. Arcs of a directed graph lead both ways here: its components are the weakly connected\n" +
			"ones. Parallel arcs and self-loops change nothing. --output has the smallest member of the\n" +
			"component of each vertex.\n\n" +
			"Methods: with hook each rank joins the ends of its own arcs, and ranks join their trees by pebbles;\n" +
			"propagate spreads the smallest index of each component from vertex to vertex, in one epoch. hook is\n" +
			"the faster one.",
		Example: "  pebbles components --kronecker 16\n" +
			"  pebbles components --graph web.el.gz --output components.parquet\n" +
			"  pebbles components --erdos-renyi 18 --edge-factor 1 --method propagate --procs 4",
	}
	var config components.Config
	var method Word
	outputFlags(c, &config.Output, "vertex,component", "ids of components")
	Words(c, &method, "method", string(components.Hook), names(components.Methods), "algorithm to use")
	return graphCommand(t, c, &config, &config.Source, components.Run, func(givenFlags) error {
		config.Method = components.Method(method.Text)
		return nil
	})
}

func newTriangles(t Terminal) *cobra.Command {
	c := &cobra.Command{
		Use:   "triangles",
		Short: "Count the triangles of a graph",
		Long: "triangles counts the sets of three vertices of a graph, from a file or a generator, each two of\n" +
			"which are joined by an arc, whichever way it leads. --output has those of each vertex, and its local\n" +
			"clustering coefficient, the share of ordered pairs of its neighbours that an arc joins: LCC of LDBC\n" +
			"Graphalytics, in directed graphs too. Parallel arcs count once, self-loops not at all. A second\n" +
			"algorithm checks the counts, for all vertices of small graphs and a sample of larger ones.",
		Example: "  pebbles triangles --kronecker 16\n" +
			"  pebbles triangles --graph web.el.gz --output clustering.csv\n" +
			"  pebbles triangles --erdos-renyi 18 --procs 4 --topology hypercube",
	}
	var config triangles.Config
	outputFlags(c, &config.Output, "vertex,triangles,clustering", "numbers of triangles")
	return graphCommand(t, c, &config, &config.Source, triangles.Run, nil)
}

func newJaccard(t Terminal) *cobra.Command {
	c := &cobra.Command{
		Use:   "jaccard",
		Short: "Find how similar the two ends of each edge are",
		Long: "jaccard finds, for each two vertices that an edge of a graph joins, how many neighbours they have in\n" +
			"common, over how many they have together. The graph is from a file or a generator; arcs count either\n" +
			"way. Parallel arcs count once, self-loops not at all. It counts again by another way, for all pairs\n" +
			"of small graphs and a sample of larger ones.",
		Example: "  pebbles jaccard --kronecker 16\n" +
			"  pebbles jaccard --graph web.el.gz --threshold 0.8 --output similar.csv\n" +
			"  pebbles jaccard --erdos-renyi 18 --procs 4 --topology hypercube",
	}
	var config jaccard.Config
	outputFlags(c, &config.Output, "source,target,similarity of pairs at or above the threshold", "similarities")
	c.Flags().Float64Var(&config.Threshold, "threshold", jaccard.ThresholdDefault,
		"count pairs of this similarity or more, above 0 and at most 1")
	return graphCommand(t, c, &config, &config.Source, jaccard.Run, func(givenFlags) error {
		return above0("threshold", config.Threshold)
	})
}

func newKCore(t Terminal) *cobra.Command {
	c := &cobra.Command{
		Use:   "kcore",
		Short: "Find the core numbers of a graph's vertices",
		Long: "kcore removes vertices with few neighbours from a graph, from a file or a generator, until all\n" +
			"others have k or more. These form the k-core, and a vertex's core number is the largest k of a core\n" +
			"that has it. Arcs count whichever way they lead. Parallel arcs count once, self-loops not at all. A\n" +
			"second algorithm checks the numbers.",
		Example: "  pebbles kcore --kronecker 16\n" +
			"  pebbles kcore --graph web.el.gz --output cores.csv --top 10\n" +
			"  pebbles kcore --erdos-renyi 18 --procs 4 --topology hypercube",
	}
	var config kcore.Config
	outputFlags(c, &config.Output, "vertex,core", "core numbers")
	return graphCommand(t, c, &config, &config.Source, kcore.Run, nil)
}
