package bfs

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/apps/distgraph"
	"github.com/activepebbles/pebbles/apps/graph"
	"github.com/activepebbles/pebbles/pebble"
)

// Thresholds that force one direction.
var (
	alwaysAlong   = Tuning{Alpha: math.SmallestNonzeroFloat64}
	alwaysAgainst = Tuning{Alpha: math.MaxFloat64, Beta: math.MaxFloat64}
)

// Steps follow the thresholds, and by default the large levels of a Kronecker graph go against arcs.
func TestDirections(t *testing.T) {
	for _, source := range []distgraph.Source{{Generator: appstest.Kronecker(t, 11)},
		{Generator: halved{appstest.Kronecker(t, 11)}}} {
		for tuning, check := range map[Tuning]func(steps [2]int, depth int){
			{}: func(steps [2]int, depth int) {
				require.Positive(t, steps[0])
				require.Positive(t, steps[1])
				require.Equal(t, depth+1, steps[0]+steps[1])
			},
			alwaysAlong:   func(steps [2]int, depth int) { require.Equal(t, [2]int{depth + 1, 0}, steps) },
			alwaysAgainst: func(steps [2]int, depth int) { require.Equal(t, [2]int{0, depth + 1}, steps) },
			{Alpha: math.MaxFloat64, Beta: math.SmallestNonzeroFloat64}: func(steps [2]int, depth int) {
				require.Positive(t, steps[0], "along arcs when the frontier shrinks")
				require.Greater(t, steps[1], 1)
			},
		} {
			var steps [2]int
			var depth int
			require.NoError(t, appstest.Job(t, pebble.Config{Ranks: 3}, func(r *pebble.Rank) error {
				g := appstest.Must(distgraph.Build(r, source))
				roots := appstest.Must(g.Draw(1, 5))
				s := appstest.Must(NewSearch(g, Direction, tuning))
				for range 2 { // a search leaves nothing for the next
					require.NoError(t, s.From(roots[0]))
				}
				sum, err := s.Summary()
				if r.ID() == 0 {
					steps, depth = s.(*direction[uint32]).steps, int(sum.Depth)
				}
				return err
			}))
			check(steps, depth)
		}
	}
}

// A step against arcs sends each rank's part of the frontier to each other rank, in pieces with at least one bit, and
// nothing else.
func TestPieces(t *testing.T) {
	const ranks, vertices = 4, 4 * 64 * wordsPerPiece * 2 // two pieces per rank
	star := appstest.List{N: vertices}
	for v := uint64(1); v < vertices; v++ {
		star.Edges = append(star.Edges, graph.Edge{From: 0, To: v})
	}
	sent := make([]uint64, ranks)
	require.NoError(t, appstest.Job(t, pebble.Config{Ranks: ranks}, func(r *pebble.Rank) error {
		g := appstest.Must(distgraph.Build(r, distgraph.Source{Generator: star.Generator(), Order: distgraph.AsGiven}))
		s := appstest.Must(NewSearch(g, Direction, alwaysAgainst))
		before := r.Counters()
		require.NoError(t, s.From(0))
		sent[r.ID()] = r.Counters().Since(before).PebblesSent
		return nil
	}))
	// The root is one piece to three ranks. Then the others are two pieces from each rank to three ranks.
	require.Equal(t, []uint64{9, 6, 6, 6}, sent)
}

// The validator reports a tree with missing or wrong results of a step against arcs.
func TestDirectionValidated(t *testing.T) {
	source := distgraph.Source{Generator: appstest.Kronecker(t, 8)}
	for name, spoil := range map[string]func(s *direction[uint32], v uint32){
		"level too low":  func(s *direction[uint32], v uint32) { s.level[v]-- },
		"level too high": func(s *direction[uint32], v uint32) { s.level[v]++ },
		"no parent":      func(s *direction[uint32], v uint32) { s.parent[v] = distgraph.None[uint32]() },
		"not reached": func(s *direction[uint32], v uint32) {
			s.parent[v], s.level[v] = distgraph.None[uint32](), distgraph.None[uint32]()
		},
		"its own parent":   func(s *direction[uint32], v uint32) { s.parent[v] = s.first + v },
		"parent elsewhere": func(s *direction[uint32], v uint32) { s.parent[v] = uint32(s.g.Vertices) },
	} {
		t.Run(name, func(t *testing.T) {
			var spoiled, breaches [3]uint64
			require.NoError(t, appstest.Job(t, pebble.Config{Ranks: 3}, func(r *pebble.Rank) error {
				g := appstest.Must(distgraph.Build(r, source))
				roots := appstest.Must(g.Draw(1, 3))
				search := appstest.Must(NewSearch(g, Direction, alwaysAgainst))
				require.NoError(t, search.From(roots[0]))
				s := search.(*direction[uint32])
				for v, level := range s.level {
					if r.ID() == 1 && level == 2 {
						spoil(s, uint32(v))
						spoiled[1] = 1
						break
					}
				}
				found, err := s.Validate()
				breaches[r.ID()] = found.Count
				return err
			}))
			require.Equal(t, [3]uint64{0, 1, 0}, spoiled)
			require.NotZero(t, breaches)
		})
	}
}
