package fit

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/machine"
	"github.com/activepebbles/pebbles/model"
	"github.com/activepebbles/pebbles/pebble"
)

// The parts of an application's time add up to the whole, for any general costs.
func TestShare(t *testing.T) {
	n := pebble.Counters{PebblesSent: 1000, PebblesHandled: 800, Forwarded: 500}
	for _, general := range []model.Pebble{{}, {Send: 2e-9, Forward: 1e-9}, {Send: 1}, {Send: 2e-9, Forward: 1}} {
		a := share([]float64{5e-6, 4e-6, 9e-6}, n, general)
		forward := min(5e-6-a.Send*1000, 500*general.Forward)
		require.InDelta(t, 5e-6, a.Send*1000+a.Handle*800+forward, 1e-15)
		require.LessOrEqual(t, a.Send, max(general.Send, 5e-9))
		require.InDelta(t, 0.2, a.Spread, 1e-9)
	}
}

// An application runs on two ranks the required number of times, and the costs of frames are subtracted.
func TestApplication(t *testing.T) {
	runs := 0
	run := func(r *pebble.Rank) (Run, error) {
		if r.ID() == 0 {
			runs++
		}
		require.Equal(t, machine.ApplicationRanks, r.Size())
		return Run{Seconds: 7e-3, Counters: pebble.Counters{PebblesSent: 1000, PebblesHandled: 1000, FramesSent: 100}},
			nil
	}
	p := model.Parameters{Process: model.Link{Overhead: 10e-6}, Frame: 20e-6}
	a, err := Application(t.Context(), pebble.Config{}, p, 3, run)
	require.NoError(t, err)
	require.Equal(t, 4, runs)
	require.InDelta(t, 3e-6, a.Send+a.Handle, 1e-15)

	why := errors.New("broken")
	_, err = Application(t.Context(), pebble.Config{}, p, 1, func(*pebble.Rank) (Run, error) { return Run{}, why })
	require.ErrorIs(t, err, why)
	_, err = Application(t.Context(), pebble.Config{}, p, 1,
		func(*pebble.Rank) (Run, error) { return Run{Seconds: 1}, nil })
	require.ErrorContains(t, err, "give it more to do")
}

func TestSwitches(t *testing.T) {
	require.Positive(t, Switch(1))
}
