package graphtest

import (
	"fmt"
	"testing"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/apps/distgraph"
	"github.com/activepebbles/pebbles/apps/graph"
	"github.com/activepebbles/pebbles/internal/leaks"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(leaks.Main(m)) }

// halved turns the edges of an undirected graph into arcs.
type halved struct{ graph.Generator }

func (halved) Directed() bool { return true }

// edges returns edges between pairs of vertices.
func edges(ends ...uint64) (all []graph.Edge) {
	for i := 0; i < len(ends); i += 2 {
		all = append(all, graph.Edge{From: ends[i], To: ends[i+1]})
	}
	return all
}

// clique returns a graph with an edge between any two of n vertices.
func clique(n uint64) (l appstest.List) {
	l.N = n
	for v := range n {
		for w := range v {
			l.Edges = append(l.Edges, graph.Edge{From: v, To: w})
		}
	}
	return l
}

// ladder returns a graph of n vertices in pairs. Both of a pair lead to both of the next one: about 2^(n/2) paths.
func ladder(n uint64) (l appstest.List) {
	l.N = n
	for v := uint64(2); v < n; v++ {
		l.Edges = append(l.Edges, graph.Edge{From: v - 2 - v%2, To: v}, graph.Edge{From: v - 1 - v%2, To: v})
	}
	return l
}

// hubs returns a graph with four vertices joined to all others. Each of the others has one more neighbour, so rows
// differ a lot in length.
func hubs() appstest.List {
	l := appstest.List{N: 500}
	for v := uint64(4); v < l.N; v++ {
		for hub := range uint64(4) {
			l.Edges = append(l.Edges, graph.Edge{From: hub, To: v})
		}
		l.Edges = append(l.Edges, graph.Edge{From: v, To: 4 + v*7%(l.N-4)})
	}
	return l
}

// oddGraphs returns graphs with special cases for a kernel over a whole graph.
func oddGraphs() map[string]appstest.List {
	path, star := appstest.List{N: 70}, appstest.List{N: 70}
	for v := range path.N - 1 {
		path.Edges = append(path.Edges, graph.Edge{From: v, To: v + 1})
	}
	for v := uint64(1); v < star.N; v++ {
		star.Edges = append(star.Edges, graph.Edge{From: v, To: 0})
	}
	return map[string]appstest.List{
		"no vertices":        {},
		"one vertex":         {N: 1},
		"one loop":           {N: 1, Edges: edges(0, 0)},
		"no edges":           {N: 5},
		"loops only":         {N: 3, Edges: edges(0, 0, 2, 2)},
		"two parts":          {N: 7, Edges: edges(0, 1, 1, 2, 4, 5)},
		"duplicates":         {N: 4, Edges: edges(0, 1, 0, 1, 1, 0, 1, 2, 0, 3, 3, 2, 3, 2)},
		"a power of 2 and 1": {N: 65, Edges: edges(63, 64, 64, 0, 0, 63)},
		"path":               path,
		"star":               star,
		"clique":             clique(12),
		"ladder":             ladder(130),
	}
}

// onOddGraphs runs body for odd graphs, directed and undirected, on several numbers of ranks, some above the number of
// vertices.
func onOddGraphs(
	t *testing.T, graphs map[string]appstest.List, body func(t *testing.T, ranks int, source distgraph.Source),
) {
	for name, l := range graphs {
		arcs := l
		arcs.Directed = true
		for i, source := range []distgraph.Source{
			{Generator: arcs.Generator()}, {Generator: l.Generator(), Wide: true},
			{Generator: arcs.Generator(), Undirected: true, Order: distgraph.ByDegree},
		} {
			numbers := []int{1, 9}
			if l.N > 12 {
				numbers = []int{3} // its many epochs show nothing new with others
			}
			for _, ranks := range numbers {
				t.Run(fmt.Sprintf("%s %d, %d ranks", name, i, ranks), func(t *testing.T) { body(t, ranks, source) })
			}
		}
	}
}

// drawSource draws a graph with at most the given numbers of vertices and edges.
func drawSource(t *rapid.T, vertices uint64, edges int) distgraph.Source {
	n := rapid.Uint64Range(1, vertices).Draw(t, "vertices")
	l := appstest.List{N: n, Directed: rapid.Bool().Draw(t, "directed"), Edges: appstest.DrawEdges(t, n, edges)}
	return distgraph.Source{Generator: l.Generator(), Wide: rapid.Bool().Draw(t, "wide")}
}
