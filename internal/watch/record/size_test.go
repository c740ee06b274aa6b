package record

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestBusyRanks requires that ranks with 256 events per second take 4 KiB per second. Events without room are counted.
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
		require.LessOrEqual(t, size, int64(4096+seconds*ranks*4<<10))
		require.Len(t, record.Ranks, ranks)
		for _, r := range record.Ranks {
			kept := 0
			for _, e := range r.Events {
				require.NotEmpty(t, e.Kind)
				kept++
			}
			require.NotZero(t, kept)
			require.GreaterOrEqual(t, int(r.Dropped), seconds*(ringFull-eventsMost))
			require.Equal(t, uint64(ringFull-1), r.Events[kept-1].Number, "the latest are kept")
		}
	}
}

// TestNumberThatJSONDoesNotHave records a NaN: the second is lost, and the record continues.
func TestNumberThatJSONDoesNotHave(t *testing.T) {
	o := newOne(t, 1, 0)
	o.p.Ranks[0].StillSeconds = math.NaN()
	require.ErrorContains(t, o.Second(after(1), o.p, 0, ""), "encode a line of the record")
	o.p.Ranks[0].StillSeconds = 0
	require.NoError(t, o.live(1, 1))
	require.Empty(t, o.read(2).Problems)
}

// TestBoundInTotal requires that a record at its limit has its start, its end, and correct counters.
func TestBoundInTotal(t *testing.T) {
	const bound, seconds = 256 << 10, 500
	o := newOne(t, 2, bound)
	for s := range seconds {
		require.NoError(t, o.live(s, 3))
		size, files := written(t, o.dir)
		require.LessOrEqual(t, size, int64(bound))
		require.LessOrEqual(t, files, 18)
	}
	require.NoError(t, o.Failed(after(seconds), "the end", 0))
	record := o.read(seconds)
	size, _ := written(t, o.dir)
	require.Greater(t, size, int64(bound/2))
	require.Len(t, record.Problems, 1)
	require.Regexp(t, "process 0: [0-9]+ files after its second [0-9]+ were removed", record.Problems[0])
	require.Equal(t, uint64(1), record.Epochs[0].Number)
	require.Equal(t, uint64(seconds), record.Epochs[len(record.Epochs)-1].Number)
	require.Contains(t, record.Ending.Cause, "failed: the end")
	for _, point := range record.Series {
		require.NotZero(t, point.Handled, "rates go across the gap")
	}
}

// TestSmallBound requires that a limit that is too small for the ranks is raised, and that other writers' files stay.
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

// TestManyRanks requires that a report of many ranks shows those at fault and a sample, in both forms.
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
	require.Contains(t, page.String(), "At the end rank 1091 ")
	require.Contains(t, strings.Join(record.Ending.Facts, "\n"), "rank 1091: in call 1, epoch")
}

// BenchmarkSecond measures the caller's cost of a second, for the busiest ranks.
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
