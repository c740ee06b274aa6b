package distgraph

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/apps/graph"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/ingest"
	"github.com/activepebbles/pebbles/pebble"
)

// Numbers are those of a sorted list, on any number of ranks. Vertices that only a header counts have the smallest ids
// that are missing.
func TestIDsTwin(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		most := rapid.SampledFrom([]uint64{5, 50, 50000, 1 << 40, 1<<64 - 1}).Draw(rt, "largest id")
		met := rapid.SliceOfN(rapid.Uint64Range(0, most), 1, 200).Draw(rt, "ids")
		ranks := rapid.IntRange(1, 4).Draw(rt, "ranks")
		order := slices.Compact(slices.Sorted(slices.Values(met)))
		all := len(order) + rapid.IntRange(0, 100).Draw(rt, "isolated vertices")
		for id := uint64(0); len(order) < all; id++ {
			if !slices.Contains(order, id) {
				order = append(order, id)
			}
		}
		slices.Sort(order)
		require.NoError(rt, appstest.Job(t, pebble.Config{Ranks: ranks}, func(r *pebble.Rank) error {
			var own idSet
			for i := r.ID(); i < len(met); i += ranks {
				own.add(met[i])
			}
			var o outline
			require.NoError(rt, o.numberVertices(&meeting{rank: r, ids: own}, uint64(all)))
			require.EqualValues(rt, all, o.vertices)
			for i := r.ID(); i < len(met); i += ranks {
				number, known := o.numberOf(met[i])
				require.True(rt, known)
				require.Equal(rt, met[i], order[number])
			}
			if o.label == nil {
				require.EqualValues(rt, all-1, order[all-1])
				return nil
			}
			g := &Graph{Rank: r, Owner: distribution.Block(o.vertices, ranks)}
			g.First, g.Local = g.Owner.Key(r.ID(), 0), g.Owner.LocalLen(r.ID())
			labels := appstest.Must(o.label(g))
			for i, id := range labels.ids {
				require.Equal(rt, order[g.First+uint64(i)], id)
			}
			return nil
		}))
	})
}

// Isolated vertices, which only a header counts, have indices and ids like all others, in the order of ids.
func TestIsolatedVertices(t *testing.T) {
	path := appstest.Write(t, "g.el", "# Nodes: 1000000 Edges: 2\n7 3\n3 2000000\n")
	require.NoError(t, appstest.Job(t, pebble.Config{Ranks: 3}, func(r *pebble.Rank) error {
		g := appstest.Must(Build(r, Source{Path: path}))
		require.EqualValues(t, 1e6, g.Vertices)
		ids := []uint64{0, 1, 3, 7, 8, 999998, 2000000}
		indices := appstest.Must(g.Indices(IDs(ids...)))
		require.Equal(t, []uint64{0, 1, 3, 7, 8, 999998, 999999}, indices)
		require.Equal(t, IDs(ids...), appstest.Must(g.Labels(indices)))
		_, err := g.Indices(IDs(999999))
		require.ErrorIs(t, err, ErrRoot)
		require.ErrorContains(t, err, "ids from 0 to 2000000")
		return nil
	}))
}

// The own vertices of all ranks, rank after rank, are in the order of the source, whatever the order in memory. Each
// rank gets the labels of the vertices that it asks about.
func TestLabels(t *testing.T) {
	star := "# Nodes: 400 Edges: 301\n18446744073709551615 18446744073709551614\n"
	for v := range 300 {
		star += fmt.Sprintf("%d 5000000\n", 20*v)
	}
	for _, order := range []Order{AsGiven, ByDegree} {
		for _, text := range []string{star, "1 2\n2 0\n"} {
			source := Source{Path: appstest.Write(t, "g.el", text), Undirected: true, Order: order}
			var want []uint64
			for ranks := 1; ranks <= 9; ranks++ {
				all := make([]Labels, ranks)
				require.NoError(t, appstest.Job(t, pebble.Config{Ranks: ranks}, func(r *pebble.Rank) error {
					g := appstest.Must(Build(r, source))
					all[r.ID()] = appstest.Must(g.Labels(g.Own()))
					every := make([]uint64, g.Vertices)
					for i := range every {
						every[i] = g.Vertices - uint64(i)
					}
					labels := appstest.Must(g.Labels(every[:len(every)*r.ID()/ranks]))
					for i, index := range appstest.Must(g.Indices(appstest.Must(g.Labels(every[1:])))) {
						require.Equal(t, every[i+1], index)
					}
					require.True(t, labels.Len() == 0 || labels.IDs[0] == g.Vertices, "no vertex stands for itself")
					return nil
				}))
				var got []uint64
				for _, labels := range all {
					got = append(got, labels.IDs...)
				}
				require.True(t, slices.IsSorted(got))
				if ranks == 1 {
					want = got
				}
				require.Equal(t, want, got)
			}
		}
	}
}

type searched struct {
	root uint64 // the file's id
	graph.Summary
}

func summary(reached uint64, depth int64, sum uint64) graph.Summary {
	return graph.Summary{Reached: reached, Depth: depth, Sum: sum}
}

var realGraphs = []struct {
	file            string
	vertices, edges uint64
	directed        bool
	loops           int
	searches        []searched
}{
	{"cnr-2000.el.gz", 325557, 3216152, true, 87442, []searched{
		{217849, summary(325557, 35, 5426851)}, {0, summary(311, 8, 1502)}}},
	{"road-NY.gr.gz", 264346, 365050, false, 0, []searched{{1, summary(264346, 619, 90771609)}}},
	{"soc-Epinions1.txt.gz", 75879, 508837, true, 0, []searched{{0, summary(47676, 9, 170249)}}},
	{"wiki-Vote.txt.gz", 7115, 103689, true, 0, []searched{{30, summary(2316, 5, 6920)}}},
	{"astro-ph.metis.graph.gz", 16706, 121251, false, 0, nil},
	{"memplus.mtx.gz", 17758, 126150, true, 17758, nil},
}

// Public graphs have the sizes that their publishers state, and searches have known results.
func TestRealGraphs(t *testing.T) {
	for _, want := range realGraphs {
		t.Run(want.file, func(t *testing.T) {
			c, index, err := Source{Path: appstest.Data(t, want.file)}.Load()
			require.NoError(t, err)
			require.Equal(t, want.vertices, c.Vertices())
			require.Equal(t, want.edges, c.Edges())
			require.Equal(t, want.directed, c.Directed)
			loops := 0
			for v := range c.Vertices() {
				for _, head := range c.Row(v) {
					loops += int(bit(head == v))
				}
			}
			require.Equal(t, want.loops, loops)
			for _, a := range want.searches {
				root, known := index(a.root)
				require.True(t, known)
				dist, parent := graph.BFS(c, root)
				require.Equal(t, a.Summary, graph.Summarize(dist))
				require.NoError(t, graph.Validate(c, root, parent, dist))
				if a.Reached == want.vertices {
					require.Equal(t, want.edges, graph.TraversedEdges(c, dist), "all edges are traversed, each once")
				}
			}
		})
	}
}

func TestRealContactsAreNoGraph(t *testing.T) {
	path := appstest.Data(t, "primaryschool.csv.gz")
	require.ErrorContains(t, build(t, Source{Path: path}), `line 1: no column "source"; the file has "Time`)
	require.ErrorContains(t, build(t, Source{Path: path, Format: ingest.EdgeList}), "line 1: ")
}
