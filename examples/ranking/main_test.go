package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/pebble"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// twin ranks vertices one edge after the other, by probabilities, which are the scores divided by the number of
// vertices.
func twin(edges [][2]uint64, rounds int) map[uint64]float64 {
	scores, degrees := map[uint64]float64{}, map[uint64]float64{}
	for _, e := range edges {
		scores[e[0]], scores[e[1]] = 0, 0
		degrees[e[0]]++
	}
	n := float64(len(scores))
	for v := range scores {
		scores[v] = 1 / n
	}
	for range rounds {
		next := map[uint64]float64{}
		for v, score := range scores {
			next[v] += (1 - damping) / n
			if degrees[v] == 0 {
				for to := range scores {
					next[to] += damping * score / n
				}
			}
		}
		for _, e := range edges {
			next[e[1]] += damping * scores[e[0]] / degrees[e[0]]
		}
		scores = next
	}
	return scores
}

// drawn returns edges with hubs, loops, doubled ones, and vertices that lead nowhere.
func drawn(seed uint64) (edges [][2]uint64) {
	random := rand.New(rand.NewPCG(seed, 1))
	for range 800 {
		edges = append(edges, [2]uint64{random.Uint64N(150), random.Uint64N(1 + random.Uint64N(200))})
	}
	return append(edges, edges[:5]...)
}

func TestScores(t *testing.T) {
	edges := drawn(1)
	var text strings.Builder
	text.WriteString("# a comment\n")
	for _, e := range edges {
		fmt.Fprintf(&text, "%d\t%d\n", e[0], e[1])
	}
	file := appstest.Write(t, "edges.txt", text.String())
	for _, rounds := range []int{0, 1, 20} {
		want := twin(edges, rounds)
		appstest.Few(t, func(t *testing.T, s appstest.Shape) {
			require.NoError(t, s.Run(t, func(r *pebble.Rank) error {
				vertices := appstest.Must(run(r, []string{file}, rounds))
				all, err := vertices.Gather(0)
				if r.ID() == 0 && err == nil {
					require.Len(t, all, len(want))
					for _, e := range all {
						require.InDelta(t, want[e.Key], e.Value.Score/float64(len(want)), 1e-12, "vertex %d", e.Key)
					}
				}
				return err
			}))
		})
	}
}

func TestShown(t *testing.T) {
	w := &strings.Builder{}
	file := appstest.Write(t, "edges.txt", "1 2\n2 1\n3 1\n3 2\n")
	require.NoError(t, appstest.Mem(3).Run(t, func(r *pebble.Rank) error {
		vertices, err := run(r, []string{file}, 50)
		require.NoError(t, err)
		return show(r, w, vertices, 2)
	}))
	require.Equal(t, "    1.4250 1\n    1.4250 2\n", w.String())
}

func TestBadEdge(t *testing.T) {
	file := appstest.Write(t, "edges.txt", "1 2\n3 x\n")
	err := appstest.Mem(2).Run(t, func(r *pebble.Rank) error {
		_, err := run(r, []string{file}, 1)
		return err
	})
	require.ErrorContains(t, err, "edges.txt: line 2")
}
