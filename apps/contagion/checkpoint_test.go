package contagion

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/internal/seeds"
	"github.com/activepebbles/pebbles/pebble"
)

// A simulation continues after any day, on other numbers of ranks, and gives the result of the twin.
func TestSimulationsGoOn(t *testing.T) {
	seed := seeds.Of(t) % (1 << 32)
	for _, loimos := range []bool{false, true} {
		c := little(t, seed)
		c.Loimos, c.Interventions, c.Meetings = loimos, interventions(t), true
		want := appstest.Must(Serial(c))
		for day := range c.Days {
			s := appstest.Mem(1 + (day+int(seed))%3)
			s.Checkpoints = pebble.Checkpoints{Folder: t.TempDir(), Every: time.Nanosecond}
			run := func(days int) (all []Result) {
				c := c
				c.Days = days
				return appstest.All(t, s, Run, c)
			}
			run(day + 1)
			s.Ranks = 1 + s.Ranks%3
			for _, got := range run(c.Days) {
				sameAs(t, want, got)
			}
			require.Equal(t, want.Infections, run(c.Days)[0].Infections, "of a simulation that was complete")
		}
	}
}

// An error names rules that differ from the checkpoint's.
func TestCheckpointOfOtherRules(t *testing.T) {
	c := little(t, 1)
	s := appstest.Mem(2)
	s.Checkpoints = pebble.Checkpoints{Folder: t.TempDir(), Limit: 1}
	run := func() error {
		return s.Run(t, func(r *pebble.Rank) error {
			_, err := Run(r, c)
			return err
		})
	}
	require.ErrorIs(t, run(), pebble.ErrPreempted)
	c.Loimos = true
	require.ErrorContains(t, run(), `the part "loimos" is the argument true, and in the checkpoint it is the argument false`)
}
