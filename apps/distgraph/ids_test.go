package distgraph

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/apps/graph"
	"github.com/activepebbles/pebbles/ingest"
	"github.com/activepebbles/pebbles/pebble"
)

// The numbering of ids is that of a sorted list, and a scan for the smallest ids that are missing, on any number of
// ranks.
func TestIDsTwin(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		most := rapid.SampledFrom([]uint64{5, 50, 50000, 1 << 40, 1<<64 - 1}).Draw(rt, "largest id")
		met := rapid.SliceOfN(rapid.Uint64Range(0, most), 1, 200).Draw(rt, "ids")
		ranks := rapid.IntRange(1, 4).Draw(rt, "ranks")
		order := slices.Compact(slices.Sorted(slices.Values(met)))
		twin := map[uint64]uint64{}
		for i, id := range order {
			twin[id] = uint64(i)
		}
		named := len(order)
		isolated := rapid.IntRange(0, 100).Draw(rt, "isolated vertices")
		for id := uint64(0); len(order) < named+isolated; id++ {
			if _, known := twin[id]; !known {
				twin[id] = uint64(len(order))
				order = append(order, id)
			}
		}
		all := make([]uint64, len(order))
		for i := range all {
			all[i] = uint64(i)
		}
		asked := append(slices.Clone(order), rapid.Uint64().Draw(rt, "stranger"))
		require.NoError(rt, appstest.Job(t, pebble.Config{Ranks: ranks}, func(r *pebble.Rank) error {
			var own idSet
			for i := r.ID(); i < len(met); i += ranks {
				own.add(met[i])
			}
			table, err := newIDs(r, &own, uint64(len(order)))
			if err != nil {
				return err
			}
			names, err := table.names(all)
			require.NoError(rt, err)
			require.Equal(rt, order, names)
			indices, known, err := table.indices(asked)
			require.NoError(rt, err)
			for i, id := range asked {
				index, there := twin[id]
				require.Equal(rt, there, known[i])
				if there {
					require.Equal(rt, index, indices[i])
				}
				if there && index < uint64(named) && table.owner(id) == uint64(r.ID()) {
					require.Equal(rt, index, table.own(id))
				}
			}
			require.EqualValues(rt, len(order), table.vertices())
			return nil
		}))
	})
}

// Isolated vertices, which a header alone counts, get indices and ids like all others, at no cost.
func TestIsolatedVertices(t *testing.T) {
	path := appstest.Write(t, "g.el", "# Nodes: 1000000 Edges: 2\n7 3\n3 2000000\n")
	require.NoError(t, appstest.Job(t, pebble.Config{Ranks: 3}, func(r *pebble.Rank) error {
		g := appstest.Must(Build(r, Source{Path: path}))
		require.EqualValues(t, 1e6, g.Vertices)
		ids := []uint64{3, 7, 2000000, 0, 1, 2, 4, 5, 6, 8, 999998}
		indices := appstest.Must(g.Indices(ids))
		require.Equal(t, []uint64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 999999}, indices)
		require.Equal(t, ids, appstest.Must(g.IDs(indices)))
		_, err := g.Indices([]uint64{999999})
		require.ErrorIs(t, err, ErrRoot)
		require.ErrorContains(t, err, "ids from 0 to 2000000")
		return nil
	}))
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

// Public graphs have the sizes that their publishers state, and searches known answers.
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
	require.ErrorContains(t, build(t, Source{Path: path}), "neither the file's name nor its first line")
	require.ErrorContains(t, build(t, Source{Path: path, Format: ingest.EdgeList}), "line 1: ")
}
