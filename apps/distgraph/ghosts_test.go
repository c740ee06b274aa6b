package distgraph

import (
	"fmt"
	"testing"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/apps/graph"
	"github.com/activepebbles/pebbles/pebble"
)

// After an exchange the slot of each head has the value that the head's owner set last, even if a rank's ghosts end in
// the middle of a pebble.
func TestGhosts(t *testing.T) {
	star := appstest.List{N: 300}
	for v := uint64(1); v < star.N; v++ {
		star.Edges = append(star.Edges, graph.Edge{From: v, To: 0}, graph.Edge{From: v, To: v})
	}
	for _, source := range []Source{
		{Generator: appstest.Kronecker(t, 8)}, {Generator: appstest.ErdosRenyi(t, 8, 3)}, {Generator: star.Generator()},
		{Generator: appstest.List{N: 2}.Generator()},
	} {
		for _, ranks := range []int{1, 2, 5} {
			t.Run(fmt.Sprintf("%s, %d ranks", source.Name(), ranks), func(t *testing.T) {
				err := appstest.Job(t, pebble.Config{Ranks: ranks}, func(r *pebble.Rank) error {
					g := appstest.Must(Build(r, source))
					return exchanges[uint64](g, g.Narrow.Rows)
				})
				if err != nil {
					t.Fatal(err)
				}
			})
		}
	}
}

// exchanges sets other numbers in each round, and then checks those of all heads.
func exchanges[T Number](g *Graph, rows *Rows[uint32]) error {
	s := appstest.Must(NewGhosts[uint32, T](g, rows, g.Kernel("test")))
	for round := range 3 {
		now := func(index uint64) T { return T(index)*10 + T(round) }
		for v := range g.Local {
			s.Values[v] = now(g.First + uint64(v))
		}
		appstest.OK(s.Exchange())
		for i, slot := range s.Slots {
			if want := now(uint64(rows.Heads[i])); s.Values[slot] != want {
				return fmt.Errorf("head %d has %v, not %v", rows.Heads[i], s.Values[slot], want)
			}
		}
	}
	return s.Tally().Check(g.Rank, "exchange")
}
