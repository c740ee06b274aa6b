package distgraph

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/graph"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/ingest"
	"github.com/activepebbles/pebbles/pebble"
)

// Source names a graph: files or a generator, one of the two.
type Source struct {
	// Path is a file of the graph, a pattern of several, or a folder that package export has written: a pattern of
	// ingest.Open. All ranks read shares of the files, twice: first to check and count, then to send.
	Path string
	// More are further files of the same graph, or patterns.
	More []string
	// Format is the format of the files; ingest.AutoFormat detects it.
	Format ingest.EdgeFormat
	// Generator makes the graph, each rank its share of the edges. All ranks give equal generators.
	Generator graph.Generator
	// Undirected makes each arc of a directed graph an edge in both directions.
	Undirected bool
	// SelfLoops keeps arcs from a vertex to itself in rows, once each; without it they only count as edges.
	SelfLoops bool
	// Order is the order of a rank's vertices in memory; the empty Order is OrderAuto.
	Order Order

	// Weights is the origin of the weights of arcs. The empty Weights is Unweighted: none are kept.
	Weights Weights
	// Seed decides Random weights. (A generator has a seed of its own.)
	Seed uint64

	// Wide makes indices of 64 bits, as graphs of 2^32 vertices need, of any graph.
	Wide bool
	// Progress, unless it is nil, is called on rank 0 from time to time with the number of edges of its share that a
	// phase has done, and their total; 0 is unknown.
	Progress func(done, total uint64)
	// Phase, unless it is nil, is called on rank 0 when a phase of building begins: "edges read", "edges sent" or "edges
	// made", "edges sorted" (without progress).
	Phase func(what string)
}

// Weights is the origin of the weights of arcs.
type Weights string

const (
	// Unweighted keeps no weights.
	Unweighted Weights = ""
	// Given are those of the file, or of a generator that is a graph.Weighted. An edge without a weight is an error.
	Given Weights = "given"
	// Random are drawn uniformly from [0, 1) by the seed and each edge's place in the source, as Graph500 does.
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

// begin reports a phase.
func (s Source) begin(what string) {
	if s.Phase != nil {
		s.Phase(what)
	}
}

// beginOn reports a phase that all ranks begin.
func (s Source) beginOn(r *pebble.Rank, what string) {
	if r.ID() == 0 {
		s.begin(what)
	}
}

// Check returns an error for settings that are wrong, without a look at the file.
func (s Source) Check() error {
	switch {
	case s.Path == "" && s.Generator == nil:
		return errors.New("no graph: give a file or a generator")
	case s.Path != "" && s.Generator != nil:
		return errors.New("both a file and a generator are given: give one of the two")
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
	return checkOrder(s.Order, s.Generator == nil || s.Undirected || !s.Generator.Directed()) // Build asks the file
}

// CheckUnweighted is Check for an application that takes no weights.
func (s Source) CheckUnweighted(app string) error {
	if s.Weights != Unweighted {
		return errors.New(app + ": arcs count 1 each: leave weights out")
	}
	return s.Check()
}

// Name is the file's path or the generator's description.
func (s Source) Name() string {
	if s.Generator != nil {
		return s.Generator.Describe()
	}
	return s.Path
}

// edgesAtOnce is the number of edges that are read, made or sent at a time.
const edgesAtOnce = 512

// outline is known of a graph before its edges are sent.
type outline struct {
	vertices, edges uint64
	undirected      bool
	weighted        bool          // in the file
	file            *ingest.Graph // nil for a generator
	base            uint64        // the id of number 0, if numbers follow from ids; otherwise
	lookup          *lookup       // has the numbers, and
	// label gives each owner the labels of its vertices. It is collective.
	label func(g *Graph) (ownLabels, error)
}

// survey reads files from end to end, so that everything wrong with them is known before an edge is sent. It is
// collective.
func (s Source) survey(r *pebble.Rank) (o outline, err error) {
	if g := s.Generator; g != nil {
		return outline{vertices: g.Vertices(), edges: g.EdgeCount(), undirected: s.Undirected || !g.Directed()}, nil
	}
	s.begin("edges read")
	var options []ingest.Option
	if s.Weights == Given {
		options = append(options, ingest.Weights())
	}
	var met idSet
	done := uint64(0)
	visit := func(e ingest.Edge) {
		met.add(e.From)
		met.add(e.To)
		done++
		s.tell(done-1, done, 0)
	}
	patterns := append([]string{s.Path}, s.More...)
	f, err := ingest.OpenGraph(r, patterns, ingest.Edges(s.Format), visit, options...)
	if errors.Is(err, ingest.ErrUnweighted) {
		return o, fmt.Errorf("%w: take %s weights, or %s each", err, Random, Ones)
	}
	if err != nil {
		return o, err
	}
	o = outline{
		vertices: f.Vertices, edges: f.Edges, undirected: s.Undirected || !f.Directed, weighted: f.Weighted, file: f,
	}
	if f.Numbered {
		o.base = 1
		return o, nil
	}
	if err := o.number(r, met.sorted(), f.Vertices); err != nil {
		return o, fmt.Errorf("read graph %s: %w", s.Path, err)
	}
	return o, nil
}

// number gives the ids that ranks have met their numbers, for a graph of at least as many vertices as a header counts.
// Ids from 0 to the number of vertices are numbers themselves. It is collective.
func (o *outline) number(r *pebble.Rank, own []uint64, counted uint64) error {
	t, err := newRoll(r, own)
	if err != nil {
		return err
	}
	c, err := count(t, counted)
	if err != nil {
		return err
	}
	o.vertices = t.total + c.isolated
	above := uint64(0)
	if n := len(t.names); n > 0 && t.names[n-1] >= o.vertices {
		above = 1
	}
	if above, err = apps.Sum(r, above); err != nil || above == 0 {
		return err
	}
	numbers, err := t.answer(c, len(own))
	o.lookup = newLookup(own, numbers)
	o.label = func(g *Graph) (ownLabels, error) {
		ids, err := t.deal(c, g)
		for at := range ids {
			if number := g.First + uint64(at); number < c.dense {
				ids[at] = number
			}
		}
		return ownLabels{ids: ids}, err
	}
	return err
}

// numberOf is the number of the end of an edge, if there is such a vertex.
func (o *outline) numberOf(end uint64) (number uint64, known bool) {
	if o.lookup != nil {
		return o.lookup.number(end)
	}
	return end - o.base, end-o.base < o.vertices
}

// edges are some edges of a source, with their weights; weights is nil when none are kept. Ends are numbers.
type edges struct {
	first   uint64 // place of the first among all
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

// newBatch is room for some edges.
func (s Source) newBatch() edges {
	batch := edges{list: make([]graph.Edge, edgesAtOnce)}
	if s.Weights != Unweighted {
		batch.weights = make([]float64, edgesAtOnce)
	}
	return batch
}

// weigh sets weights that are not the file's.
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

// share gives a rank's share of the edges to do.
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

// Load reads or makes a whole graph on one rank, and returns it with the function that finds the index of an id: for
// serial twins. It runs a job of its own.
func (s Source) Load() (c *graph.CSR, index func(id uint64) (index uint64, known bool), err error) {
	err = pebble.Run(context.Background(), pebble.Config{Ranks: 1}, func(r *pebble.Rank) error {
		o, err := s.survey(r)
		if err != nil {
			return err
		}
		all := make([]graph.Edge, 0, o.edges)
		var weights []float64
		if err := s.share(0, 1, o, func(batch edges) {
			all, weights = append(all, batch.list...), append(weights, batch.weights...)
		}); err != nil {
			return err
		}
		if len(weights) < len(all) {
			weights = nil
		}
		index = o.numberOf
		if o.label != nil {
			g := &Graph{Rank: r, Owner: distribution.Block(o.vertices, 1), Local: int(o.vertices)}
			own, err := o.label(g)
			if err != nil {
				return err
			}
			index = func(id uint64) (uint64, bool) {
				at, found := slices.BinarySearch(own.ids, id)
				return uint64(at), found
			}
		}
		c = graph.NewWeightedCSR(o.vertices, all, weights, !o.undirected)
		return nil
	})
	return c, index, err
}
