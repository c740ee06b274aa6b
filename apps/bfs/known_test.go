package bfs

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/apps/distgraph"
	"github.com/activepebbles/pebbles/apps/graph"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
	"github.com/activepebbles/pebbles/task"
)

// Facts about real graphs, from their publishers and from other programs. Roots are the files' ids.
var known = []struct {
	file            string
	vertices, edges uint64
	undirected      bool
	roots           []uint64
	answers         []graph.Summary
}{
	{"cnr-2000.el.gz", 325557, 3216152, false, []uint64{217849, 0},
		[]graph.Summary{{Reached: 325557, Depth: 35, Sum: 5426851}, {Reached: 311, Depth: 8, Sum: 1502}}},
	{"road-NY.gr.gz", 264346, 365050, true, []uint64{1}, []graph.Summary{{Reached: 264346, Depth: 619, Sum: 90771609}}},
	{"soc-Epinions1.txt.gz", 75879, 508837, false, []uint64{0}, []graph.Summary{{Reached: 47676, Depth: 9, Sum: 170249}}},
	{"wiki-Vote.txt.gz", 7115, 103689, false, []uint64{30}, []graph.Summary{{Reached: 2316, Depth: 5, Sum: 6920}}},
}

func TestKnownAnswers(t *testing.T) {
	for _, want := range known {
		for _, shape := range []pebble.Config{
			{Ranks: 2, Topology: route.Direct},
			{Ranks: 5, Topology: route.Hypercube, Cache: 1024},
		} {
			if want.vertices > 10_000 && !appstest.Long && (shape.Ranks > 2 || want.vertices > 100_000) {
				continue
			}
			t.Run(fmt.Sprintf("%s, %d ranks", want.file, shape.Ranks), func(t *testing.T) {
				path := appstest.Data(t, want.file)
				var got []graph.Summary
				var made distgraph.Graph
				require.NoError(t, appstest.Job(t, shape, func(r *pebble.Rank) error {
					g := appstest.Must(distgraph.Build(r, distgraph.Source{Path: path}))
					if r.ID() == 0 {
						made = *g
					}
					tuning := Tuning{Tasks: task.New(r)}
					for _, mode := range Modes {
						all := appstest.Must(searchAll(g, mode, tuning, want.roots))
						if r.ID() == 0 {
							got = append(got, all...)
						}
					}
					return nil
				}))
				require.Equal(t, want.vertices, made.Vertices)
				require.Equal(t, want.edges, made.Edges)
				require.Equal(t, want.undirected, made.Undirected)
				require.Equal(t, slices.Repeat(want.answers, len(Modes)), got)
			})
		}
	}
}

// searchAll searches from ids and validates each tree.
func searchAll(g *distgraph.Graph, mode Mode, tuning Tuning, ids []uint64) (all []graph.Summary, err error) {
	roots, err := g.Indices(distgraph.IDs(ids...))
	if err != nil {
		return nil, err
	}
	s, err := NewSearch(g, mode, tuning)
	if err != nil {
		return nil, err
	}
	for _, root := range roots {
		if err := s.From(root); err != nil {
			return nil, err
		}
		sum, err := s.Summary()
		if err != nil {
			return nil, err
		}
		all = append(all, sum.Summary)
		found, err := s.Validate()
		if err != nil {
			return nil, err
		}
		if found.Count > 0 {
			return nil, fmt.Errorf("%d breaches, the first %+v", found.Count, found.First[0])
		}
	}
	return all, nil
}
