package collective_test

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/collective"
)

// Concatenation shows the order in which values are merged.
func TestScan(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for ranks := 1; ranks <= most; ranks++ {
		p := newPost(ranks)
		machines := make([]collective.Machine, ranks)
		for rank := range machines {
			machines[rank].StartFold(collective.Scan(rank, ranks), 9, []byte{byte(rank)}, func(own, from []byte) []byte {
				return slices.Concat(from, own)
			})
		}
		left := rng.Perm(ranks)
		for round := 0; len(left) > 0; round++ {
			require.Less(t, round, 1000*ranks, "the scan hangs")
			i := rng.IntN(len(left))
			if machines[left[i]].Advance(end{p, left[i]}) {
				left = slices.Delete(left, i, i+1)
			}
		}
		log := bits.Len(uint(ranks - 1))
		var upTo []byte
		for rank := range machines {
			upTo = append(upTo, byte(rank))
			require.Equal(t, upTo, machines[rank].Value)
			require.Equal(t, bits.Len(uint(ranks-1-rank)), p.sent[rank])
			require.LessOrEqual(t, p.sent[rank], log)
		}
		require.Equal(t, log, slices.Max(p.clock))
	}
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
