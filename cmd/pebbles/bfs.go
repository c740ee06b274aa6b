package main

import (
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/activepebbles/pebbles/apps/bfs"
	"github.com/activepebbles/pebbles/apps/graph"
	"github.com/activepebbles/pebbles/pebble"
)

// bfsFlags are the flags of pebbles bfs alone.
type bfsFlags struct {
	file       string
	format     word
	kronecker  int
	erdosRenyi int
	edgeFactor int
	undirected bool
	roots      []uint64
	rootCount  int
	mode       word
	order      word
	alpha      float64
	beta       float64
}

func newBFS(t terminal) *cobra.Command {
	c := &cobra.Command{
		Use:   "bfs",
		Short: "Search a graph breadth-first from one or more roots, by the rules of Graph500",
		Long: "bfs searches a graph from a file or a generator breadth-first, from each root on its own, and checks each tree\n" +
			"by the five rules of Graph500. Files are SNAP edge lists, PACE .gr, Matrix Market or METIS, plain or gzip.\n\n" +
			"Modes: level goes level by level along arcs; async corrects levels as better offers come, in one epoch; direction\n" +
			"goes level by level, and for large levels lets the vertices not yet reached look for a parent instead (Beamer).\n" +
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
	var own bfsFlags
	var config bfs.Config
	own.register(c)
	return appCommand(t, c, application{
		check: func(s *settings, c *cobra.Command) (err error) {
			if config, err = own.config(s.seed, c.Flags().Changed); err != nil {
				return err
			}
			return config.Check(s.ranks())
		},
		run: func(r *pebble.Rank, _ *settings, p progress) (outcome, error) {
			config := config
			if p != nil {
				what := ""
				config.Phase = func(phase string) { what = phase; p(what, 0, 0) }
				config.Progress = func(done, total uint64) { p(what, done, total) }
			}
			result, err := bfs.Run(r, config)
			return outcome{result.Report, result, result.Rows()}, err
		},
	})
}

func (b *bfsFlags) register(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&b.file, "graph", "", "file of the graph, plain or gzip")
	formats := make([]string, 0, int(graph.METIS)+1)
	for format := graph.Auto; format <= graph.METIS; format++ {
		formats = append(formats, format.String())
	}
	words(c, &b.format, "format", graph.Auto.String(), formats, "format of the file")
	f.IntVar(&b.kronecker, "kronecker", 0, "make a Graph500 Kronecker graph of 2^`SCALE` vertices")
	f.IntVar(&b.erdosRenyi, "erdos-renyi", 0, "make an Erdős-Rényi graph of 2^`SCALE` vertices")
	f.IntVar(&b.edgeFactor, "edge-factor", graph.EdgeFactorDefault, "edges a vertex of a graph that is made")
	f.BoolVar(&b.undirected, "undirected", false, "let each arc of a directed graph lead both ways")
	f.Var((*ids)(&b.roots), "root", "id of a vertex to search from; may be given again")
	f.Var(count{&b.rootCount, 1, ""}, "roots", "number of roots to draw by the seed")
	b.rootCount = bfs.RootsDefault
	f.Lookup("roots").DefValue = strconv.Itoa(bfs.RootsDefault)
	modes := make([]string, len(bfs.Modes))
	for i, m := range bfs.Modes {
		modes[i] = string(m)
	}
	words(c, &b.mode, "mode", string(bfs.ByLevel), modes, "how to search")
	orders := make([]string, len(bfs.Orders))
	for i, o := range bfs.Orders {
		orders[i] = string(o)
	}
	words(c, &b.order, "order", string(bfs.OrderAuto), orders, "order of vertices in memory")
	f.Float64Var(&b.alpha, "alpha", bfs.AlphaDefault, "mode direction looks against arcs when the frontier's are more than one in `N` of those left")
	f.Float64Var(&b.beta, "beta", bfs.BetaDefault, "and along arcs again when the frontier shrinks below one in `N` vertices")
}

// config translates the flags. given tells which of them are on the command line.
func (b *bfsFlags) config(seed uint64, given func(string) bool) (bfs.Config, error) {
	format, err := graph.ParseFormat(b.format.text)
	if err != nil {
		return bfs.Config{}, err
	}
	generator, err := b.generator(seed, given)
	if err != nil {
		return bfs.Config{}, err
	}
	c := bfs.Config{
		Source: bfs.Source{Path: b.file, Format: format, Generator: generator, Undirected: b.undirected, Order: bfs.Order(b.order.text)},
		Mode:   bfs.Mode(b.mode.text), Roots: b.roots, RootCount: b.rootCount, Seed: seed,
	}
	if err := b.thresholds(&c, given); err != nil {
		return c, err
	}
	switch {
	case given("root") && given("roots"):
		return c, errors.New("--root and --roots don't go together: name the roots, or draw some")
	case given("root"):
		c.RootCount = 0
	}
	return c, nil
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

// generator returns the graph's generator; nil for a graph from a file.
func (b *bfsFlags) generator(seed uint64, given func(string) bool) (graph.Generator, error) {
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
