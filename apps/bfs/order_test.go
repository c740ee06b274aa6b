package bfs

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/distgraph"
)

// Lines give back each vertex that joined, lowest level first, and keep nothing for the next search.
func TestLines(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	l := lines[uint32]{inOrder: distgraph.NewArranger[uint32](1000)}
	for range 3 {
		l.clear()
		want := map[[2]uint32]int{}
		for range 500 {
			v, level := random.Uint32N(1000), random.Uint32N(50)
			if want[[2]uint32{v, level}] > 0 {
				continue // a level falls to another but once
			}
			want[[2]uint32{v, level}]++
			l.join(v, level)
		}
		before := uint32(0)
		for l.count > 250 { // the rest is forgotten
			level := l.lowest()
			require.GreaterOrEqual(t, level, before)
			before = level
			v, ok := l.pop(level)
			if !ok {
				continue
			}
			want[[2]uint32{v, level}]--
			require.Zero(t, want[[2]uint32{v, level}])
		}
		l.join(7, 0)
		require.Equal(t, uint32(0), l.lowest(), "a late low level goes first")
	}
}
