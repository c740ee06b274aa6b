package engine

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/tune"
)

// The orders of rank 0 are checked before they are followed: a factor of 0 would be a buffer without room.
func TestOrdersAreChecked(t *testing.T) {
	const largest = 1<<63 - 1
	for words, o := range map[string]order{
		"":                                       {1, tune.Setting{Topology: "direct", Coalesce: 8, Cache: 3}},
		"its order has a coalescing factor of 0": {1, tune.Setting{}},
		"its order has a coalescing factor of -1":                  {1, tune.Setting{Coalesce: -1}},
		"its order has a coalescing factor of 9223372036854775807": {1, tune.Setting{Coalesce: largest}},
		"its order has a cache of -1 entries":                      {1, tune.Setting{Coalesce: 8, Cache: -1}},
		"its order is for -1 epochs":                               {-1, tune.Setting{Coalesce: 8}},
		"its order is for 0 epochs":                                {0, tune.Setting{Coalesce: 8}},
	} {
		got := orderOf(o.bytes())
		require.Equal(t, o, got)
		require.Contains(t, got.wrong(), words)
	}
}
