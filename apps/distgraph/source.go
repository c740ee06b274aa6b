package distgraph

import (
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/activepebbles/pebbles/apps/graph"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
)

// Source says where a graph comes from: a file or a generator, one of the two.
type Source struct {
	// Path is a graph file that rank 0 can read; the other ranks need not. It is read twice, first to check and count,
	// then to send, so it must be a file that can be opened again.
	Path string
	// Format is the file's format; graph.Auto detects it.
	Format graph.Format
	// Generator makes the graph, each rank its share of the edges. All ranks give equal ones.
	Generator graph.Generator
	// Undirected takes each arc of a directed graph as an edge that leads both ways.
	Undirected bool
	// Order is how a rank's vertices follow each other in memory; the empty Order is OrderAuto.
	Order Order

	// Weights says what the weights of arcs are. The empty Weights is Unweighted: none are kept.
	Weights Weights
	// Seed decides Random weights. (A generator has a seed of its own.)
	Seed uint64

	// Wide makes indices of 64 bits, as graphs of 2^32 vertices need, of any graph.
	Wide bool
	// Progress, when not nil, is called on rank 0 now and then with how many edges of a phase are done, of how many; 0 is
	// not known.
	Progress func(done, total uint64)
	// Phase, when not nil, is called on rank 0 when a phase of building begins: "edges read", "edges sent" or "edges
	// made", "edges sorted" (which tells no progress).
	Phase func(what string)
}

// Weights is where the weights of arcs are from.
type Weights string

const (
	// Unweighted keeps no weights.
	Unweighted Weights = ""
	// Given are those of the file, or of a generator that is a graph.Weighted. An edge without one is an error.
	Given Weights = "given"
	// Random are drawn uniformly from [0, 1) by the seed and each edge's place in the source, as Graph500 does.
	Random Weights = "random"
	// Ones are 1 each.
	Ones Weights = "one"
)

// tell reports how many edges were processed, from time to time: after batches that cross a multiple of so many edges.
// A total of 0 is not known.
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

// beginOn reports a phase of which all ranks know.
func (s Source) beginOn(r *pebble.Rank, what string) {
	if r.ID() == 0 {
		s.begin(what)
	}
}

// Check returns an error that says what is wrong with s, without looking at the file.
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
			return fmt.Errorf("graph %s has no weights of its own: take %s ones, or %s each", s.Name(), Random, Ones)
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

// names translates between ids and indices.
type names interface {
	Index(id uint64) (index uint64, known bool)
	ID(index uint64) uint64
}

// numbered are the names of a generated graph: ids are indices.
type numbered uint64

func (n numbered) Index(id uint64) (uint64, bool) { return id, id < uint64(n) }
func (numbered) ID(index uint64) uint64           { return index }

// edgesAtOnce is how many edges are read, made or sent at a time.
const edgesAtOnce = 512

// outline is what must be known of a graph before its edges are sent.
type outline struct {
	vertices, edges uint64
	undirected      bool
	weighted        bool // in the file
}

// survey reads a file from end to end, so that whatever is wrong with it is known before anything is sent.
func (s Source) survey() (outline, names, error) {
	if g := s.Generator; g != nil {
		return outline{g.Vertices(), g.EdgeCount(), s.Undirected || !g.Directed(), false}, numbered(g.Vertices()), nil
	}
	var done uint64
	s.begin("edges read")
	f, err := s.read(func(f *graph.File, batch edges) error {
		before := done
		done += uint64(len(batch.list))
		told, _ := f.EdgesTold()
		s.tell(before, done, told)
		return nil
	})
	if err != nil {
		return outline{}, nil, err
	}
	return outline{f.Vertices(), done, s.Undirected || !f.Directed(), f.Weighted()}, f, nil
}

// edges are some edges of a source, with their weights; weights is nil when none are kept.
type edges struct {
	first   uint64 // place of the first among all
	list    []graph.Edge
	weights []float64
}

// read gives all edges of the file to do. The file is closed when it returns, and still knows its ids.
func (s Source) read(do func(f *graph.File, batch edges) error) (*graph.File, error) {
	options := []graph.Option{graph.WithFormat(s.Format), graph.Again()}
	if s.Weights == Given {
		options = append(options, graph.Weights())
	}
	f, err := graph.Open(s.Path, options...)
	if err == nil {
		err = errors.Join(s.eachBatch(f, do), f.Close())
	}
	if errors.Is(err, graph.ErrUnweighted) {
		err = fmt.Errorf("%w: take %s ones, or %s each", err, Random, Ones)
	}
	return f, err
}

func (s Source) eachBatch(f *graph.File, do func(f *graph.File, batch edges) error) error {
	batch := edges{list: make([]graph.Edge, edgesAtOnce)}
	if s.Weights != Unweighted {
		batch.weights = make([]float64, edgesAtOnce)
	}
	for {
		n, err := 0, error(nil)
		if s.Weights == Given {
			n, err = f.WeightedEdges(batch.list, batch.weights)
		} else {
			n, err = f.Edges(batch.list)
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		some := batch.upTo(n)
		s.weigh(some)
		if err := do(f, some); err != nil {
			return err
		}
		batch.first += uint64(n)
	}
}

func (e edges) upTo(n int) edges {
	e.list = e.list[:n]
	if e.weights != nil {
		e.weights = e.weights[:n]
	}
	return e
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

// share gives a rank's share of the edges to do: a part of the generator's, or on rank 0 all of the file's.
func (s Source) share(rank, ranks int, o outline, do func(batch edges)) error {
	if s.Generator != nil {
		s.begin("edges made")
		return s.generate(rank, ranks, do)
	}
	if rank != 0 {
		return nil
	}
	var done uint64
	s.begin("edges sent")
	_, err := s.read(func(_ *graph.File, batch edges) error {
		s.tell(done, done+uint64(len(batch.list)), o.edges)
		done += uint64(len(batch.list))
		for _, e := range batch.list {
			if e.From >= o.vertices || e.To >= o.vertices {
				return s.changed()
			}
		}
		do(batch)
		return nil
	})
	if err == nil && done != o.edges {
		return s.changed()
	}
	return err
}

func (s Source) changed() error {
	return fmt.Errorf("read graph %s: the file changed while it was being read, try again", s.Path)
}

func (s Source) generate(rank, ranks int, do func(batch edges)) error {
	shares := distribution.Block(s.Generator.EdgeCount(), ranks)
	first, left := shares.Key(rank, 0), shares.LocalLen(rank)
	share := uint64(left)
	batch := edges{first: first, list: make([]graph.Edge, edgesAtOnce)}
	if s.Weights != Unweighted {
		batch.weights = make([]float64, edgesAtOnce)
	}
	for left > 0 {
		n := min(left, edgesAtOnce)
		some := batch.upTo(n)
		s.Generator.Fill(some.first, some.list)
		s.weigh(some)
		for _, w := range some.weights {
			if !(w >= 0 && w <= math.MaxFloat64) { // NaN too
				return fmt.Errorf("graph %s has an edge of weight %v, which is no finite number of 0 or more", s.Name(), w)
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

// Load reads or makes a whole graph on one goroutine, and returns what tells the index of an id: for serial twins.
func (s Source) Load() (*graph.CSR, func(id uint64) (index uint64, known bool), error) {
	o, ids, err := s.survey()
	if err != nil {
		return nil, nil, err
	}
	all := make([]graph.Edge, 0, o.edges)
	var weights []float64
	err = s.share(0, 1, o, func(batch edges) {
		all, weights = append(all, batch.list...), append(weights, batch.weights...)
	})
	if err != nil {
		return nil, nil, err
	}
	if len(weights) < len(all) {
		weights = nil
	}
	return graph.NewWeightedCSR(o.vertices, all, weights, !o.undirected), ids.Index, nil
}
