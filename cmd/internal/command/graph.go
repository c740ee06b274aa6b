package command

import (
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/activepebbles/pebbles/apps/distgraph"
	"github.com/activepebbles/pebbles/apps/graph"
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
		Path: b.file, Format: format, Generator: generator, Undirected: b.undirected, Order: distgraph.Order(b.order.Text),
		Seed: seed,
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
func (b *startFlags) chosen(given func(string) bool) (distgraph.Labels, int, error) {
	switch {
	case given(b.one) && given(b.many):
		return distgraph.Labels{}, 0, fmt.Errorf("--%s and --%s don't go together: name the %s, or draw some", b.one, b.many, b.many)
	case given(b.one):
		return distgraph.IDs(b.ids...), 0, nil
	}
	return distgraph.Labels{}, b.count, nil
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

// graphCommand is the command of an application on graphs, whose configuration has a source. set, which may be nil,
// completes the configuration when the source is known.
func graphCommand[C checkedConfig, P configuration[C], R result](t Terminal, c *cobra.Command, config P,
	source *distgraph.Source, run func(*pebble.Rank, C) (R, error), set func(given givenFlags) error) *cobra.Command {
	var graph graphFlags
	graph.register(c)
	return appCommand(t, c, byConfig(config, "", run, func(s *settings, given givenFlags) (err error) {
		if *source, err = graph.source(s.Seed, given); err != nil || set == nil {
			return err
		}
		return set(given)
	}))
}

// above0 refuses a flag of 0, which a configuration takes for the default.
func above0(flag string, value float64) error {
	if value == 0 {
		return fmt.Errorf("--%s is 0: give a number above 0", flag)
	}
	return nil
}
