package graphtest

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/apps/distgraph"
	"github.com/activepebbles/pebbles/apps/graph"
	"github.com/activepebbles/pebbles/apps/pagerank"
	"github.com/activepebbles/pebbles/apps/triangles"
	"github.com/activepebbles/pebbles/internal/seeds"
)

// networkx reads a graph, "directed" or "undirected", its number of vertices and its edges, and prints scores,
// triangles and clustering coefficients as JSON.
const networkx = `
import json, sys
import networkx as nx
from networkx.algorithms.link_analysis import pagerank_alg
words = sys.stdin.read().split()
g = nx.DiGraph() if words[0] == "directed" else nx.Graph()
n = int(words[1])
g.add_nodes_from(range(n))
ends = [int(w) for w in words[2:]]
g.add_edges_from(zip(ends[::2], ends[1::2]))
try:
    scores = nx.pagerank(g, tol=1e-14, max_iter=1000)
except ImportError:  # nx.pagerank needs SciPy, and this one does not
    scores = pagerank_alg._pagerank_python(g, tol=1e-14, max_iter=1000)
out = {"scores": [scores[v] for v in range(n)]}
if not g.is_directed():
    out["triangles"] = [nx.triangles(g)[v] for v in range(n)]
    out["clustering"] = [nx.clustering(g)[v] for v in range(n)]
print(json.dumps(out))
`

type networkxResult struct {
	Scores     []float64 `json:"scores"`
	Triangles  []uint64  `json:"triangles"`
	Clustering []float64 `json:"clustering"`
}

// byNetworkX returns the results of NetworkX. It skips the test if NetworkX is not installed.
func byNetworkX(t *testing.T, l appstest.List) (res networkxResult) {
	t.Helper()
	pythons := []string{"python3", "/usr/bin/python3"} // Debian's package is for its own Python
	at := slices.IndexFunc(pythons, func(p string) bool { return exec.Command(p, "-c", "import networkx").Run() == nil })
	if at < 0 {
		t.Skip("no NetworkX: install python3-networkx")
	}
	kind := "undirected"
	if l.Directed {
		kind = "directed"
	}
	var in strings.Builder
	fmt.Fprintln(&in, kind, l.N)
	for _, e := range l.Edges {
		fmt.Fprintln(&in, e.From, e.To)
	}
	run := exec.Command(pythons[at], "-c", networkx)
	run.Stdin = strings.NewReader(in.String())
	out, err := run.Output()
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(out, &res))
	return res
}

// Scores that are spread and count self-loops, triangles and clustering coefficients agree with NetworkX, on graphs
// with self-loops, vertices without arcs, and duplicate edges.
func TestNetworkX(t *testing.T) {
	random := rand.New(rand.NewPCG(seeds.Of(t), 0))
	for _, directed := range []bool{false, true} {
		l := appstest.List{N: 40, Directed: directed, Edges: edges(3, 3, 5, 5, 1, 2, 1, 2)}
		for range 120 {
			l.Edges = append(l.Edges, graph.Edge{From: random.Uint64N(30), To: random.Uint64N(36)})
		}
		want := byNetworkX(t, l)
		c := exactly(distgraph.Source{Generator: l.Generator(), SelfLoops: true})
		c.Dangling = graph.Spread
		require.InDeltaSlice(t, want.Scores, appstest.Must(pagerank.Serial(c)), 1e-9)
		startPageRank(c)(t, c.Source, 0).run(t, appstest.On(t, on(3)))
		if directed {
			continue
		}
		c.Source.SelfLoops = false
		counts, clustering, err := triangles.SerialCorners(c.Source)
		require.NoError(t, err)
		require.Equal(t, want.Triangles, counts)
		require.InDeltaSlice(t, want.Clustering, clustering, 1e-12)
		startClustering(t, c.Source, 0).run(t, appstest.On(t, on(3)))
	}
}
