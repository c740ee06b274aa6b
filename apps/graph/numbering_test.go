package graph

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestCompactionTwin compares the numbering with a plain map and a scan for missing ids.
func TestCompactionTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		idMax := rapid.SampledFrom([]uint64{5, 50, 50000, 1<<64 - 1}).Draw(t, "largest id")
		ids := rapid.SliceOfN(rapid.Uint64Range(0, idMax), 1, 200).Draw(t, "ids")
		c := newCompaction()
		twin := make(map[uint64]uint64)
		var order []uint64
		for _, id := range ids {
			if _, met := twin[id]; !met {
				twin[id] = uint64(len(order))
				order = append(order, id)
			}
			require.Equal(t, twin[id], c.meet(id))
		}
		silent := rapid.Uint64Range(0, 100).Draw(t, "isolated vertices")
		for id := uint64(0); silent > 0; id++ {
			if _, met := twin[id]; !met {
				twin[id] = uint64(len(order))
				order = append(order, id)
				silent--
			}
		}
		c.settle(uint64(len(order)))
		require.Equal(t, uint64(len(order)), c.vertices())
		for index, id := range order {
			require.Equal(t, id, c.id(uint64(index)))
			back, known := c.index(id)
			require.True(t, known)
			require.Equal(t, uint64(index), back)
		}
		stranger := rapid.Uint64().Draw(t, "stranger")
		index, known := c.index(stranger)
		want, met := twin[stranger]
		require.Equal(t, met, known)
		if known {
			require.Equal(t, want, index)
		}
	})
}
