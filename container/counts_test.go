package container

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/seeds"
)

// For any numbers of elements on ranks, the numbers afterwards differ by one at most, and no element is lost.
func TestBalance(t *testing.T) {
	random := rand.New(rand.NewPCG(seeds.Of(t), 0))
	for range 500 {
		counts := make([]int, 1+random.IntN(9))
		for i := range counts {
			counts[i] = random.IntN(20)
		}
		after := make([]int, len(counts))
		for rank, n := range counts {
			keep, moves := balance(counts, rank)
			after[rank] += keep
			for _, m := range moves {
				after[m.to] += m.n
				keep += m.n
			}
			require.Equal(t, n, keep, "rank %d of %v", rank, counts)
		}
		require.LessOrEqual(t, slices.Max(after)-slices.Min(after), 1, "%v", counts)
	}
}
