package kcore

import (
	"fmt"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/distgraph"
	"github.com/activepebbles/pebbles/pebble"
)

// Kernel finds core numbers. It belongs to its rank's goroutine.
type Kernel interface {
	// Run finds the core numbers, from the start. It costs an epoch and an all-reduction for each different core
	// number. All ranks call it.
	Run() error
	// Tally returns this rank's tally of the kernel's pebbles so far.
	Tally() apps.Tally
	// Rounds returns the number of different core numbers that the last run has found.
	Rounds() int
	// Sums returns the sums of the results of Run. All ranks call it.
	Sums() (Sums, error)
	// Validate finds the core numbers in another way. It returns the breaches that this rank found, or an error on all
	// ranks if pebbles were not handled as sent. It keeps an index for each arc meanwhile. All ranks call it.
	Validate() (distgraph.Breaches, error)
	// Cores returns the core numbers of this rank's vertices, in the order of the graph's source. It makes a new slice.
	Cores() []uint64
}

// Sums are over all ranks.
type Sums struct {
	Largest   uint64 // the largest core number
	InLargest uint64 // number of vertices with it
	Sum       uint64 // sum of all core numbers
}

func (s Sums) add(o Sums) Sums {
	sum := Sums{max(s.Largest, o.Largest), 0, s.Sum + o.Sum}
	for _, one := range []Sums{s, o} {
		if one.Largest == sum.Largest {
			sum.InLargest += one.InLargest
		}
	}
	return sum
}

// NewKernel registers a kernel on g. All ranks call it, between epochs. The arcs of g must lead in both directions:
// build a directed graph with Source.Undirected, otherwise it is an error. progress gets the number of vertices that
// rank 0 has removed. The kernel keeps 12 bytes for each vertex of the rank, 24 in a wide graph. If the available
// memory is too small, it returns an error.
func NewKernel(g *distgraph.Graph, progress apps.Progress) (Kernel, error) {
	if !g.Undirected {
		return nil, fmt.Errorf("cores of graph %s, which is directed: build it with arcs that lead both ways", g.Name)
	}
	arcs := float64(g.Edges) * float64(g.ArcsPerEdge()) / float64(g.Rank.Size())
	if err := g.Fits("cores of", g.IndexBytes()*(arcs+4*float64(g.Local)+2*float64(g.Vertices))); err != nil {
		return nil, err
	}
	if g.Wide != nil {
		return newPeeling(g, g.Wide, progress), nil
	}
	return newPeeling(g, g.Narrow, progress), nil
}

// peeling is the kernel. row has its vertices in the order of the number of neighbours left. A vertex that loses a
// neighbour swaps places with the first vertex of its number, and the interval of that number begins one later
// (Batagelj and Zaversnik).
type peeling[V distgraph.Index] struct {
	*distgraph.Part[V]
	g        *distgraph.Graph
	first    V // index of the rank's first vertex
	local    V // number of its vertices
	progress apps.Progress
	left     []V // by place: number of neighbours left; in the end, the core number
	row      []V // places
	at       []V // by place: position in row
	begins   []V // by number of neighbours left: position in row of the first vertex with this number or more
	done     V   // number of vertices of row that were removed
	k        V
	rounds   int
	losses   *distgraph.Notes[V] // notes to a vertex that has lost a neighbour
}

func newPeeling[V distgraph.Index](g *distgraph.Graph, p *distgraph.Part[V], progress apps.Progress) *peeling[V] {
	s := &peeling[V]{
		Part: p, g: g, first: V(g.First), local: V(g.Local), progress: progress,
		left: make([]V, g.Local), row: make([]V, g.Local), at: make([]V, g.Local),
	}
	name := g.Kernel("kcore")
	s.losses = distgraph.NewNotes(g, name("losses"), func(vs []distgraph.Note[V]) {
		for _, n := range vs {
			s.lose(n.Vertex - s.first)
		}
	})
	return s
}

// arrange puts all vertices in a row by degree, by a counting sort.
func (s *peeling[V]) arrange() {
	most := V(0)
	for v := range s.left {
		s.left[v] = V(s.Offsets[v+1] - s.Offsets[v])
		most = max(most, s.left[v])
	}
	// Degrees are counted two positions ahead. Their prefix sum leaves the beginning of degree d at d+1; placing the
	// vertices then moves it to the beginning of d+1.
	begins := make([]V, most+3)
	for _, degree := range s.left {
		begins[degree+2]++
	}
	for d := V(0); d <= most; d++ {
		begins[d+2] += begins[d+1]
	}
	for v, degree := range s.left {
		to := &begins[degree+1]
		s.row[*to], s.at[v] = V(v), *to
		*to++
	}
	s.begins, s.done, s.rounds = begins, 0, 0
}

// Run implements Kernel.
func (s *peeling[V]) Run() error {
	s.arrange()
	for {
		least := distgraph.None[V]()
		if s.done < s.local {
			least = s.left[s.row[s.done]]
		}
		k, err := pebble.AllReduce(s.g.Rank, least, pebble.Min[V])
		if err != nil || k == distgraph.None[V]() {
			return err
		}
		s.k = k
		s.rounds++
		before := uint64(s.done)
		err = s.g.Rank.Epoch(func() error { return nil }, pebble.Named("core"), pebble.Idle(s.peel))
		if err != nil {
			return err
		}
		s.progress.Passed(s.g.Rank, 1<<10, before, uint64(s.done), uint64(s.local))
	}
}

// peel is the idle work of an epoch. It removes some of the vertices with k neighbours left.
func (s *peeling[V]) peel() bool {
	const atOnce = 64
	begin := s.done
	for s.done < s.end() && s.done < begin+atOnce {
		v := s.row[s.done]
		s.done++
		for _, head := range s.Row(v) {
			if own := head - s.first; own < s.local {
				s.lose(own)
			} else {
				s.losses.Send(head, s.k)
			}
		}
	}
	s.losses.Flush()
	return s.done > begin
}

// end returns the position in row of the first vertex with more than k neighbours left.
func (s *peeling[V]) end() V {
	if uint64(s.k)+1 < uint64(len(s.begins)) {
		return s.begins[s.k+1]
	}
	return s.local
}

// lose takes a neighbour from a vertex. A vertex with k or fewer left is unchanged: it is, or will be, removed.
func (s *peeling[V]) lose(v V) {
	left := s.left[v]
	if left <= s.k {
		return
	}
	to := s.begins[left]
	from, other := s.at[v], s.row[to]
	s.row[to], s.row[from] = v, other
	s.at[v], s.at[other] = to, from
	s.begins[left]++
	s.left[v]--
}

// Tally implements Kernel.
func (s *peeling[V]) Tally() apps.Tally { return s.losses.Tally() }

// Rounds implements Kernel.
func (s *peeling[V]) Rounds() int { return s.rounds }

// Sums implements Kernel.
func (s *peeling[V]) Sums() (Sums, error) {
	var own Sums
	for _, core := range s.left {
		own = own.add(Sums{uint64(core), 1, uint64(core)})
	}
	return pebble.AllReduce(s.g.Rank, own, Sums.add)
}

// Cores implements Kernel.
func (s *peeling[V]) Cores() []uint64 {
	cores := make([]uint64, s.local)
	for v, core := range s.left {
		cores[v] = uint64(core)
	}
	return distgraph.BySource(s.Part, cores)
}
