package pagerank

import (
	"math"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/distgraph"
	"github.com/activepebbles/pebbles/apps/graph"
	"github.com/activepebbles/pebbles/checkpoint"
	"github.com/activepebbles/pebbles/pebble"
)

// Kernel ranks the vertices of a graph. It belongs to its rank's goroutine.
type Kernel interface {
	// Run ranks the vertices, from the start or from the checkpoint of Resume. An iteration costs an epoch and an
	// all-reduce. All ranks call it.
	Run() error
	// Resume makes the next Run continue from the newest checkpoint of the job, if one exists, and save scores between
	// iterations. All ranks call it, once, between epochs.
	Resume(seed uint64) error
	// Before returns the seconds of the earlier runs that Run continued.
	Before() float64
	// Tally returns this rank's tally of the pebbles of all iterations so far.
	Tally() apps.Tally
	// Iterations returns the number of iterations of the last run, and the change of all scores together by the last
	// iteration.
	Iterations() (n int, change float64)
	// Validate checks the scores, with a pebble for each arc, and returns the breaches that this rank found. It returns
	// an error, on all ranks, if not all of those pebbles were handled as they were sent. All ranks call it.
	Validate() (distgraph.Breaches, error)
	// Residual returns the change of all scores together by one more iteration. Validate computes it.
	Residual() float64
	// Scores returns the scores of this rank's vertices, in the order of the source of the graph. It makes a new slice.
	Scores() []float64
}

// NewKernel registers a kernel on g, between epochs, on all ranks together. It does not use c.Source. A directed graph
// gets the rows of the arcs that lead to its vertices, if it lacks them. The kernel keeps up to 32 bytes for each
// vertex of the rank, 16 for each vertex of another rank with an arc to one of its own, and 4 bytes for each arc, or 8
// in a wide graph. NewKernel returns an error if that exceeds the available memory.
func NewKernel(g *distgraph.Graph, c Config) (Kernel, error) {
	c = c.complete()
	isSingle := c.isSingle()
	switch {
	case g.Wide != nil && isSingle:
		return newRanking[uint64, float32](g, g.Wide, c)
	case g.Wide != nil:
		return newRanking[uint64, float64](g, g.Wide, c)
	case isSingle:
		return newRanking[uint32, float32](g, g.Narrow, c)
	}
	return newRanking[uint32, float64](g, g.Narrow, c)
}

// singleTolerance is the tolerance from which arcs carry float32, as in GAP: that halves the memory that an iteration
// accesses at random. Rounding then changes all scores together by at most 6e-8.
const singleTolerance = 1e-5

func (c Config) isSingle() bool { return !c.Fixed && c.Tolerance >= singleTolerance }

// ranking is the kernel. The values of ghosts are the shares that a vertex gives to each head of its arcs.
type ranking[V distgraph.Index, F float32 | float64] struct {
	*distgraph.Part[V]
	g      *distgraph.Graph
	ghosts *distgraph.Ghosts[V, F]
	config Config
	scores []float64 // by place
	shares []F       // by place: the part of a score that each arc will carry
	check  *validator[V, F]

	steps      apps.Steps // iterations
	iterations int
	change     float64
	lost       float64 // scores of vertices without arcs
}

func newRanking[V distgraph.Index, F float32 | float64](
	g *distgraph.Graph, p *distgraph.Part[V], c Config,
) (Kernel, error) {
	arcs := float64(g.Edges) * float64(g.ArcsPerEdge()) / float64(g.Rank.Size())
	need := arcs*g.IndexBytes() + 32*float64(g.Local) + 16*float64(g.Vertices)
	if err := g.Fits("rank the vertices of", need); err != nil {
		return nil, err
	}
	if err := p.NeedInto(g); err != nil {
		return nil, err
	}
	name := g.Kernel("pagerank")
	ghosts, err := distgraph.NewGhosts[V, F](g, p.Into, name)
	s := &ranking[V, F]{Part: p, g: g, ghosts: ghosts, config: c, scores: make([]float64, g.Local),
		shares: make([]F, g.Local)}
	s.check = newValidator(s, name)
	return s, err
}

// base returns the score of a vertex without arcs.
func (s *ranking[V, F]) base() float64 { return (1 - s.config.Damping) / float64(s.g.Vertices) }

// sums are sums over the vertices of one rank, or of all ranks.
type sums struct{ Change, Lost float64 }

func (a sums) add(b sums) sums { return sums{a.Change + b.Change, a.Lost + b.Lost} }

// Resume implements Kernel.
func (s *ranking[V, F]) Resume(seed uint64) error {
	_, err := s.steps.Restore(s.g.Rank, "pagerank", seed, append(s.g.Arguments(),
		checkpoint.Argument("damping", s.config.Damping), checkpoint.Argument("dangling", s.config.Dangling),
		checkpoint.Argument("single", s.config.isSingle()), checkpoint.Value("change", &s.change),
		distgraph.Kept(s.g, s.Part, "scores", &s.scores))...)
	if err == nil {
		err = s.steps.Within(s.config.Iterations, "iterations")
	}
	return err
}

// Before implements Kernel.
func (s *ranking[V, F]) Before() float64 { return s.steps.Before() }

// Run implements Kernel.
func (s *ranking[V, F]) Run() error {
	if s.steps.Done() == 0 {
		for v := range s.scores {
			s.scores[v] = 1 / float64(s.g.Vertices)
		}
	}
	own := sums{}
	for v, score := range s.scores {
		own.Lost += s.share(v, score)
	}
	copy(s.ghosts.Values, s.shares)
	all, err := pebble.AllReduce(s.g.Rank, own, sums.add)
	if err != nil {
		return err
	}
	s.lost = all.Lost
	return s.steps.Run(s.iterate)
}

// iterate runs iteration n, unless the last one has ended the run.
func (s *ranking[V, F]) iterate(n int) (more bool, err error) {
	s.iterations = n
	if n > 0 && s.change < s.config.Tolerance || n >= s.config.Iterations {
		return false, nil
	}
	if err := s.ghosts.Exchange(); err != nil {
		return false, err
	}
	own := s.sweep(s.lost)
	copy(s.ghosts.Values, s.shares)
	all, err := pebble.AllReduce(s.g.Rank, own, sums.add)
	s.change, s.lost = all.Change, all.Lost
	s.config.Progress.Passed(s.g.Rank, 1, uint64(n), uint64(n+1), uint64(s.config.Iterations))
	return true, err
}

// share sets the share of a vertex's score that each of its arcs will carry. It returns the score if it has none.
func (s *ranking[V, F]) share(v int, score float64) (lost float64) {
	arcs := s.Offsets[v+1] - s.Offsets[v]
	if arcs == 0 {
		return score
	}
	s.shares[v] = F(score / float64(arcs))
	return 0
}

// least returns the part of a score that arcs do not contribute. lost is the scores of all vertices without arcs.
func (s *ranking[V, F]) least(lost float64) float64 {
	if s.config.Dangling != graph.Spread {
		return s.base()
	}
	return s.base() + s.config.Damping*lost/float64(s.g.Vertices)
}

// sweep runs an iteration over this rank's vertices, whose shares stay in place meanwhile.
func (s *ranking[V, F]) sweep(lost float64) (own sums) {
	base, damping, offsets, slots := s.least(lost), s.config.Damping, s.Into.Offsets, s.ghosts.Slots
	isKept := s.config.Dangling == graph.Self
	begin := offsets[0]
	for v := range s.scores {
		end := offsets[v+1]
		got := total(s.ghosts.Values, slots[begin:end])
		if isKept && s.Offsets[v] == s.Offsets[v+1] {
			got += s.scores[v]
		}
		begin = end
		score := base + damping*got
		own.Change += math.Abs(score - s.scores[v])
		own.Lost += s.share(v, score)
		s.scores[v] = score
	}
	return own
}

// total adds the values at some slots. Several sums at once would take longer: most rows are short.
func total[V distgraph.Index, F float32 | float64](values []F, slots []V) (sum float64) {
	for _, slot := range slots {
		sum += float64(values[slot])
	}
	return sum
}

// Tally implements Kernel.
func (s *ranking[V, F]) Tally() apps.Tally { return s.ghosts.Tally() }

// Iterations implements Kernel.
func (s *ranking[V, F]) Iterations() (int, float64) { return s.iterations, s.change }

// Residual implements Kernel.
func (s *ranking[V, F]) Residual() float64 { return s.check.residual }

// Validate implements Kernel.
func (s *ranking[V, F]) Validate() (distgraph.Breaches, error) { return s.check.run() }

// Scores implements Kernel.
func (s *ranking[V, F]) Scores() []float64 { return distgraph.BySource(s.Part, s.scores) }
