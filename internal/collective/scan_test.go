package collective_test

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/collective"
)

// Concatenation shows the order of merges.
func TestScan(t *testing.T) {
	each(t, func(t *testing.T, rng *rand.Rand, ranks, log int) {
		got := playAll(t, rng, ranks, func(m *collective.Machine, rank int) {
			m.StartFold(collective.Scan(rank, ranks), 9, []byte{byte(rank)}, func(own, from []byte) []byte {
				return slices.Concat(from, own)
			})
		})
		var upTo []byte
		for rank := range ranks {
			upTo = append(upTo, byte(rank))
			require.Equal(t, upTo, got.values[rank])
			require.Equal(t, bits.Len(uint(ranks-1-rank)), got.sent[rank])
			require.LessOrEqual(t, got.sent[rank], log)
		}
		require.Equal(t, log, got.rounds)
	})
}

func TestAllGatherV(t *testing.T) {
	each(t, func(t *testing.T, rng *rand.Rand, ranks, log int) {
		values := make([][]byte, ranks)
		total := 0
		for r := range values {
			values[r] = make([]byte, rng.IntN(3)*rng.IntN(40))
			for i := range values[r] {
				values[r][i] = byte(rng.Uint32())
			}
			total += len(collective.AppendRecord(nil, values[r]))
		}
		got := play(t, rng, ranks, func(r int) []collective.Step { return collective.AllGatherV(r, ranks) },
			func(r int) []byte { return collective.AppendRecord(nil, values[r]) }, nil)
		require.Equal(t, log, got.rounds)
		sent := 0
		for r := range ranks {
			require.Equal(t, log, got.sent[r])
			sent += got.bytes[r]
			n := 0
			for from, value := range collective.Records(got.values[r]) {
				require.Equal(t, n, from)
				require.Equal(t, values[from], value)
				n++
			}
			require.Equal(t, ranks, n)
		}
		require.Equal(t, (ranks-1)*total, sent, "each rank gets the values of the others once")
	})
}
