package bfs

import (
	"errors"
	"fmt"
	"io"

	"github.com/activepebbles/pebbles/apps/graph"
	"github.com/activepebbles/pebbles/distribution"
)

// Source says where a graph comes from: a file or a generator, one of the two.
type Source struct {
	// Path is a graph file that rank 0 can read; the other ranks need not. It is read twice, first to check and count, then
	// to send, so it must be a file that can be opened again.
	Path string
	// Format is the file's format; graph.Auto detects it.
	Format graph.Format
	// Generator makes the graph, each rank its share of the edges. All ranks give equal ones.
	Generator graph.Generator
	// Undirected takes each arc of a directed graph as an edge that leads both ways.
	Undirected bool
	// Order is how a rank's vertices follow each other in memory; the empty Order is OrderAuto.
	Order Order

	wide     bool                     // tests ask for 64-bit indices in a small graph
	progress func(done, total uint64) // told of edges read or made on rank 0; nil for nobody
	phase    func(what string)        // told of what progress counts; nil for nobody
}

// tell reports how many edges were processed, from time to time: after batches that cross a multiple of so many edges. A total
// of 0 is not known.
func (s Source) tell(before, done, total uint64) {
	const every = 1 << 16
	if s.progress != nil && before/every != done/every {
		s.progress(done, total)
	}
}

// begin reports a phase.
func (s Source) begin(what string) {
	if s.phase != nil {
		s.phase(what)
	}
}

// Check returns an error that says what is wrong with s, without looking at the file.
func (s Source) Check() error {
	switch {
	case s.Path == "" && s.Generator == nil:
		return errors.New("bfs: no graph: give a file or a generator")
	case s.Path != "" && s.Generator != nil:
		return errors.New("bfs: both a file and a generator are given: give one of the two")
	}
	return checkOrder(s.Order, s.Generator == nil || s.Undirected || !s.Generator.Directed()) // Build asks the file
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
	var edges uint64
	s.begin("edges read")
	f, err := s.read(func(f *graph.File, batch []graph.Edge) error {
		before := edges
		edges += uint64(len(batch))
		told, _ := f.EdgesTold()
		s.tell(before, edges, told)
		return nil
	})
	if err != nil {
		return outline{}, nil, err
	}
	return outline{f.Vertices(), edges, s.Undirected || !f.Directed(), f.Weighted()}, f, nil
}

// read gives all edges of the file to do. The file is closed when it returns, and still knows its ids.
func (s Source) read(do func(f *graph.File, batch []graph.Edge) error) (*graph.File, error) {
	f, err := graph.Open(s.Path, graph.WithFormat(s.Format), graph.Again())
	if err != nil {
		return nil, err
	}
	err = eachBatch(f, do)
	return f, errors.Join(err, f.Close())
}

func eachBatch(f *graph.File, do func(f *graph.File, batch []graph.Edge) error) error {
	batch := make([]graph.Edge, edgesAtOnce)
	for {
		n, err := f.Edges(batch)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if err := do(f, batch[:n]); err != nil {
			return err
		}
	}
}

// share gives a rank's share of the edges to do: a part of the generator's, or on rank 0 all of the file's.
func (s Source) share(rank, ranks int, o outline, do func(batch []graph.Edge)) error {
	if s.Generator != nil {
		s.begin("edges made")
		s.generate(rank, ranks, do)
		return nil
	}
	if rank != 0 {
		return nil
	}
	var edges uint64
	s.begin("edges sent")
	_, err := s.read(func(_ *graph.File, batch []graph.Edge) error {
		s.tell(edges, edges+uint64(len(batch)), o.edges)
		edges += uint64(len(batch))
		for _, e := range batch {
			if e.From >= o.vertices || e.To >= o.vertices {
				return s.changed()
			}
		}
		do(batch)
		return nil
	})
	if err == nil && edges != o.edges {
		return s.changed()
	}
	return err
}

func (s Source) changed() error {
	return fmt.Errorf("read graph %s: the file changed while it was being read, try again", s.Path)
}

func (s Source) generate(rank, ranks int, do func(batch []graph.Edge)) {
	shares := distribution.Block(s.Generator.EdgeCount(), ranks)
	first, left := shares.Key(rank, 0), shares.LocalLen(rank)
	share := uint64(left)
	batch := make([]graph.Edge, edgesAtOnce)
	for left > 0 {
		n := min(left, len(batch))
		s.Generator.Fill(first, batch[:n])
		do(batch[:n])
		first += uint64(n)
		left -= n
		if done := share - uint64(left); rank == 0 {
			s.tell(done-uint64(n), done, share)
		}
	}
}
