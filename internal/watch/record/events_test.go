package record

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/watch/state"
)

// TestEventsOnce requires each event once, and once more with its end. The twin is the list of all events.
func TestEventsOnce(t *testing.T) {
	random := newRandom(t)
	var ring, all, got []state.Event
	var seen eventsSeen
	overruns := 0
	for range 500 {
		for range random.IntN(40) {
			all = append(all, state.Event{At: float64(len(all)), Kind: "wait", Number: uint64(len(all))})
			ring = append(ring, all[len(all)-1])
		}
		for range random.IntN(3) { // events end in any order
			if n := len(ring); n > 0 {
				i := n - 1 - random.IntN(min(n, 8))
				ring[i].End = ring[i].At + 1
				all[int(ring[i].At)] = ring[i]
			}
		}
		ring = ring[max(0, len(ring)-ringFull):]
		fresh, overrun := seen.news(ring)
		got = append(got, fresh...)
		if overrun {
			overruns++
		}
	}
	require.Zero(t, overruns)
	merged, times := map[uint64]state.Event{}, map[uint64]int{}
	for _, e := range got {
		merged[e.Number] = e
		times[e.Number]++
	}
	require.Len(t, merged, len(all))
	for _, e := range all {
		require.LessOrEqual(t, times[e.Number], 2)
		require.Equal(t, e, merged[e.Number])
	}
}

func TestOverrun(t *testing.T) {
	ring := func(from int) (all []state.Event) {
		for i := range ringFull {
			all = append(all, state.Event{At: float64(from + i), End: float64(from + i), Kind: "wait"})
		}
		return all
	}
	var seen eventsSeen
	fresh, overrun := seen.news(ring(0))
	require.Len(t, fresh, ringFull)
	require.False(t, overrun, "nothing was before")
	fresh, overrun = seen.news(ring(ringFull - 1))
	require.Len(t, fresh, ringFull-1)
	require.False(t, overrun)
	fresh, overrun = seen.news(ring(10_000))
	require.Len(t, fresh, ringFull)
	require.True(t, overrun)
	fresh, overrun = seen.news(nil)
	require.Empty(t, fresh)
	require.False(t, overrun)
}

func TestEpochsAreBounded(t *testing.T) {
	a := epochs{by: map[epochKey]*Epoch{}}
	const n = 20_000
	for range 2 { // two ranks, one after the other
		for e := range uint64(n) {
			a.note(state.Event{Kind: "epoch", Number: e + 1, At: float64(e), End: float64(e + 1)})
		}
	}
	ranks := make([]*Rank, 2)
	for i := range ranks {
		ranks[i] = &Rank{}
		ranks[i].Call = state.Call{Number: n}
	}
	all := a.list(ranks)
	require.Less(t, len(all), 2*(epochsFirst+epochsLast)+1)
	require.Equal(t, Epoch{Number: 1, Begin: 0, End: 1, Began: 2, Ended: 2}, all[0])
	require.Equal(t, Epoch{Number: n, Begin: n - 1, End: n, Began: 2, Ended: 2}, all[len(all)-1])
	require.Equal(t, uint64(epochsFirst), all[epochsFirst-1].Number)
}

// Epochs of teams are numbered by themselves, and listed as they began.
func TestEpochsOfTeams(t *testing.T) {
	a := epochs{by: map[epochKey]*Epoch{}}
	for _, team := range []string{"left", "", "right"} {
		a.note(state.Event{Kind: "epoch", Number: 1, At: float64(len(team)), End: 9, Team: team})
	}
	ranks := make([]*Rank, 3)
	for i, call := range []state.Call{{Number: 1, Open: true, Team: "left"}, {Number: 4, Team: "right"}, {Number: 1}} {
		ranks[i] = &Rank{}
		ranks[i].Call = call
	}
	all := a.list(ranks)
	require.Equal(t, []Epoch{
		{Number: 1, End: 9, Began: 1, Ended: 1},
		{Number: 1, Team: "left", Begin: 4, End: 9, Began: 1},
		{Number: 1, Team: "right", Begin: 5, End: 9, Began: 1, Ended: 1},
	}, all)
	require.Equal(t, `epoch 1 of team "left": from 4s to 9s, and 1 of 1 ranks are not known to have ended it`,
		all[1].String())
	require.Len(t, groups(ranks), 3)
}

// TestLostEndsOfEpochs loses events of a rank: its ring is overrun, or a line has no room. A job that has ended in
// order has nevertheless ended its epochs.
func TestLostEndsOfEpochs(t *testing.T) {
	dir := t.TempDir()
	job := jobOf("j1", 1, 2)
	p := &job.Processes[0]
	w := create(t, dir, job, 0, 0)
	for i := range p.Ranks {
		p.Ranks[i].Call = state.Call{Number: 1, Kind: "epoch", Name: "level", Open: true}
		p.Ranks[i].Events = []state.Event{{At: 0.5, Kind: "epoch", Name: "level", Number: 1}}
	}
	second(t, w, 1, p)
	require.Equal(t, `epoch 1 "level": from 500ms, its end is unknown`, reread(t, dir).Epochs[0].String())
	for i := range p.Ranks {
		p.Ranks[i].Call.Open = false
	}
	p.Ranks[0].Events[0].End = 1.5
	for e := range ringFull {
		p.Ranks[1].Events = append(p.Ranks[1].Events, state.Event{At: 1 + float64(e)/1000, End: 2, Kind: "wait"})
	}
	p.Ranks[1].Events = p.Ranks[1].Events[1:]
	second(t, w, 2, p)
	require.NoError(t, w.Close(after(3), ""))
	record := reread(t, dir)
	require.Equal(t, InOrder, record.Ending.Kind)
	require.Equal(t, `epoch 1 "level": from 500ms to 1.5s: 1s`, record.Epochs[0].String())
}

// TestChosenEvents requires that a line has the latest of many new events, and waits only if others leave room.
func TestChosenEvents(t *testing.T) {
	var all []state.Event
	for i := range 100 {
		kind := "wait"
		if i%10 == 0 {
			kind = "epoch"
		}
		all = append(all, state.Event{Kind: kind, Number: uint64(i)})
	}
	chosen, epochs := choose(all), 0
	require.Len(t, chosen, eventsMost)
	for i, e := range chosen {
		require.True(t, i == 0 || chosen[i-1].Number < e.Number)
		if e.Kind == "epoch" {
			epochs++
		}
	}
	require.Equal(t, 10, epochs)
	require.Equal(t, uint64(99), chosen[eventsMost-1].Number)
	require.Len(t, choose(all[:5]), 5)
}
