package record

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/watch/state"
)

// The record has each event once, and once more with its end, however the ring turns: the twin is the list of all.
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
		for range random.IntN(3) { // events end in no order
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
	a := epochs{by: map[uint64]*Epoch{}}
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

// The events of a rank may be lost: its ring is overrun, or a line has no room. A job that has ended in order has ended
// its epochs all the same.
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
	require.Equal(t, "from 0.5 s, no end is known", reread(t, dir).Epochs[0].Says())
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
	require.Equal(t, "from 0.5 s to 1.5 s: 1 s", record.Epochs[0].Says())
}

func TestWords(t *testing.T) {
	for text, want := range map[string]string{
		"plain":            "plain",
		"a\x1b[31m\nb\x00": "a [31m b ",
		"\u202eabc\u2028":  " abc ",
		"\xff":             "\ufffd",
		"0123456789abcdef": "0123456…",
		`""""""""""`:       `"""…`,
		"öööööö":           "ööö…",
		"0123456789":       "0123456789",
	} {
		require.Equal(t, want, words(text, 10), "%q", text)
	}
	for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e300} {
		require.Zero(t, rounded(x))
	}
	require.Equal(t, 0.123457, rounded(0.1234567))
}
