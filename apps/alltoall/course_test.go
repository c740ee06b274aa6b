package alltoall

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A round has every other rank once, and no two ranks in step send to the same.
func TestCourse(t *testing.T) {
	for ranks := 2; ranks <= 17; ranks++ {
		courses := make([]course, ranks)
		for r := range courses {
			courses[r] = newCourse(r, ranks)
		}
		for round := range uint64(3) {
			seen := make([]map[uint32]bool, ranks) // by sender
			for range ranks - 1 {
				busy := map[uint32]bool{}
				for r := range courses {
					to, at := courses[r].next()
					require.Equal(t, round, at)
					require.NotEqualValues(t, r, to)
					require.Less(t, to, uint32(ranks))
					if seen[r] == nil {
						seen[r] = map[uint32]bool{}
					}
					seen[r][to], busy[to] = true, true
				}
				require.Len(t, busy, ranks)
			}
			for r := range seen {
				require.Len(t, seen[r], ranks-1)
			}
		}
	}
}
