package termination_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/termination"
)

// The ledger agrees with a list of all calls.
func TestLedgerIsAList(t *testing.T) {
	type entry struct {
		from  int
		phase uint32
	}
	rng := rand.New(rand.NewPCG(4, 4))
	l := termination.NewLedger()
	for range 200 {
		l.Clear()
		var processed []entry
		created, phases := map[int]uint64{}, map[int]uint32{}
		for range rng.IntN(60) {
			rank := rng.IntN(5)
			switch rng.IntN(4) {
			case 0:
				require.Equal(t, phases[rank], l.Create(rank))
				created[rank]++
			case 1:
				require.Equal(t, created[rank], l.Close(rank))
				phases[rank]++
			default:
				e := entry{rank, uint32(rng.IntN(6))}
				l.Process(e.from, e.phase)
				processed = append(processed, e)
			}
			phase, one, all := uint32(rng.IntN(7)), uint64(0), uint64(0)
			for _, e := range processed {
				if e.phase <= phase {
					all++
					if e.from == rank {
						one++
					}
				}
			}
			require.Equal(t, one, l.Processed(rank, phase))
			require.Equal(t, all, l.ProcessedAll(phase))
			require.Equal(t, created[rank], l.Created(rank))
		}
	}
}
