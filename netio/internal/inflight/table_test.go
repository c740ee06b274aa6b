package inflight

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestTable compares with a map: each number belongs to one entry until that leaves, and numbers from outside that are not in use
// find nothing.
func TestTable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var table Table[int]
		twin, most := map[uint32]int{}, 0
		for i := range rapid.IntRange(1, 100).Draw(t, "steps") {
			if n := rapid.Uint32Range(0, 20).Draw(t, "number"); rapid.Bool().Draw(t, "enter") {
				n = table.Enter(i + 1)
				require.NotContains(t, twin, n)
				twin[n] = i + 1
			} else if v, ok := twin[n]; ok {
				require.Equal(t, v, *table.At(n))
				require.Equal(t, v, table.Leave(n))
				delete(twin, n)
			} else {
				require.Nil(t, table.At(n))
			}
			most = max(most, len(twin))
			require.Equal(t, len(twin), table.Len())
			require.Equal(t, most, table.Slots(), "numbers are used again")
		}
	})
}
