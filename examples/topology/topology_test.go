package main

import (
	"flag"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestGridIsSound(t *testing.T) {
	for ranks := 1; ranks <= 130; ranks++ {
		g := square(ranks).(grid)
		shape, err := route.Check(g)
		require.NoError(t, err)
		require.LessOrEqual(t, shape.Diameter, 2)
		require.LessOrEqual(t, shape.NeighborsMax, 2*(g.columns-1))
		require.GreaterOrEqual(t, g.columns*g.columns, ranks)
	}
}

// The topology has a name for flags, and errors name it among others.
func TestGridHasAName(t *testing.T) {
	fs := flag.NewFlagSet("", flag.ContinueOnError)
	options := pebble.Flags(fs)
	require.NoError(t, fs.Parse([]string{"-topology=grid"}))
	c, err := options.Config(io.Discard)
	require.NoError(t, err)
	require.Equal(t, grid{9, 3}, c.Topology(9))
	require.Contains(t, route.Names(), "grid")
	for _, name := range []string{"", "ring", "mesh", "grid", "my grid", "Grid"} {
		require.Panics(t, func() { route.Register(name, square) }, name)
	}
	require.Panics(t, func() { route.Register("nothing", nil) })
}

// Any number of columns is sound.
func TestGridsAreSound(t *testing.T) {
	for ranks := 1; ranks <= 30; ranks++ {
		for columns := 1; columns <= ranks+1; columns++ {
			_, err := route.Check(grid{ranks, columns})
			require.NoError(t, err, "%d ranks in %d columns", ranks, columns)
		}
	}
}

// A pebble passes a hop if it changes both row and column.
func TestRun(t *testing.T) {
	for ranks, want := range map[int]string{
		1: "1 pebbles handled, 0 passed through a hop\n",
		4: "16 pebbles handled, 4 passed through a hop\n",
		7: "49 pebbles handled, 20 passed through a hop\n", // rows of 3, 3, 1: 6*3 + 2*1 pairs
		9: "81 pebbles handled, 36 passed through a hop\n",
	} {
		var out strings.Builder
		require.NoError(t, pebble.Run(t.Context(), pebble.Config{Ranks: ranks, Topology: square},
			func(r *pebble.Rank) error { return run(r, &out) }))
		require.Equal(t, want, out.String())
	}
}

// adrift never leaves its row of two. It needs an even number of ranks.
type adrift struct{ grid }

func (a adrift) Next(at, _ int) int { return at ^ 1 }

func TestUnsoundTopologyIsRefused(t *testing.T) {
	unsound := func(ranks int) route.Topology { return adrift{grid{ranks, 2}} }
	_, err := route.Check(unsound(8))
	require.ErrorContains(t, err, "never arrives")
	err = pebble.Run(t.Context(), pebble.Config{Ranks: 8, Topology: unsound},
		func(r *pebble.Rank) error { return run(r, &strings.Builder{}) })
	var refused *pebble.RegistrationError
	require.ErrorAs(t, err, &refused)
	require.ErrorContains(t, err, "never arrives")
}
