package record

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/watch/state"
)

// Busy ranks, with 256 events a second, take 1 KiB a second, and what had no room is counted.
func TestBusyRanks(t *testing.T) {
	const seconds = 5
	for _, ranks := range []int{1, 8, 200} {
		o := newOne(t, ranks, 0)
		for s := range seconds {
			require.NoError(t, o.live(s, ringFull))
		}
		record := o.read(seconds)
		require.Empty(t, record.Problems)
		size, _ := written(t, o.dir)
		require.LessOrEqual(t, size, int64(4096+seconds*ranks*rankMax))
		require.Len(t, record.Ranks, ranks)
		for _, r := range record.Ranks {
			kept := 0
			for _, e := range r.Events {
				require.NotEmpty(t, e.Kind)
				kept++
			}
			require.NotZero(t, kept)
			require.GreaterOrEqual(t, int(r.Dropped)+kept, seconds*ringFull)
			require.Equal(t, uint64(ringFull-1), r.Events[kept-1].Number, "the latest are kept")
		}
	}
}

// Whatever a rank says of itself, its line is bounded, and can be read.
func TestHostileRank(t *testing.T) {
	long := strings.Repeat("\x00\"\\<é\u2028", 10_000)
	r := state.Rank{
		Doing: state.Doing(long), Target: long, Wait: long, For: 1 << 30, Status: long, StillSeconds: math.NaN(),
		Call:    state.Call{Number: math.MaxUint64, Kind: long, Name: long, Site: long},
		Seconds: state.Seconds{Idle: math.Inf(1), Compute: -1e308},
		Memory:  state.Memory{Held: math.MinInt64, Peak: math.MaxInt64},
	}
	for range 1000 {
		r.Links = append(r.Links, state.Link{Target: long, AgeSeconds: math.NaN()})
		r.Stack = append(r.Stack, long)
		r.Events = append(r.Events, state.Event{Kind: long, Name: long, Site: long, At: math.Inf(-1), Number: math.MaxUint64})
	}
	counters := valuesOf(r.Counters)
	for i := range counters {
		counters[i] = math.MinInt64
	}
	r.Counters = structure[state.Counters](counters)
	line := new(seen).news(&r, math.MaxUint64, true, rankMax)
	require.Less(t, len(line), 2*rankMax)
	got, bad := lines(t, line)
	require.Len(t, got, 1)
	require.Empty(t, bad)
	job := jobOf(long, 1, 1)
	for i := range 10_000 {
		job.Settings[long[:i]] = long
	}
	require.Less(t, len(appendLine(nil, jobKind, headOf(job, 0))), 16<<10)
}

// A record that has reached its bound has its start and its end, and counters that are right.
func TestBoundInTotal(t *testing.T) {
	const bound, seconds = 256 << 10, 500
	o := newOne(t, 2, bound)
	for s := range seconds {
		require.NoError(t, o.live(s, 3))
		size, files := written(t, o.dir)
		require.LessOrEqual(t, size, int64(bound))
		require.LessOrEqual(t, files, 17)
	}
	require.NoError(t, o.Failed(after(seconds), "the end", 0))
	record := o.read(seconds)
	size, _ := written(t, o.dir)
	require.Greater(t, size, int64(bound/2))
	require.Len(t, record.Problems, 1)
	require.Regexp(t, "process 0: [0-9]+ files with the seconds after its second [0-9]+ are gone", record.Problems[0])
	require.Equal(t, uint64(1), record.Epochs[0].Number)
	require.Equal(t, uint64(seconds), record.Epochs[len(record.Epochs)-1].Number)
	require.Contains(t, record.Ending.Cause, "failed: the end")
	for _, point := range record.Series {
		require.NotZero(t, point.Handled, "rates go across the gap")
	}
}

// A bound that is too small for the ranks is raised, and the files of another are left alone.
func TestSmallBound(t *testing.T) {
	const ranks, seconds = 16, 40
	o := newOne(t, ranks, 1)
	other := filepath.Join(o.dir, segmentName("j1", 0, 2))
	require.NoError(t, os.WriteFile(other, nil, 0o600))
	told := 0
	for s := range seconds {
		if o.live(s, ringFull) != nil {
			told++
		}
		size, _ := written(t, o.dir)
		require.LessOrEqual(t, size, int64(ranks*bytesLeast))
	}
	o.read(seconds)
	require.Equal(t, 1, told)
	text, err := os.ReadFile(other)
	require.NoError(t, err)
	require.Empty(t, text)
}

// A report of many ranks shows those at fault and a sample, in both forms.
func TestManyRanks(t *testing.T) {
	dir := t.TempDir()
	job := jobOf("j1", 24, 64)
	random := newRandom(t)
	for i := range job.Processes {
		p := &job.Processes[i]
		w := create(t, dir, job, i, 0)
		step(random, p, 1, ringFull)
		if i == 17 {
			p.Ranks[3].Call.Number = 1
		}
		second(t, w, 1, p)
		w.Close(after(2), map[bool]string{true: "out of memory"}[i == 17])
	}
	record := read(t, dir)
	require.Len(t, record.Ranks, 24*64)
	require.Equal(t, 17, record.Ending.Process)
	var page bytes.Buffer
	require.NoError(t, record.HTML(&page))
	require.Less(t, page.Len(), 200<<10)
	require.Contains(t, page.String(), "Rank 1091 of process 17")
	require.Contains(t, strings.Join(record.Ending.Facts, "\n"), "rank 1091: in call 1, epoch")
}

// BenchmarkSecond is what a second costs its caller, by ranks that are as busy as they can be.
func BenchmarkSecond(b *testing.B) {
	o := newOne(b, 64, 0)
	for s := range b.N {
		b.StopTimer()
		step(o.random, o.p, s, ringFull)
		settle(b, o.Writer)
		b.StartTimer()
		require.NoError(b, o.Second(after(float64(s)), o.p, 0, "it moves"))
	}
	b.StopTimer()
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*64), "µs/rank")
	require.NoError(b, o.Close(after(0), ""))
}
