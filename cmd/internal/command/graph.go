package command

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/activepebbles/pebbles/apps/distgraph"
	"github.com/activepebbles/pebbles/apps/graph"
	"github.com/activepebbles/pebbles/ingest"
	"github.com/activepebbles/pebbles/pebble"
)

// graphFlags are the flags of applications that name a graph.
type graphFlags struct {
	files      []string
	vertices   []string
	ids        Word
	columns    distgraph.Columns
	format     Word
	kronecker  int
	erdosRenyi int
	edgeFactor int
	undirected bool
	order      Word
}

func (b *graphFlags) register(c *cobra.Command) {
	f := c.Flags()
	f.StringArrayVar(&b.files, "graph", nil, "`FILE` of edges, plain, gzip or zstd; or a pattern; may be given again")
	f.StringArrayVar(&b.vertices, "vertices", nil, "`FILE` that lists all vertices, one a line; may be given again")
	Words(c, &b.ids, "ids", idsAreNumbers, []string{idsAreNumbers, idsAreNames}, "ids of vertices in files")
	Words(c, &b.format, "format", ingest.AutoFormat.String(), ingest.EdgeFormatNames(), "format of a file of edges")
	f.StringVar(&b.columns.Source, "source", "", "`COLUMN` of a table with the tails of arcs (default source)")
	f.StringVar(&b.columns.Target, "target", "", "`COLUMN` of a table with the heads of arcs (default target)")
	f.StringVar(&b.columns.Weight, "weight", "", "`COLUMN` of a table with the weights of arcs (default weight)")
	f.IntVar(&b.kronecker, "kronecker", 0, "make a Graph500 Kronecker graph of 2^`SCALE` vertices")
	f.IntVar(&b.erdosRenyi, "erdos-renyi", 0, "make an Erdős-Rényi graph of 2^`SCALE` vertices")
	f.IntVar(&b.edgeFactor, "edge-factor", graph.EdgeFactorDefault, "edges a vertex of a graph that is made")
	f.BoolVar(&b.undirected, "undirected", false, "let each arc of a directed graph lead both ways")
	Words(c, &b.order, "order", string(distgraph.OrderAuto), names(distgraph.Orders), "order of vertices in memory")
}

// The values of --ids.
const (
	idsAreNumbers = "numbers"
	idsAreNames   = "names"
)

// names converts values of a string type to strings.
func names[W ~string](of []W) []string {
	all := make([]string, len(of))
	for i, w := range of {
		all[i] = string(w)
	}
	return all
}

// source translates the flags. given reports whether one is on the command line.
func (b *graphFlags) source(seed uint64, given func(string) bool) (distgraph.Source, error) {
	format, err := ingest.ParseEdgeFormat(b.format.Text)
	if err != nil {
		return distgraph.Source{}, err
	}
	generator, err := b.generator(seed, given)
	source := distgraph.Source{
		Vertices: b.vertices, Names: b.ids.Text == idsAreNames, Columns: b.columns, Format: format, Generator: generator,
		Undirected: b.undirected, Order: distgraph.Order(b.order.Text), Seed: seed,
	}
	if len(b.files) > 0 {
		source.Path, source.More = b.files[0], b.files[1:]
	}
	return source, err
}

// generator returns the graph's generator, or nil for a graph from a file.
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
	case given("graph") && slices.Contains(b.files, ""):
		return nil, errors.New("--graph is empty: name a file")
	case given("graph") && given("edge-factor"):
		return nil, errors.New("--edge-factor is for graphs that are made: leave it out with --graph")
	case given("graph"):
		return nil, nil
	}
	for _, name := range []string{"format", "vertices", "ids", "source", "target", "weight"} {
		if given(name) {
			return nil, fmt.Errorf("--%s is for files: leave it out without --graph", name)
		}
	}
	if given("kronecker") {
		return graph.Kronecker(b.kronecker, b.edgeFactor, seed)
	}
	return graph.ErdosRenyi(b.erdosRenyi, b.edgeFactor, seed)
}

// startFlags name the start vertices, or the number of vertices to draw.
type startFlags struct {
	one, many string // names of the flags
	ids       []string
	count     int
}

// register adds two flags: one for the id of a vertex, which may be a name, and one for a number of vertices to draw.
func (b *startFlags) register(c *cobra.Command, one, many, to string, otherwise int) {
	f := c.Flags()
	b.one, b.many = one, many
	f.StringArrayVar(&b.ids, one, nil, "`ID` of a vertex to "+to+" from; may be given again")
	f.Var(Count(&b.count, 1, ""), many, "number of "+many+" to draw by the seed")
	b.count = otherwise
	f.Lookup(many).DefValue = strconv.Itoa(otherwise)
}

// chosen returns the labels, or the number if no vertex is named.
func (b *startFlags) chosen(of distgraph.Source, given func(string) bool) (distgraph.Labels, int, error) {
	switch {
	case given(b.one) && given(b.many):
		return distgraph.Labels{}, 0, fmt.Errorf("--%s and --%s don't go together: name the %s, or draw some", b.one,
			b.many, b.many)
	case !given(b.one):
		return distgraph.Labels{}, b.count, nil
	case of.Names:
		return distgraph.Labels{Names: b.ids}, 0, nil
	}
	var labels distgraph.Labels
	for _, text := range b.ids {
		id, err := strconv.ParseUint(text, 10, 64)
		switch {
		case errors.Is(err, strconv.ErrRange):
			return labels, 0, fmt.Errorf("--%s is %s, which is too large: an id has at most 64 bits", b.one, text)
		case err != nil:
			return labels, 0, fmt.Errorf("--%s is %q: give a whole number from 0 to %d, or set --ids %s for a graph whose "+
				"vertices have names", b.one, text, uint64(math.MaxUint64), idsAreNames)
		}
		labels.IDs = append(labels.IDs, id)
	}
	return labels, 0, nil
}

// graphFiles is the part of the help of all graph applications about files.
const graphFiles = "\n\n" +
	"Files are SNAP edge lists, adjacency lists, PACE or DIMACS .gr, Matrix Market, METIS, LDBC's .e (and\n" +
	".v, with --vertices), or tables of arcs: CSV, TSV, JSON Lines, Avro and Parquet, whose columns\n" +
	"--source, --target and --weight name. Text may be compressed by gzip or zstd. Vertices are numbers\n" +
	"of 64 bits, or any strings with --ids names."

// graphCommand returns the command of an application on graphs, whose configuration has a source. set, which may be
// nil, completes the configuration when the source is known.
func graphCommand[C checkedConfig, P configuration[C], R result](t Terminal, c *cobra.Command, config P,
	source *distgraph.Source, run func(*pebble.Rank, C) (R, error), set func(given givenFlags) error) *cobra.Command {
	var graph graphFlags
	graph.register(c)
	c.Long += graphFiles
	return appCommand(t, c, byConfig(config, "", run, func(s *settings, given givenFlags) (err error) {
		if *source, err = graph.source(s.Seed, given); err == nil && set != nil {
			err = set(given)
		}
		if err == nil && given("weight") && source.Weights != distgraph.Given {
			err = errors.New("--weight names a column of weights, which this run does not use: leave it out")
		}
		return err
	}))
}

// above0 refuses a flag of 0, which would mean the default in a configuration.
func above0(flag string, value float64) error {
	if value == 0 {
		return fmt.Errorf("--%s is 0: give a number above 0", flag)
	}
	return nil
}
