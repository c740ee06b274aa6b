package graphtest

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/apps/bfs"
	"github.com/activepebbles/pebbles/apps/centrality"
	"github.com/activepebbles/pebbles/apps/communities"
	"github.com/activepebbles/pebbles/apps/components"
	"github.com/activepebbles/pebbles/apps/distgraph"
	"github.com/activepebbles/pebbles/apps/graph"
	"github.com/activepebbles/pebbles/apps/jaccard"
	"github.com/activepebbles/pebbles/apps/kcore"
	"github.com/activepebbles/pebbles/apps/pagerank"
	"github.com/activepebbles/pebbles/apps/sssp"
	"github.com/activepebbles/pebbles/apps/triangles"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/task"
)

// app is an application's use of a graph.
type app struct {
	name    string
	matrix  func(t *testing.T, body func(t *testing.T, s appstest.Shape)) // General if chains of pebbles have no bound
	family  string                                                        // of applications that send alike
	hasRoot bool
	// start makes the job on a graph. pick chooses further parameters: a root, a damping.
	start func(tb require.TestingT, source distgraph.Source, pick uint64) job
}

// job is a rank's part, and the check of the result when all ranks are done.
type job struct {
	program func(r *pebble.Rank) error
	check   func(tb require.TestingT)
}

// run runs the job, and checks it.
func (j job) run(tb require.TestingT, run func(f func(r *pebble.Rank) error) error) {
	require.NoError(tb, run(j.program))
	j.check(tb)
}

var all = []app{
	{"components by hooking", appstest.General, "components", false, startComponents(components.Hook)},
	{"components by propagation", appstest.General, "components", false, startComponents(components.Propagate)},
	{"communities", appstest.Matrix, "ghosts", false, startCommunities},
	{"kcore", appstest.General, "kcore", false, startKCore},
	{"triangles", appstest.Matrix, "lists", false, startTriangles},
	{"clustering", appstest.Matrix, "lists", false, startClustering},
	{"jaccard", appstest.Matrix, "lists", false, startJaccard},
	{"pagerank", appstest.Matrix, "ghosts", false, startPageRank(pagerank.Config{Iterations: 100})},
	{"pagerank, exactly", appstest.Matrix, "ghosts", false, startPageRank(exactly(distgraph.Source{}))},
	{"pagerank, fixed", appstest.Matrix, "ghosts", false, startPageRank(pagerank.Config{Iterations: 3, Fixed: true})},
	{"centrality by level", appstest.Matrix, "levels", true, startCentrality(centrality.ByLevel)},
	{"centrality by tasks", appstest.General, "chains", true, startCentrality(centrality.Tasks)},
	{"sssp", appstest.General, "buckets", true, startSSSP(sssp.Tuning{})},
	{"sssp, tiny buckets", appstest.General, "buckets", true, startSSSP(sssp.Tuning{Delta: 1e-6})},
	{"sssp, one bucket", appstest.General, "buckets", true, startSSSP(sssp.Tuning{Delta: 1e6, Unfiltered: true})},
	{"bfs by levels", appstest.Matrix, "levels", true, startBFS(
		[]bfs.Mode{bfs.ByLevel, bfs.Direction}, bfs.Tuning{Unfiltered: true}, bfs.Tuning{})},
	{"bfs with thresholds", appstest.Matrix, "levels", true, startBFS(
		[]bfs.Mode{bfs.ByLevel, bfs.Direction, bfs.Direction, bfs.Direction},
		bfs.Tuning{}, bfs.Tuning{Alpha: math.SmallestNonzeroFloat64},
		bfs.Tuning{Alpha: math.MaxFloat64, Beta: math.MaxFloat64},
		bfs.Tuning{Alpha: 2, Beta: 2, Unfiltered: true})},
	{"bfs by chains", appstest.General, "chains", true, startBFS([]bfs.Mode{bfs.Async, bfs.Async, bfs.Tasks},
		bfs.Tuning{}, bfs.Tuning{Unfiltered: true}, bfs.Tuning{})},
}

// load returns the graph of a source.
func load(tb require.TestingT, source distgraph.Source) *graph.CSR {
	c, _, err := source.Load()
	require.NoError(tb, err)
	return c
}

// checked runs a kernel on the graph of a source, checks it, and stores its results for this rank's vertices, in the
// order of the source, in this rank's part of made. A breach fails the job. All ranks call it.
func checked[K distgraph.Whole, T any](
	r *pebble.Rank, source distgraph.Source, prepare func(g *distgraph.Graph) (K, error),
	found func(k K) []T, made []T,
) error {
	g := appstest.Must(distgraph.Build(r, source))
	k := appstest.Must(prepare(g))
	appstest.OK(k.Run())
	appstest.OK(sound(k))
	copy(made[min(g.First, g.Vertices):], found(k))
	return nil
}

// sound returns an error if a kernel finds breaches.
func sound(k interface {
	Validate() (distgraph.Breaches, error)
}) error {
	found, err := k.Validate()
	if err == nil && found.Count > 0 {
		err = fmt.Errorf("%d breaches, the first %+v", found.Count, found.First[0])
	}
	return err
}

// undirected returns the same graph with arcs in both directions.
func undirected(source distgraph.Source) distgraph.Source {
	source.Undirected = true
	return source
}

func startComponents(method components.Method) func(tb require.TestingT, source distgraph.Source, _ uint64) job {
	return func(tb require.TestingT, source distgraph.Source, _ uint64) job {
		want := appstest.Must(components.Serial(source))
		made := make([]uint64, len(want))
		return job{func(r *pebble.Rank) error {
			prepare := func(g *distgraph.Graph) (components.Kernel, error) { return components.NewKernel(g, method) }
			return checked(r, undirected(source), prepare, func(k components.Kernel) []uint64 {
				return appstest.Must(k.Smallest())
			}, made)
		}, func(tb require.TestingT) { require.Equal(tb, append([]uint64{}, want...), made) }}
	}
}

// startCommunities takes the iterations from pick.
func startCommunities(tb require.TestingT, source distgraph.Source, pick uint64) job {
	c := communities.Config{Source: source, Iterations: int(pick % 13)}
	want := appstest.Must(communities.Serial(c))
	made := make([]uint64, len(want))
	return job{func(r *pebble.Rank) error {
		prepare := func(g *distgraph.Graph) (communities.Kernel, error) {
			return communities.NewKernel(g, c.Iterations, nil)
		}
		return checked(r, source, prepare, communities.Kernel.Labels, made)
	}, func(tb require.TestingT) { require.Equal(tb, append([]uint64{}, want...), made) }}
}

func startKCore(tb require.TestingT, source distgraph.Source, _ uint64) job {
	want := appstest.Must(kcore.Serial(source))
	made := make([]uint64, len(want))
	return job{func(r *pebble.Rank) error {
		return checked(r, undirected(source), newKCore, kcore.Kernel.Cores, made)
	}, func(tb require.TestingT) { require.Equal(tb, append([]uint64{}, want...), made) }}
}

func newKCore(g *distgraph.Graph) (kcore.Kernel, error) { return kcore.NewKernel(g, nil) }

func startTriangles(tb require.TestingT, source distgraph.Source, _ uint64) job {
	want := appstest.Must(triangles.Serial(source))
	made := make([]uint64, load(tb, source).Vertices())
	return job{func(r *pebble.Rank) error {
		return checked(r, undirected(source), newTriangles, triangles.Kernel.Middles, made)
	}, func(tb require.TestingT) {
		got := uint64(0)
		for _, n := range made {
			got += n
		}
		require.Equal(tb, want, got)
	}}
}

func newTriangles(g *distgraph.Graph) (triangles.Kernel, error) {
	return triangles.NewKernel(g, triangles.Config{})
}

// counted is the triangle counts of a vertex.
type counted struct {
	triangles  uint64
	clustering float64
}

// perVertex combines both.
func perVertex(counts []uint64, clustering []float64) []counted {
	all := make([]counted, len(counts))
	for v, n := range counts {
		all[v] = counted{n, clustering[v]}
	}
	return all
}

func newClustering(g *distgraph.Graph) (triangles.Kernel, error) {
	return triangles.NewKernel(g, triangles.Config{PerVertex: true})
}

func startClustering(tb require.TestingT, source distgraph.Source, _ uint64) job {
	counts, clustering, err := triangles.SerialCorners(source)
	require.NoError(tb, err)
	made := make([]counted, len(counts))
	return job{func(r *pebble.Rank) error {
		return checked(r, source, newClustering, func(k triangles.Kernel) []counted { return perVertex(k.Corners()) }, made)
	}, func(tb require.TestingT) { require.Equal(tb, perVertex(counts, clustering), made) }}
}

func startJaccard(tb require.TestingT, source distgraph.Source, _ uint64) job {
	want := similarities(tb, source)
	made := make([][]graph.Pair, load(tb, source).Vertices()) // each rank's at its first vertex
	return job{func(r *pebble.Rank) error {
		found := func(k jaccard.Kernel) [][]graph.Pair { return [][]graph.Pair{k.Pairs()} }
		return checked(r, undirected(source), newJaccard, found, made)
	}, func(tb require.TestingT) {
		got := append([]graph.Pair{}, slices.Concat(made...)...)
		slices.SortFunc(got, func(a, b graph.Pair) int {
			return cmp.Or(cmp.Compare(a.First, b.First), cmp.Compare(a.Second, b.Second))
		})
		require.Equal(tb, want, got)
	}}
}

func newJaccard(g *distgraph.Graph) (jaccard.Kernel, error) { return jaccard.NewKernel(g, 0, nil) }

// similarities returns those of the serial twin.
func similarities(tb require.TestingT, source distgraph.Source) []graph.Pair {
	pairs := appstest.Must(jaccard.Serial(source))
	return append([]graph.Pair{}, pairs...)
}

// exactly returns a configuration with converged scores.
func exactly(source distgraph.Source) pagerank.Config {
	return pagerank.Config{Source: source, Tolerance: 1e-12, Iterations: 1000}
}

// startPageRank takes the damping, and the counted arcs, from pick.
func startPageRank(c pagerank.Config) func(tb require.TestingT, source distgraph.Source, pick uint64) job {
	return func(tb require.TestingT, source distgraph.Source, pick uint64) job {
		c := c
		c.Source, c.Damping = source, pagerank.DampingDefault
		if pick > 0 {
			c.Damping = 0.01 * float64(1+pick%90)
			c.Dangling = graph.Danglings[pick%3]
			c.Source.SelfLoops = pick%2 == 1
		}
		made := make([]float64, load(tb, source).Vertices())
		var iterations atomic.Int64
		return job{func(r *pebble.Rank) error {
			prepare := func(g *distgraph.Graph) (pagerank.Kernel, error) { return pagerank.NewKernel(g, c) }
			return checked(r, c.Source, prepare, func(k pagerank.Kernel) []float64 {
				n, _ := k.Iterations()
				iterations.Store(int64(n))
				return k.Scores()
			}, made)
		}, func(tb require.TestingT) { requireScores(tb, c, int(iterations.Load()), made) }}
	}
}

// requireScores requires the scores of the twin after the same number of iterations. If the tolerance has ended the
// run, it also requires that the scores are near the converged ones: an iteration reduces the sum of the distances by
// the damping, so the rest is a geometric series.
func requireScores(tb require.TestingT, c pagerank.Config, iterations int, got []float64) {
	far := func(twin pagerank.Config) (sum float64) {
		twin.Damping, twin.Dangling = c.Damping, c.Dangling
		for v, score := range appstest.Must(pagerank.Serial(twin)) {
			sum += math.Abs(score - got[v])
		}
		return sum
	}
	rounding := 1e-12
	if !c.Fixed && c.Tolerance == 0 {
		c.Tolerance, rounding = pagerank.ToleranceDefault, 1e-6 // of numbers of 32 bits
	}
	require.LessOrEqual(tb, far(pagerank.Config{Source: c.Source, Fixed: true, Iterations: iterations}), rounding)
	if c.Fixed {
		require.Equal(tb, c.Iterations, iterations)
		return
	}
	require.LessOrEqual(tb, far(exactly(c.Source)), c.Tolerance*c.Damping/(1-c.Damping)+rounding)
}

func startCentrality(mode centrality.Mode) func(tb require.TestingT, source distgraph.Source, pick uint64) job {
	return func(tb require.TestingT, source distgraph.Source, pick uint64) job {
		n := load(tb, source).Vertices()
		ids := []uint64{0, pick % n, n - 1}
		want := appstest.Must(centrality.Serial(source, ids))
		made := make([]float64, len(want))
		return job{func(r *pebble.Rank) error {
			tasks := task.New(r)
			prepare := func(g *distgraph.Graph) (k starts, err error) {
				k.Kernel, err = centrality.NewKernel(g, mode, tasks)
				if err == nil {
					k.from, err = g.Indices(distgraph.IDs(ids...))
				}
				return k, err
			}
			return checked(r, source, prepare, starts.Scores, made)
		}, func(tb require.TestingT) {
			for v := range want {
				require.InDelta(tb, want[v], made[v], centrality.Tolerance*want[v], "vertex %d", v)
			}
		}}
	}
}

// starts adds up centralities from some vertices. It checks all but the last at once.
type starts struct {
	centrality.Kernel
	from []uint64
}

func (s starts) Run() error {
	for i, from := range s.from {
		if i > 0 {
			appstest.OK(sound(s))
		}
		appstest.OK(s.From(from))
	}
	return nil
}

// search is the ranks' results for one root, each its own part.
type search[D any] struct {
	parent []int64
	dist   []D
}

func newSearch[D any](n uint64) search[D] { return search[D]{make([]int64, n), make([]D, n)} }

// from searches several times with one kernel, so that a search must not depend on the state of the one before. It
// checks the last tree and stores this rank's part of it.
func (s search[D]) from(g *distgraph.Graph, k interface {
	distgraph.Kernel
	Result() (parent []int64, dist []D, err error)
}, root, times uint64) error {
	for range times {
		appstest.OK(k.From(root))
	}
	appstest.OK(sound(k))
	parent, dist, err := k.Result()
	copy(s.parent[min(g.First, g.Vertices):], parent)
	copy(s.dist[min(g.First, g.Vertices):], dist)
	return err
}

func startSSSP(tuning sssp.Tuning) func(tb require.TestingT, source distgraph.Source, pick uint64) job {
	return func(tb require.TestingT, source distgraph.Source, pick uint64) job {
		source.Weights = cmp.Or(source.Weights, distgraph.Random)
		c := load(tb, source)
		root := pick % c.Vertices()
		sums := appstest.Must(sssp.Serial(source, []uint64{root}))
		found, sum := newSearch[float64](c.Vertices()), sssp.Summary{}
		return job{func(r *pebble.Rank) error {
			g := appstest.Must(distgraph.Build(r, source))
			roots := appstest.Must(g.Indices(distgraph.IDs(root)))
			k := appstest.Must(sssp.NewSearch(g, tuning))
			appstest.OK(found.from(g, k, roots[0], 1+pick%2))
			of, err := k.Summary()
			if r.ID() == 0 {
				sum = of
			}
			return err
		}, func(tb require.TestingT) {
			dist, _ := graph.Dijkstra(c, root)
			require.Equal(tb, dist, found.dist) // in each bit
			require.NoError(tb, graph.ValidatePaths(c, root, found.parent, found.dist))
			requireSameSum(tb, sums[0], sum)
		}}
	}
}

func requireSameSum(tb require.TestingT, want, got sssp.Summary) {
	require.InDelta(tb, want.Sum, got.Sum, 1e-9*want.Sum)
	want.Sum = got.Sum
	require.Equal(tb, want, got)
}

func startBFS(
	modes []bfs.Mode, tunings ...bfs.Tuning,
) func(tb require.TestingT, source distgraph.Source, pick uint64) job {
	return func(tb require.TestingT, source distgraph.Source, pick uint64) job {
		c := load(tb, source)
		root := pick % c.Vertices()
		sums := make([]bfs.Summary, len(modes))
		var found []search[int64]
		for range modes {
			found = append(found, newSearch[int64](c.Vertices()))
		}
		return job{func(r *pebble.Rank) error {
			tasks := task.New(r)
			g := appstest.Must(distgraph.Build(r, source))
			roots := appstest.Must(g.Indices(distgraph.IDs(root)))
			for i, mode := range modes {
				tuning := tunings[i]
				tuning.Tasks = tasks
				k := appstest.Must(bfs.NewSearch(g, mode, tuning))
				if err := found[i].from(g, k, roots[0], 1+pick%2); err != nil {
					return fmt.Errorf("%s %+v: %w", mode, tunings[i], err)
				}
				sum := appstest.Must(k.Summary())
				if r.ID() == 0 {
					sums[i] = sum
				}
			}
			return nil
		}, func(tb require.TestingT) {
			dist, _ := graph.BFS(c, root)
			for i, mode := range modes {
				require.Equal(tb, dist, found[i].dist, mode)
				require.NoError(tb, graph.Validate(c, root, found[i].parent, found[i].dist), mode)
				want := bfs.Summary{Summary: graph.Summarize(dist), Traversed: graph.TraversedEdges(c, dist)}
				require.Equal(tb, want, sums[i], mode)
			}
		}}
	}
}
