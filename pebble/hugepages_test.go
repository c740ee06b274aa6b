package pebble_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/pebble"
)

// A table equals the result of make, for any size and any pages under it.
func TestTable(t *testing.T) {
	require.Empty(t, pebble.HugePages[uint64](0))
	require.Len(t, pebble.HugePages[struct{}](7), 7)
	for _, n := range []int{1, 5, 1<<18 - 1, 1 << 18, 1<<19 + 3} {
		table := pebble.HugePages[uint64](n)
		require.Len(t, table, n)
		var sum uint64
		for i := range table {
			sum += table[i]
			table[i] = uint64(i)
		}
		require.Zero(t, sum)
		require.EqualValues(t, n-1, table[n-1])
	}
}
