package command

import (
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/activepebbles/pebbles/apps/bfs"
	"github.com/activepebbles/pebbles/apps/centrality"
	"github.com/activepebbles/pebbles/apps/distgraph"
	"github.com/activepebbles/pebbles/apps/graph"
	"github.com/activepebbles/pebbles/apps/sssp"
	"github.com/activepebbles/pebbles/ingest"
	"github.com/activepebbles/pebbles/pebble"
)

// graphFlags are the flags by which applications name a graph.
type graphFlags struct {
	file       string
	format     Word
	kronecker  int
	erdosRenyi int
	edgeFactor int
	undirected bool
	order      Word
}

func (b *graphFlags) register(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&b.file, "graph", "", "file of the graph, plain, gzip or zstd; or a pattern")
	Words(c, &b.format, "format", ingest.AutoFormat.String(), ingest.EdgeFormatNames(), "format of the file")
	f.IntVar(&b.kronecker, "kronecker", 0, "make a Graph500 Kronecker graph of 2^`SCALE` vertices")
	f.IntVar(&b.erdosRenyi, "erdos-renyi", 0, "make an Erdős-Rényi graph of 2^`SCALE` vertices")
	f.IntVar(&b.edgeFactor, "edge-factor", graph.EdgeFactorDefault, "edges a vertex of a graph that is made")
	f.BoolVar(&b.undirected, "undirected", false, "let each arc of a directed graph lead both ways")
	Words(c, &b.order, "order", string(distgraph.OrderAuto), names(distgraph.Orders), "order of vertices in memory")
}

// names are values of a type of words, as words.
func names[W ~string](of []W) []string {
	all := make([]string, len(of))
	for i, w := range of {
		all[i] = string(w)
	}
	return all
}

// source translates the flags. given tells which of them are on the command line.
func (b *graphFlags) source(seed uint64, given func(string) bool) (distgraph.Source, error) {
	format, err := ingest.ParseEdgeFormat(b.format.Text)
	if err != nil {
		return distgraph.Source{}, err
	}
	generator, err := b.generator(seed, given)
	return distgraph.Source{
		Path: b.file, Format: format, Generator: generator, Undirected: b.undirected, Order: distgraph.Order(b.order.Text), Seed: seed,
	}, err
}

// generator returns the graph's generator; nil for a graph from a file.
func (b *graphFlags) generator(seed uint64, given func(string) bool) (graph.Generator, error) {
	sources := 0
	for _, name := range []string{"graph", "kronecker", "erdos-renyi"} {
		if given(name) {
			sources++
		}
	}
	switch {
	case sources != 1:
		return nil, errors.New("name one graph: --graph FILE, --kronecker SCALE or --erdos-renyi SCALE")
	case given("graph") && b.file == "":
		return nil, errors.New("--graph is empty: name a file")
	case given("graph") && given("edge-factor"):
		return nil, errors.New("--edge-factor is for graphs that are made: leave it out with --graph")
	case given("graph"):
		return nil, nil
	case given("format"):
		return nil, errors.New("--format is for files: leave it out without --graph")
	case given("kronecker"):
		return graph.Kronecker(b.kronecker, b.edgeFactor, seed)
	}
	return graph.ErdosRenyi(b.erdosRenyi, b.edgeFactor, seed)
}

// startFlags name the vertices to start from, or how many to draw.
type startFlags struct {
	one, many string // names of the flags
	ids       []uint64
	count     int
}

// register adds two flags: one for an id, and one for a number of vertices to draw.
func (b *startFlags) register(c *cobra.Command, one, many, to string, otherwise int) {
	f := c.Flags()
	b.one, b.many = one, many
	f.Var((*ids)(&b.ids), one, "id of a vertex to "+to+" from; may be given again")
	f.Var(Count(&b.count, 1, ""), many, "number of "+many+" to draw by the seed")
	b.count = otherwise
	f.Lookup(many).DefValue = strconv.Itoa(otherwise)
}

// chosen are the ids, or the number when none are named.
func (b *startFlags) chosen(given func(string) bool) ([]uint64, int, error) {
	switch {
	case given(b.one) && given(b.many):
		return nil, 0, fmt.Errorf("--%s and --%s don't go together: name the %s, or draw some", b.one, b.many, b.many)
	case given(b.one):
		return b.ids, 0, nil
	}
	return nil, b.count, nil
}

// phases turns a progress into what applications on graphs tell of theirs.
func phases(p progress) (progress func(done, total uint64), phase func(what string)) {
	if p == nil {
		return nil, nil
	}
	what := ""
	return func(done, total uint64) { p(what, done, total) }, func(phase string) {
		what = phase
		p(what, 0, 0)
	}
}

// ids is a flag whose values are ids of vertices, one each time that it is given.
type ids []uint64

func (v *ids) Type() string   { return "ID" }
func (v *ids) String() string { return "" }

func (v *ids) Set(text string) error {
	id, err := strconv.ParseUint(text, 10, 64)
	if errors.Is(err, strconv.ErrRange) {
		return err
	}
	if err != nil {
		return fmt.Errorf("must be the id of a vertex, a whole number from 0 to %d", uint64(math.MaxUint64))
	}
	*v = append(*v, id)
	return nil
}

// graphCommand is the command of an application on graphs: its own flags make a configuration, of type C, with which
// run runs it.
func graphCommand[C interface{ Check(ranks int) error }, R result](t Terminal, c *cobra.Command, own interface {
	register(c *cobra.Command)
	config(seed uint64, given func(string) bool) (C, error)
}, run func(*pebble.Rank, C) (R, error)) *cobra.Command {
	var config C
	own.register(c)
	return appCommand(t, c, byConfig(&config, "", run, func(s *settings, given givenFlags) (err error) {
		config, err = own.config(s.Seed, given)
		return err
	}))
}

// bfsFlags are the flags of pebbles bfs alone.
type bfsFlags struct {
	graph graphFlags
	roots startFlags
	mode  Word
	alpha float64
	beta  float64
}

func newBFS(t Terminal) *cobra.Command {
	c := &cobra.Command{
		Use:   "bfs",
		Short: "Search a graph breadth-first from one or more roots, by the rules of Graph500",
		Long: "bfs searches a graph from a file or a generator breadth-first, from each root on its own, and checks each tree\n" +
			"by the five rules of Graph500. Files are SNAP edge lists, PACE or DIMACS .gr, Matrix Market or METIS, plain, gzip or zstd.\n\n" +
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
	Words(c, &b.mode, "mode", string(bfs.ByLevel), names(bfs.Modes), "how to search")
	f.Float64Var(&b.alpha, "alpha", bfs.AlphaDefault, "mode direction looks against arcs when the frontier's are more than one in `N` of those left")
	f.Float64Var(&b.beta, "beta", bfs.BetaDefault, "and along arcs again when the frontier shrinks below one in `N` vertices")
}

// config translates the flags. given tells which of them are on the command line.
func (b *bfsFlags) config(seed uint64, given func(string) bool) (c bfs.Config, err error) {
	if c.Source, err = b.graph.source(seed, given); err != nil {
		return c, err
	}
	c.Mode, c.Seed = bfs.Mode(b.mode.Text), seed
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

// ssspFlags are the flags of pebbles sssp alone.
type ssspFlags struct {
	graph   graphFlags
	roots   startFlags
	weights Word
	delta   float64
}

func newSSSP(t Terminal) *cobra.Command {
	c := &cobra.Command{
		Use:   "sssp",
		Short: "Find shortest paths by weights from one or more roots, by the rules of Graph500",
		Long: "sssp finds the shortest paths from each root to all vertices of a graph from a file or a generator, and checks each tree\n" +
			"of paths. It is asynchronous: vertices that have come nearer offer their neighbours to come nearer too, the nearest\n" +
			"first, in one epoch. Files are SNAP edge lists and PACE .gr with a third column, DIMACS .gr, Matrix Market or METIS,\n" +
			"plain, gzip or zstd. Weights are finite numbers of 0 or more.\n\n" +
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
	Words(c, &b.weights, "weights", "", names([]distgraph.Weights{distgraph.Given, distgraph.Random, distgraph.Ones}), "weights of arcs (default given with --graph, else random)")
	f.Float64Var(&b.delta, "delta", 0, "width of a bucket of vertices about as near (default by the heaviest arc and the degrees)")
}

// config translates the flags. given tells which of them are on the command line.
func (b *ssspFlags) config(seed uint64, given func(string) bool) (c sssp.Config, err error) {
	if c.Source, err = b.graph.source(seed, given); err != nil {
		return c, err
	}
	made := c.Source.Generator != nil
	switch c.Source.Weights = distgraph.Weights(b.weights.Text); {
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

// centralityFlags are the flags of pebbles centrality alone.
type centralityFlags struct {
	graph   graphFlags
	sources startFlags
	mode    Word
}

func newCentrality(t Terminal) *cobra.Command {
	c := &cobra.Command{
		Use:   "centrality",
		Short: "Compute the betweenness centrality of a graph's vertices from some sources",
		Long: "centrality adds up, for each vertex of a graph from a file or a generator, the share of the shortest paths from some\n" +
			"sources to all others that pass through it (Brandes), and checks what each source contributes. Arcs count 1 each. Files\n" +
			"are SNAP edge lists, PACE or DIMACS .gr, Matrix Market or METIS, plain, gzip or zstd.\n\n" +
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
	Words(c, &b.mode, "mode", string(centrality.ByLevel), names(centrality.Modes), "how to go about it")
}

// config translates the flags. given tells which of them are on the command line.
func (b *centralityFlags) config(seed uint64, given func(string) bool) (c centrality.Config, err error) {
	if c.Source, err = b.graph.source(seed, given); err != nil {
		return c, err
	}
	c.Mode, c.Seed = centrality.Mode(b.mode.Text), seed
	c.Sources, c.SourceCount, err = b.sources.chosen(given)
	return c, err
}
