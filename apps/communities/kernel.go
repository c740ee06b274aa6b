package communities

import (
	"cmp"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/distgraph"
)

// Kernel finds communities. It belongs to its rank's goroutine.
type Kernel interface {
	// Run finds the communities. It costs an epoch and an all-reduction for each iteration. All ranks call it.
	Run() error
	// Tally returns this rank's tally of the pebbles of all iterations so far.
	Tally() apps.Tally
	// Iterations returns the number of iterations of the last run, and the labels changed by its last iteration.
	Iterations() (n int, changed uint64)
	// Sizes returns the sizes of the communities, with a pebble for each label of other ranks. All ranks call it.
	Sizes() (distgraph.Sizes, error)
	// Validate checks the labels, with a pebble for each end of an arc and iteration. It returns the breaches that this
	// rank found, or an error on all ranks if pebbles were not handled as sent. All ranks call it.
	Validate() (distgraph.Breaches, error)
	// Labels returns the labels of this rank's vertices, which are numbers of vertices, in the order of the graph's
	// source. It makes a new slice.
	Labels() []uint64
}

// NewKernel registers a kernel on g. All ranks call it, between epochs. 0 iterations mean IterationsDefault; progress
// gets each iteration. The kernel keeps up to 32 bytes for each vertex of the rank, and 12 for each of another rank at
// the end of an arc; and 8 bytes for each end of an arc at its vertices, 16 in a wide graph, and the same again in a
// directed one. If the available memory is too small, it returns an error.
func NewKernel(g *distgraph.Graph, iterations int, progress apps.Progress) (Kernel, error) {
	ends := 2 * float64(g.Edges) / float64(g.Rank.Size())
	need := 2*ends*g.IndexBytes() + 32*float64(g.Local) + 16*float64(g.Vertices)
	if err := g.Fits("communities of", need); err != nil {
		return nil, err
	}
	iterations = cmp.Or(iterations, IterationsDefault)
	if g.Wide != nil {
		return newSpreading(g, g.Wide, iterations, progress)
	}
	return newSpreading(g, g.Narrow, iterations, progress)
}

// spreading is the kernel. Values of the ghosts are labels.
type spreading[V distgraph.Index] struct {
	*distgraph.Part[V]
	g        *distgraph.Graph
	around   *distgraph.Rows[V]
	ghosts   *distgraph.Ghosts[V, V]
	most     int // limit of iterations
	progress apps.Progress
	next     []V // labels of this rank's vertices after the present iteration, by place
	votes    *votes[V]
	sizer    *distgraph.Sizer[V]
	check    *validator[V]

	iterations int
	changed    uint64
}

func newSpreading[V distgraph.Index](
	g *distgraph.Graph, p *distgraph.Part[V], iterations int, progress apps.Progress,
) (Kernel, error) {
	around, err := p.Around(g)
	if err != nil {
		return nil, err
	}
	name := g.Kernel("communities")
	ghosts, err := distgraph.NewGhosts[V, V](g, around, name)
	s := &spreading[V]{
		Part: p, g: g, around: around, ghosts: ghosts, most: iterations, progress: progress,
		next: make([]V, g.Local), votes: newVotes(around), sizer: distgraph.NewSizer[V](g, name("sizes")),
	}
	s.check = newValidator(s, name)
	return s, err
}

// labels returns the labels of this rank's vertices, by place.
func (s *spreading[V]) labels() []V { return s.ghosts.Values[:s.g.Local] }

// begin sets each label to its vertex.
func (s *spreading[V]) begin(labels []V) {
	for v := range labels {
		labels[v] = V(s.g.First + s.Number(uint64(v)))
	}
}

// Run implements Kernel.
func (s *spreading[V]) Run() (err error) {
	s.begin(s.labels())
	for s.iterations = 0; s.iterations < s.most; {
		if err := s.ghosts.Exchange(); err != nil {
			return err
		}
		if s.changed, err = apps.Sum(s.g.Rank, s.sweep()); err != nil {
			return err
		}
		s.iterations++
		s.progress.Passed(s.g.Rank, 1, uint64(s.iterations-1), uint64(s.iterations), uint64(s.most))
		if s.changed == 0 {
			break
		}
	}
	return nil
}

// sweep is an iteration over this rank's vertices. It returns the number of changed labels.
func (s *spreading[V]) sweep() uint64 {
	for v, own := range s.labels() {
		from, to := s.around.Offsets[v], s.around.Offsets[v+1]
		s.next[v] = s.votes.most(s.ghosts.Values, s.ghosts.Slots[from:to], own)
	}
	return replace(s.labels(), s.next)
}

// replace copies labels, and returns the number of changed ones.
func replace[V distgraph.Index](labels, by []V) (changed uint64) {
	for v, label := range by {
		if labels[v] != label {
			labels[v] = label
			changed++
		}
	}
	return changed
}

// Tally implements Kernel.
func (s *spreading[V]) Tally() apps.Tally { return s.ghosts.Tally() }

// Iterations implements Kernel.
func (s *spreading[V]) Iterations() (int, uint64) { return s.iterations, s.changed }

// Sizes implements Kernel.
func (s *spreading[V]) Sizes() (distgraph.Sizes, error) { return s.sizer.Count(s.labels()) }

// Validate implements Kernel.
func (s *spreading[V]) Validate() (distgraph.Breaches, error) { return s.check.run() }

// Labels implements Kernel.
func (s *spreading[V]) Labels() []uint64 {
	labels := make([]uint64, s.g.Local)
	for v, label := range s.labels() {
		labels[v] = uint64(label)
	}
	return distgraph.BySource(s.Part, labels)
}
