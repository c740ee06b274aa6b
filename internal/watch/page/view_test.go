package page

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/watch/state"
)

func TestViewOfNothing(t *testing.T) {
	processes := []state.Process{{Last: 1}, {Process: 1, First: 1, Last: 2}}
	for _, j := range []*state.Job{{}, {Ranks: 3}, {Ranks: 2, Processes: processes}} {
		v := ViewOf(j)
		require.Equal(t, Runs, v.Grade)
		require.Len(t, v.Strips, j.Ranks)
		require.NotContains(t, string(encode(v)), "null", "the page asks for the length of every list")
	}
}

// TestViewOfDamage omits impossible ranks, peers and events; the rest of the page stays.
func TestViewOfDamage(t *testing.T) {
	v := ViewOf(&state.Job{Ranks: 2, Processes: []state.Process{{Ranks: []state.Rank{{Rank: -1}, {Rank: 7},
		{Rank: 0, For: 99, Links: []state.Link{{To: -1, Bytes: 1}, {To: 2, Bytes: 1}, {To: 1, Bytes: 5}}}}}}})
	require.Equal(t, []Cell{{From: 0, To: 1, Bytes: 5}}, v.Heat.Cells)
	require.Equal(t, 1, v.Strips[0].Told)
	require.Zero(t, v.Strips[1].Told)
}

func TestGrades(t *testing.T) {
	rank := func(d state.Doing) []state.Rank { return []state.Rank{{Doing: d}} }
	for want, j := range map[Grade]*state.Job{
		Runs:    {StillSeconds: 1, Processes: []state.Process{{Last: 1, Ranks: rank(state.Computing)}}},
		Waits:   {StillSeconds: 3, Processes: []state.Process{{Last: 1, Ranks: rank(state.Waiting)}}},
		Stalled: {StillSeconds: 10, Processes: []state.Process{{Last: 1, Ranks: rank(state.Waiting)}}},
		Silent:  {StillSeconds: 3, Processes: []state.Process{{Last: 1, SilentSeconds: 11}}},
		Stopped: {StillSeconds: 99, Processes: []state.Process{{Last: 1, Stopped: true, SilentSeconds: 90}}},
		Died:    {StillSeconds: 99, Processes: []state.Process{{Last: 1, Stopped: true}, {Last: 1, Ended: "killed"}}},
		Ended:   {Processes: []state.Process{{Last: 1, Ended: "exit status 0", SilentSeconds: 99, Ranks: rank(state.Ended)}}},
	} {
		require.Equal(t, want, gradeOf(j))
	}
}

func TestWorst(t *testing.T) {
	at := state.Call{Number: 3, Kind: "epoch", Name: "relax", Site: "a.go:1", Open: true}
	j := &state.Job{Ranks: 9, Processes: []state.Process{
		{Last: 8, Host: "h", Ranks: []state.Rank{
			{Rank: 0, For: -1, StillSeconds: 30, Doing: state.Waiting, Wait: "the end of the epoch", Call: at},
			{Rank: 1, For: 2, Doing: state.Waiting, Wait: "credit of rank 2"},
			{Rank: 2, For: -1, Doing: state.Handling, Target: "t", Call: at, Stack: []string{"f a.go:2"}},
			{Rank: 3, For: 3, Doing: state.Waiting}, // itself
			{Rank: 4, For: -1, StillSeconds: 40, Doing: state.Ended},
			{Rank: 5, For: -1, StillSeconds: 30.5, Doing: state.Tasking},
			{Rank: 6, For: -1, StillSeconds: 1},
			{Rank: 7, For: 2, Doing: state.Waiting},
		}},
		{Process: 1, First: 8, Last: 9, Ended: "signal: killed", Ranks: []state.Rank{
			{Rank: 8, For: -1, Doing: state.Computing},
		}},
	}}
	var told []string
	for _, w := range worst(j) {
		told = append(told, strings.TrimSpace(fmt.Sprintf("%d %s", w.Rank, w.Doing)))
	}
	require.Equal(t, []string{
		"8 its process has ended: signal: killed",
		`2 runs the handler of "t", in epoch "relax" (a.go:1)`,
		`0 waits for the end of epoch "relax" (a.go:1)`,
		"5 runs a task",
	}, told)
	require.Equal(t, 2, worst(j)[1].Waiters)
	require.Equal(t, []string{"f a.go:2"}, worst(j)[1].Stack)
}

// TestRangesOfRanks requires that sums over ranges of ranks equal those of the ranks, for any partition.
func TestRangesOfRanks(t *testing.T) {
	for _, ranks := range []int{1, 64, 65, 127, 128, 129, 1000, 4096} {
		j := newMadeUp(ranks, "running").Job()
		v := ViewOf(j)
		require.LessOrEqual(t, len(v.Strips), rowsMost)
		require.LessOrEqual(t, v.Heat.Side, rowsMost)
		require.LessOrEqual(t, len(v.Processes), rowsMost)
		next, told, handled, bytes := 0, 0, uint64(0), int64(0)
		for _, s := range v.Strips {
			require.Equal(t, next, s.First)
			next, told, handled = s.Last, told+s.Told, handled+s.Handled
		}
		require.Equal(t, ranks, next)
		require.Equal(t, ranks, told)
		require.Equal(t, v.Now.Handled, handled)
		links(j, func(l *state.Held) { bytes += l.Bytes })
		for _, c := range v.Heat.Cells {
			bytes -= c.Bytes
		}
		require.Zero(t, bytes)
	}
}

func TestRowsOfManyProcesses(t *testing.T) {
	j := spread(130, 1)
	j.Processes[5].Ended = "exit status 3"
	all := rows(j)
	require.Len(t, all, 44)
	require.Equal(t, "process 5 has ended: exit status 3", all[1].State)
	require.True(t, all[1].Bad)
	require.Equal(t, [2]int{3, 6}, all[1].Ranks)
	require.Equal(t, "runs", all[0].State)
	require.Equal(t, int64(3<<40), all[0].Bound)
}

func TestTextIsClipped(t *testing.T) {
	require.Equal(t, "ä", clip("ä"))
	require.Equal(t, strings.Repeat("ä", textMost), clip(strings.Repeat("ä", textMost)))
	require.Equal(t, strings.Repeat("ä", textMost)+"…", clip(strings.Repeat("ä", textMost+1)))
}

func TestStatusIsThatOfTheFirstRankThatSaysAnything(t *testing.T) {
	j := newMadeUp(4, "running").Job()
	require.Equal(t, 0, statusOf(j).Rank)
	j.Processes[0].Ranks[0].Status, j.Processes[2].Ranks[0].Status = "", "two"
	require.Equal(t, Status{Rank: 2, Text: "two"}, statusOf(j))
}

func TestJobIsNotChanged(t *testing.T) {
	j := newMadeUp(100, "stalled").Job()
	before := encode(j)
	ViewOf(j)
	metrics(j)
	require.Equal(t, before, encode(j))
	var back state.Job
	require.NoError(t, json.Unmarshal(before, &back))
	require.Len(t, back.Processes, len(j.Processes))
}

func TestHistory(t *testing.T) {
	var h history
	require.NotNil(t, h.all())
	begun := time.Unix(100, 0)
	for n := range pointsMost + 10 {
		h.add(Point{At: begun.Add(time.Duration(n) * time.Second), Handled: uint64(n)})
		h.add(Point{At: begun.Add(time.Duration(n) * time.Second), Handled: 1 << 60}) // the same moment again
	}
	all := h.all()
	require.Len(t, all, pointsMost)
	require.EqualValues(t, 10, all[0].Handled)
	require.EqualValues(t, pointsMost+9, all[pointsMost-1].Handled)
}

func TestReportAsText(t *testing.T) {
	m := newMadeUp(4, "died")
	var want bytes.Buffer
	require.NoError(t, m.Report().Write(&want))
	require.NotEmpty(t, want.String())
	require.Equal(t, want.String(), string(text(m.Report())))
}

// BenchmarkView measures the cost per second of a job of 4,096 ranks with a viewer.
func BenchmarkView(b *testing.B) {
	j := newMadeUp(4096, "running").Job()
	for b.Loop() {
		encode(ViewOf(j))
	}
}

func BenchmarkMetrics(b *testing.B) {
	j := newMadeUp(4096, "running").Job()
	for b.Loop() {
		metrics(j)
	}
}

func BenchmarkJob(b *testing.B) {
	j := newMadeUp(4096, "running").Job()
	for b.Loop() {
		encode(j)
	}
}
