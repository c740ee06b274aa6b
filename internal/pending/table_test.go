package pending

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// A table agrees with a map: each number belongs to one value until that is removed, and unused numbers from outside
// find nothing.
func TestTable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var table Table[int]
		twin, most := map[uint32]int{}, 0
		for i := range rapid.IntRange(1, 100).Draw(t, "steps") {
			if n := rapid.Uint32Range(0, 20).Draw(t, "number"); rapid.Bool().Draw(t, "add") {
				require.Equal(t, len(twin) == table.Slots(), table.Full(table.Slots()))
				n = table.Add(i + 1)
				require.NotContains(t, twin, n)
				twin[n] = i + 1
			} else if v, ok := twin[n]; ok {
				require.Equal(t, v, *table.At(n))
				require.Equal(t, v, table.Remove(n))
				delete(twin, n)
			} else {
				require.Nil(t, table.At(n))
			}
			most = max(most, len(twin))
			require.Equal(t, len(twin), table.Len())
			require.Equal(t, most, table.Slots(), "slots are used again")
			all := map[uint32]int{}
			for n, v := range table.All() {
				all[n] = *v
			}
			require.Equal(t, twin, all)
		}
	})
}

// A slot counts its values, keeps a freed value for the next one, and is used up to its limit.
func TestGenerations(t *testing.T) {
	table := Table[string]{Uses: 3}
	require.Zero(t, table.Generation(0))
	for use, want := range []string{"", "kept", ""} {
		n, v := table.Reuse()
		require.Zero(t, n)
		require.Equal(t, want, *v)
		require.EqualValues(t, use+1, table.Generation(n))
		*v = "kept"
		if use == 0 {
			table.Free(n)
		} else {
			require.Equal(t, "kept", table.Remove(n))
		}
		require.Nil(t, table.At(n))
		require.EqualValues(t, use+1, table.Generation(n))
	}
	require.True(t, table.Full(1))
	require.EqualValues(t, 1, table.Add("in another slot"))
}

func TestTableDoesNotAllocate(t *testing.T) {
	var table Table[*int]
	table.Remove(table.Add(nil))
	require.Zero(t, testing.AllocsPerRun(100, func() { table.Remove(table.Add(nil)) }))
}
