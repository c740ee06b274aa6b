package pending

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	_ "github.com/activepebbles/pebbles/internal/seeds" // fixes the draws of rapid
)

// A fence is passed by the last operation that started before it, and waits for no other.
func TestFencesCountWhatCameBefore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var f Fences[int]
		var open []uint64
		waiting := map[int][]uint64{} // operations of each fence
		for step := range rapid.IntRange(1, 60).Draw(t, "steps") {
			switch rapid.IntRange(0, 2).Draw(t, "what") {
			case 0:
				open = append(open, f.Start())
			case 1:
				require.Equal(t, len(open) > 0, f.Wait(step))
				if len(open) > 0 {
					waiting[step] = append([]uint64{}, open...)
				}
			default:
				if len(open) == 0 {
					continue
				}
				i := rapid.IntRange(0, len(open)-1).Draw(t, "which")
				number := open[i]
				open = append(open[:i], open[i+1:]...)
				passed := map[int]bool{}
				f.End(number, func(fence int) { passed[fence] = true })
				for fence, all := range waiting {
					left := all[:0]
					for _, n := range all {
						if n != number {
							left = append(left, n)
						}
					}
					waiting[fence] = left
					require.Equal(t, len(left) == 0, passed[fence])
					if len(left) == 0 {
						delete(waiting, fence)
					}
				}
			}
			require.Equal(t, len(open)+len(waiting), f.Open())
		}
	})
}
