//go:build !race

package pages_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/memory/pages"
)

// Steady state allocates nothing: spans, twins, diffs, locks and barriers reuse memory. (The race detector's pools drop
// their contents.)
func TestNothingIsAllocated(t *testing.T) {
	for _, c := range []pages.Config{{}, {Copies: true}, {Copies: true, Flat: true}} {
		require.NoError(t, job(2, c, func(r rank) {
			v, l, me := r.words(4096), pages.NewLock(r.s, "lock", 0), uint64(r.ID())
			round := func() {
				w := v.Write(2048*me, 2048*me+1024)
				for i := range w {
					w[i]++
				}
				r.meet()
				v.Read(2048*(1-me), 2048*(1-me)+1024)
				l.Lock()
				v.Write(0, 1)[0]++
				l.Unlock()
				r.meet()
			}
			for range 20 {
				round()
			}
			// of both ranks, which take the same number of rounds
			r.Zero(testing.AllocsPerRun(100, round), "%+v: allocations a round", c)
		}))
	}
}
