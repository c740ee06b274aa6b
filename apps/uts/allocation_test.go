//go:build !race

package uts

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// A search allocates nothing per node.
func TestSearchDoesNotAllocate(t *testing.T) {
	w := newWalker(little[0])
	w.stack = make([]node, 0, 1<<10)
	require.Zero(t, testing.AllocsPerRun(10, func() {
		w.root(little[0])
		w.search(math.MaxUint64)
	}))
}
