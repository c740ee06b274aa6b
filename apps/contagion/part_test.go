package contagion

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/internal/seeds"
)

// A rank finds its own keys, and no others, as the distribution defines them.
func TestSpot(t *testing.T) {
	seed := seeds.Of(t)
	random := rand.New(rand.NewPCG(seed, 0))
	for _, ranks := range []int{1, 2, 3, 7, 64, 1000, 1<<20 + 7} {
		for _, n := range []uint64{1, 10, 1009, 1<<32 - 2} {
			for _, of := range []distribution.Indexed{
				distribution.Block(n, ranks), distribution.Cyclic(n, ranks), distribution.BlockCyclic(n, ranks, 3),
			} {
				self := random.IntN(ranks)
				s := newSpot(of, self)
				for i := range uint64(300) {
					key := i
					if i >= 100 {
						key = random.Uint64N(n)
					}
					if key >= n {
						continue
					}
					local, ok := s.local(uint32(key))
					require.Equal(t, of.Owner(key) == self, ok, "%v: key %d at rank %d", of, key, self)
					if ok {
						require.EqualValues(t, of.Local(key), local)
						require.EqualValues(t, key, s.key(int(local)))
					}
				}
			}
		}
	}
}
