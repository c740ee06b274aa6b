//go:build !race

package pages_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/memory/pages"
)

// Nothing is allocated in steady state: spans, twins, diffs, locks and barriers use what there is. (The race detector's
// pools drop what they hold.)
func TestNothingIsAllocated(t *testing.T) {
	for _, c := range []pages.Config{{}, {Copies: true}, {Copies: true, Flat: true}} {
		require.NoError(t, job(2, c, func(s *pages.Space) error {
			v := pages.NewSlice[uint64](s, "words", distribution.Block(4096, 2))
			l := pages.NewLock(s, "lock", 0)
			me := uint64(s.Rank().ID())
			round := func() {
				w := v.Write(2048*me, 2048*me+1024)
				for i := range w {
					w[i]++
				}
				if err := s.Barrier(); err != nil {
					panic(err)
				}
				v.Read(2048*(1-me), 2048*(1-me)+1024)
				l.Lock()
				v.Write(0, 1)[0]++
				l.Unlock()
				if err := s.Barrier(); err != nil {
					panic(err)
				}
			}
			for range 20 {
				round()
			}
			const rounds = 100
			if n := testing.AllocsPerRun(rounds, round); n > 0 { // of both ranks, which take the same number of rounds
				t.Errorf("%+v: %v allocations a round", c, n)
			}
			return nil
		}))
	}
}
