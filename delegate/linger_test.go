//go:build !race

package delegate_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/netio/sim"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/task"
)

// A rank that holds buffers while tasks wait sends fuller frames, and is faster if messages are costly.
func TestLinger(t *testing.T) {
	reads := func(linger time.Duration) (frames uint64, seconds float64) {
		world := sim.Config{Ranks: 16, Seed: 1, Network: sim.Machines["odin"]}
		seconds = simulate(t, world, pebble.Config{}, func(r *pebble.Rank) error {
			s := task.New(r, task.Linger(linger))
			link := links(r, s)
			defer func() { frames += r.Counters().FramesSent }()
			return s.Run(func() {
				for start := range uint64(128) {
					s.Go(func() {
						random := rand.New(rand.NewPCG(start, uint64(r.ID())))
						for range 20 {
							if at := random.Uint64N(words); link.Call(at) != next(at) {
								panic("another answer")
							}
						}
					})
				}
			})
		})
		return frames, seconds
	}
	none, atOnce := reads(0)
	some, soon := reads(4 * time.Microsecond)
	few, late := reads(26 * time.Microsecond)
	t.Logf("%d frames in %.1f ms at once, %d in %.1f after 4 µs, %d in %.1f after 26",
		none, 1e3*atOnce, some, 1e3*soon, few, 1e3*late)
	require.Less(t, 2*some, none)
	require.Less(t, 2*soon, atOnce)
	require.Less(t, few, some)
	require.Less(t, soon, late)
}
