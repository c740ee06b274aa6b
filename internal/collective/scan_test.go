package collective_test

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/collective"
)

// Concatenation shows the order of merges. A rank sends to all ranks that differ in one of the low bits that number the
// ranks of its slab, and to the one with the next bit.
func TestScan(t *testing.T) {
	each(t, func(t *testing.T, rng *rand.Rand, ranks, log int) {
		got := playAll(t, rng, ranks, func(m *collective.Machine, rank int) {
			m.StartFold(collective.Scan(rank, ranks), 9, []byte{byte(rank)}, func(own, from []byte) []byte {
				return slices.Concat(from, own)
			})
		})
		below := []byte{}
		for rank := range ranks {
			require.Equal(t, below, append([]byte{}, got.values[rank]...))
			below = append(below, byte(rank))
			slab := bits.Len(uint(rank^ranks)) - 1
			sent := slab
			if rank+1<<slab < ranks {
				sent++
			}
			require.Equal(t, sent, got.sent[rank])
			require.LessOrEqual(t, got.sent[rank], log)
		}
		require.Equal(t, log, got.rounds)
	})
}

// Empty values are values.
func TestScanOfNothing(t *testing.T) {
	each(t, func(t *testing.T, rng *rand.Rand, ranks, _ int) {
		merges := make([]int, ranks)
		playAll(t, rng, ranks, func(m *collective.Machine, rank int) {
			m.StartFold(collective.Scan(rank, ranks), 9, nil, func(own, _ []byte) []byte {
				merges[rank]++
				return own
			})
		})
		for rank := range ranks {
			slab := bits.Len(uint(rank^ranks)) - 1
			require.Equal(t, slab+bits.OnesCount(uint(rank>>slab))+max(0, bits.OnesCount(uint(rank))-1), merges[rank])
		}
	})
}

func TestAllGatherOfRecords(t *testing.T) {
	each(t, func(t *testing.T, rng *rand.Rand, ranks, _ int) {
		values := make([][]byte, ranks)
		for r := range values {
			values[r] = make([]byte, rng.IntN(3)*rng.IntN(40))
			for i := range values[r] {
				values[r][i] = byte(rng.Uint32())
			}
		}
		got := play(t, rng, ranks, func(r int) []collective.Step { return collective.AllGather(r, ranks) },
			func(r int) []byte { return collective.AppendRecord(nil, values[r]) }, nil)
		exchange(t, got)
		for r := range ranks {
			all := make([][]byte, ranks)
			for from, value := range collective.Records(got.values[r], ranks) {
				require.Nil(t, all[from])
				all[from] = value
			}
			require.Equal(t, values, all)
		}
	})
}
