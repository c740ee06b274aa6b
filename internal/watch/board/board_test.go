package board

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/watch/state"
)

// TestEvents requires that the last events are kept, oldest first, and that a kept call gets its end.
func TestEvents(t *testing.T) {
	var b Board
	require.Empty(t, b.Last(Events))
	for n := range 3 * Events {
		b.Looked(time.Duration(n+1) * time.Second)
		b.Call(Epoch, "relax")
		b.Looked(time.Duration(n+1)*time.Second + time.Millisecond)
		b.End()
	}
	all := b.Last(Events)
	require.GreaterOrEqual(t, len(all), Events-1)
	for i, e := range all {
		n := float64(3*Events - len(all) + i + 1)
		require.Equal(t, state.Event{At: n, End: n + 0.001, Kind: "epoch", Name: "relax", Site: e.Site, Number: uint64(n)}, e)
	}
	require.Len(t, b.Last(3), 3)
	var r state.Rank
	b.Read(&r)
	require.Equal(t, "relax", r.Call.Name)
	require.False(t, r.Call.Open)
	require.EqualValues(t, 3*Events, r.Call.Number)
}

// TestWaits requires that consecutive parks for one reason are one event, which ends with the wait.
func TestWaits(t *testing.T) {
	var b Board
	b.Call(Epoch, "")
	b.WaitsForLink(ForCredit, "visit", 3)
	for range 5 {
		b.Parks()
	}
	var r state.Rank
	b.Read(&r)
	require.Equal(t, "credit of a link", r.Wait)
	require.Equal(t, "visit", r.Target)
	require.Equal(t, 3, r.For)
	require.Equal(t, ForCredit, b.WaitsFor())
	b.Looked(time.Second)
	b.Waited()
	all := b.Last(Events)
	require.Len(t, all, 2)
	require.Equal(t, state.Event{End: 1, Kind: "wait", Name: "credit of a link", Number: 5}, all[1])
	require.Equal(t, Nothing, b.WaitsFor())
	b.Waits(ForEnd, "")
	b.Parks()
	require.Len(t, b.Last(Events), 3)
}

// TestMoved requires that counters, calls and statuses of the application count as progress, and waits do not.
func TestMoved(t *testing.T) {
	var b Board
	last := b.Moved()
	grows := func() {
		t.Helper()
		require.Greater(t, b.Moved(), last)
		last = b.Moved()
	}
	b.Call(Epoch, "")
	grows()
	b.Count(&state.Counters{}, state.Memory{}, 7)
	grows()
	b.SetStatus("level 7")
	grows()
	b.End()
	grows()
	b.Waits(ForEnd, "")
	b.Parks()
	b.Waited()
	require.Equal(t, last, b.Moved())
}

// TestAsk requires that details are published on request.
func TestAsk(t *testing.T) {
	var b Board
	require.False(t, b.Asked())
	b.Ask()
	require.True(t, b.Asked())
	b.Detail(&Details{Tasks: []state.Tasks{{Call: "Wait", Count: 2}}})
	require.False(t, b.Asked())
	var r state.Rank
	b.Read(&r)
	require.Equal(t, []state.Tasks{{Call: "Wait", Count: 2}}, r.Tasks)
}

// TestReadBeside requires that a concurrent reader sees written events, whole and in their order.
func TestReadBeside(t *testing.T) {
	var b Board
	done := make(chan struct{})
	var writer sync.WaitGroup
	writer.Go(func() {
		defer close(done)
		for n := range 200_000 {
			b.Looked(time.Duration(n+1) * time.Second)
			b.Call(Epoch, "")
			b.End()
		}
	})
	for running := true; running; {
		select {
		case <-done:
			running = false
		default:
		}
		var before uint64
		for _, e := range b.Last(Events) {
			require.Greater(t, e.Number, before)
			before = e.Number
		}
		var r state.Rank
		b.Read(&r)
	}
	writer.Wait()
}

func site() string {
	var b Board
	b.Call(Epoch, "")
	return b.Last(1)[0].Site
}

// TestSite requires that the site of a call is the place where the program calls the runtime. Here everything belongs
// to the runtime, except the test's runner.
func TestSite(t *testing.T) {
	require.True(t, Ours("github.com/activepebbles/pebbles/pebble.(*Rank).Epoch"))
	require.True(t, Ours("github.com/activepebbles/pebbles/memory/pages.New"))
	require.False(t, Ours("github.com/activepebbles/pebbles/apps/bfs.(*search).level"))
	require.False(t, Ours("github.com/activepebbles/pebbles/pebble_test.TestX"))
	require.False(t, Ours("main.main"))
	require.Equal(t, site(), site(), "one call has one site")
}

// TestAllocations requires that publishing allocates nothing.
func TestAllocations(t *testing.T) {
	var b Board
	b.Call(Epoch, "relax")
	require.Zero(t, testing.AllocsPerRun(1000, func() {
		b.Call(Epoch, "relax")
		b.Waits(ForEnd, "Wait")
		b.Parks()
		b.Waited()
		b.Count(&state.Counters{}, state.Memory{}, 1)
		b.End()
	}))
}

func BenchmarkCall(b *testing.B) {
	var board Board
	for b.Loop() {
		board.Call(Epoch, "relax")
		board.End()
	}
}

// TestInterned requires that a table gives each value one number, on any goroutine, until it is full.
func TestInterned(t *testing.T) {
	table := interned[string]{most: 3}
	require.Zero(t, table.number(""))
	var asking sync.WaitGroup
	for range 8 {
		asking.Go(func() {
			for _, name := range []string{"a", "b", "c", "a", "b"} {
				require.Equal(t, name, table.of(table.number(name)))
			}
		})
	}
	asking.Wait()
	require.Zero(t, table.number("d"), "it is full")
	require.Empty(t, table.of(0))
	require.Empty(t, table.of(4))
}
