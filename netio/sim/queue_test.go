package sim

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// The queue against a sorted list.
func TestQueueIsASortedList(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for range 50 {
		ranks := 1 + rng.IntN(60)
		q := newQueue(ranks)
		list := map[int]entry{} // by rank
		for range 400 {
			rank, key := rng.IntN(ranks), instant(rng.IntN(30))
			held, in := list[rank]
			switch rng.IntN(4) {
			case 0:
				if !in {
					q.push(key, tie(9, rank))
					list[rank] = entry{key, tie(9, rank)}
				}
			case 1:
				q.sooner(rank, key)
				if in {
					list[rank] = entry{min(held.key, key), held.tie}
				}
			case 2:
				q.later(rank, key)
				if in {
					list[rank] = entry{max(held.key, key), held.tie}
				}
			default:
				if len(list) == 0 {
					require.Equal(t, never, q.first())
					continue
				}
				var all []entry
				for _, s := range list {
					all = append(all, s)
				}
				want := slices.MinFunc(all, func(a, b entry) int {
					if a.before(b) {
						return -1
					}
					return 1
				})
				require.Equal(t, want.key, q.first())
				rank, key := q.pop()
				require.Equal(t, want, entry{key, tie(9, rank)})
				delete(list, rank)
			}
		}
	}
}
