package container

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Frequent keys are found among many others, however long that goes on, with about as many as they are, though they
// come in a rhythm. Keys are the sketch's own.
func TestSketchFindsFrequentKeys(t *testing.T) {
	for _, n := range []uint64{20_000, 3_000_000} {
		owned := 0
		s := newSketch(func(k uint64) uint64 {
			owned++
			return k
		})
		var ks []uint64
		for i := range n {
			k := 100 + i
			if i%8 == 0 { // as often as the least step
				k = i / 8 % 4 // 4 keys, each one in 32
			}
			if ks = append(ks, k); len(ks) == 1+int(i%97) || i == n-1 {
				note(&s, ks)
				ks = ks[:0]
			}
		}
		require.LessOrEqual(t, len(s.counts), sketchKeys)
		require.NotZero(t, owned)
		for k := range uint64(4) {
			require.Contains(t, s.counts, k)
			require.InEpsilon(t, float64(n)/32, float64(*s.counts[k])*float64(s.step), 0.5)
		}
		for k, count := range s.counts {
			if k >= 100 {
				require.Less(t, *count, *s.counts[0])
			}
		}
	}
}
