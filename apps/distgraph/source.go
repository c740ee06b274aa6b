package distgraph

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/activepebbles/pebbles/apps/graph"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/ingest"
	"github.com/activepebbles/pebbles/pebble"
)

// Source names a graph: either files or a generator.
type Source struct {
	// Path is a file of the graph, a pattern of ingest.Open that matches several, or a folder that package export has
	// written. All ranks read shares of the files twice: first to check and count, then to send.
	Path string
	// More are further files of the same graph, or patterns.
	More []string
	// Vertices are files, or patterns, that list all vertices, even without an edge, one per line: LDBC's .v files.
	Vertices []string
	// Names means that vertices are any strings. Otherwise they are numbers of 64 bits.
	Names bool
	// Columns name the columns of tables: CSV, TSV, JSON Lines, Avro and Parquet files, by the ends of their names.
	Columns Columns
	// Format is the format of other files; ingest.AutoFormat detects it.
	Format ingest.EdgeFormat
	// Generator makes the graph; each rank makes its share of the edges. All ranks pass equal generators.
	Generator graph.Generator
	// Undirected makes each arc of a directed graph an edge in both directions.
	Undirected bool
	// SelfLoops keeps arcs from a vertex to itself in rows, once each. Without it they only count as edges.
	SelfLoops bool
	// Order is the order of a rank's vertices in memory; the empty Order is OrderAuto.
	Order Order

	// Weights is the origin of the weights of arcs. The empty Weights is Unweighted: none are kept.
	Weights Weights
	// Seed determines Random weights. (A generator has its own seed.)
	Seed uint64

	// Wide uses indices of 64 bits for any graph, as graphs of 2^32 vertices need.
	Wide bool
	// Progress, if not nil, is called on rank 0 from time to time, with the number of done edges and of all edges of
	// the phase in rank 0's share. A total of 0 is unknown.
	Progress func(done, total uint64)
	// Phase, if not nil, is called on rank 0 when a phase of building begins: "edges read", "edges sent" or "edges
	// made", "edges sorted" (without progress).
	Phase func(what string)
}

// Weights is the origin of the weights of arcs.
type Weights string

const (
	// Unweighted keeps no weights.
	Unweighted Weights = ""
	// Given are the weights of the file, or of a generator that is a graph.Weighted. An edge without one is an error.
	Given Weights = "given"
	// Random are drawn uniformly from [0, 1) by the seed and each edge's place in the source, as in Graph500.
	Random Weights = "random"
	// Ones are 1 each.
	Ones Weights = "one"
)

// tell reports the number of edges done, from time to time. A total of 0 is unknown.
func (s Source) tell(before, done, total uint64) {
	const every = 1 << 16
	if s.Progress != nil && before/every != done/every {
		s.Progress(done, total)
	}
}

// begin reports the start of a phase.
func (s Source) begin(what string) {
	if s.Phase != nil {
		s.Phase(what)
	}
}

// beginOn reports the start of a phase that all ranks begin.
func (s Source) beginOn(r *pebble.Rank, what string) {
	if r.ID() == 0 {
		s.begin(what)
	}
}

// Check returns an error if settings are wrong. It does not read the file.
func (s Source) Check() error {
	switch {
	case s.Path == "" && s.Generator == nil:
		return errors.New("no graph: give a file or a generator")
	case s.Path != "" && s.Generator != nil:
		return errors.New("both a file and a generator are given: give one of the two")
	case s.Generator != nil && (s.Names || len(s.Vertices) > 0 || s.Columns != Columns{}):
		return fmt.Errorf("graph %s has numbers for vertices: names, lists of vertices and columns are for files", s.Name())
	case s.isTable() && s.Format != ingest.AutoFormat:
		return fmt.Errorf("graph %s: columns are those of a table, whose format its name tells: leave the format out",
			s.Name())
	}
	switch s.Weights {
	case Unweighted, Random, Ones:
	case Given:
		if _, ok := s.Generator.(graph.Weighted); s.Generator != nil && !ok {
			return fmt.Errorf("graph %s has no weights of its own: take %s weights, or %s each", s.Name(), Random, Ones)
		}
	default:
		return fmt.Errorf("weights %q are not one of %s, %s, %s", s.Weights, Given, Random, Ones)
	}
	return checkOrder(s.Order, s.Generator == nil || s.Undirected || !s.Generator.Directed()) // Build checks the file
}

// CheckUnweighted is Check for an application without weights.
func (s Source) CheckUnweighted(app string) error {
	if s.Weights != Unweighted {
		return errors.New(app + ": arcs count 1 each: leave weights out")
	}
	return s.Check()
}

// Name returns the file's path or the generator's description.
func (s Source) Name() string {
	if s.Generator != nil {
		return s.Generator.Describe()
	}
	return s.Path
}

// inputs returns the names and patterns of all files.
func (s Source) inputs() []string {
	if s.Generator != nil {
		return nil
	}
	return slices.Concat(s.patterns(), s.Vertices)
}

func (s Source) patterns() []string { return append([]string{s.Path}, s.More...) }

// edgesAtOnce is the number of edges read, made or sent at a time.
const edgesAtOnce = 512

// edges are some edges of a source. Their ends are numbers. weights is nil if none are kept.
type edges struct {
	first   uint64 // place of the first edge in the source
	list    []graph.Edge
	weights []float64
}

func (e edges) upTo(n int) edges {
	e.list = e.list[:n]
	if e.weights != nil {
		e.weights = e.weights[:n]
	}
	return e
}

// newBatch returns a batch with room for edgesAtOnce edges.
func (s Source) newBatch() edges {
	batch := edges{list: make([]graph.Edge, edgesAtOnce)}
	if s.Weights != Unweighted {
		batch.weights = make([]float64, edgesAtOnce)
	}
	return batch
}

// weigh sets the weights, except those from a file.
func (s Source) weigh(batch edges) {
	switch s.Weights {
	case Random:
		graph.UniformWeights(s.Seed).Weigh(batch.first, batch.weights)
	case Ones:
		for i := range batch.weights {
			batch.weights[i] = 1
		}
	case Given:
		if g, ok := s.Generator.(graph.Weighted); ok {
			g.Weigh(batch.first, batch.weights)
		}
	case Unweighted:
	}
}

// share passes a rank's share of the edges to do.
func (s Source) share(rank, ranks int, o outline, do func(batch edges)) error {
	if s.Generator != nil {
		s.begin("edges made")
		return s.generate(rank, ranks, do)
	}
	s.begin("edges sent")
	done, total, n, batch := uint64(0), o.file.Share(), 0, s.newBatch()
	give := func() {
		some := batch.upTo(n)
		s.weigh(some)
		do(some)
		s.tell(done, done+uint64(n), total)
		done, n = done+uint64(n), 0
	}
	for place, e := range o.file.All() {
		if n == edgesAtOnce || n > 0 && place != batch.first+uint64(n) {
			give()
		}
		if n == 0 {
			batch.first = place
		}
		from, known := o.numberOf(e.From)
		to, also := o.numberOf(e.To)
		if !known || !also {
			return s.changed()
		}
		batch.list[n] = graph.Edge{From: from, To: to}
		if batch.weights != nil {
			batch.weights[n] = e.Weight
		}
		n++
	}
	give()
	if err := o.file.Err(); err != nil {
		return err
	}
	if done != total {
		return s.changed()
	}
	return nil
}

func (s Source) changed() error {
	return fmt.Errorf("read graph %s: the file changed while the job read it: run again", s.Path)
}

func (s Source) generate(rank, ranks int, do func(batch edges)) error {
	shares := distribution.Block(s.Generator.EdgeCount(), ranks)
	first, left := shares.Key(rank, 0), shares.LocalLen(rank)
	share := uint64(left)
	batch := s.newBatch()
	batch.first = first
	for left > 0 {
		n := min(left, edgesAtOnce)
		some := batch.upTo(n)
		s.Generator.Fill(some.first, some.list)
		s.weigh(some)
		for _, w := range some.weights {
			if !(w >= 0 && w <= math.MaxFloat64) { // NaN too
				return fmt.Errorf("graph %s has an edge of weight %v: expected a finite number of 0 or more", s.Name(), w)
			}
		}
		do(some)
		batch.first += uint64(n)
		left -= n
		if done := share - uint64(left); rank == 0 {
			s.tell(done-uint64(n), done, share)
		}
	}
	return nil
}
