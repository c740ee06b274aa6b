package contagion

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/seeds"
)

// The heap removes the present person who leaves next, and among equal times the first one in the order of events. The
// test has many equal times, where a wrong order would remove another person.
func TestHeapTakesOutWhoLeaves(t *testing.T) {
	random := rand.New(rand.NewPCG(seeds.Of(t), 0))
	for range 200 {
		var h heap
		var want []present
		for person := range uint32(random.IntN(12)) {
			p := present{depart: 100 + random.Int32N(2), person: person, visit: person}
			want = append(want, p)
		}
		for _, i := range random.Perm(len(want)) {
			h.push(want[i])
		}
		slices.SortStableFunc(want, func(a, b present) int { return int(a.depart - b.depart) })
		for _, p := range want {
			require.Equal(t, p, h[0])
			h.pop()
		}
		require.Empty(t, h)
	}
}
