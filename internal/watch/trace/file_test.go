package trace

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestTracksAndWords(t *testing.T) {
	f := create(t, configOf(3, 5, 4))
	require.Equal(t, "trace-3.pftrace", filepath.Base(f.path))
	f.Rank(13).Slice(Epoch, 7, time.Millisecond, 3*time.Millisecond, 1, 5)
	f.Rank(13).Slice(Handler, 8, time.Millisecond, 2*time.Millisecond, 100, 2)
	f.Rank(13).Instant(Flush, 9, 2*time.Millisecond, 4096, 1)
	f.Counter(13, "pebbles/s", time.Second, 1e6)
	f.Counter(13, "bytes held", time.Second, 0.5)
	f.Counter(13, "pebbles/s", 2*time.Second, 2e6)
	require.NoError(t, f.Drain())
	f.Rank(12).Slice(Kind(200), 7, 0, 0, 1, None)
	p := finished(t, f)
	require.Equal(t, []uint64{zero}, p.zeros)
	require.Equal(t, map[string][]float64{"rank 13 pebbles/s": {1e6, 2e6}, "rank 13 bytes held": {0.5}}, p.counters)
	require.Equal(t, map[string]uint64{
		"version": 1, "process": 3, "processes": 5, "first rank": 12, "last rank": 15, "pid": 4003, "started": zero,
	}, p.said[0].numbers)
	require.Equal(t, map[string]string{"program": "bfs", "job": "j1", "host": "host3"}, p.texted[0])
	pebbles := map[string]uint64{"pebbles": 100, "from": 2}
	require.Equal(t, []shown{
		{"rank 13", "", "epoch", "name 7", zero + 1e6, zero + 3e6, map[string]uint64{"call": 1, "pebbles": 5}, false},
		{"rank 13", "handlers", "handler", "name 8", zero + 1e6, zero + 2e6, pebbles, false},
		{"rank 13", "flushes", "flush", "name 9", zero + 2e6, zero + 2e6, map[string]uint64{"bytes": 4096, "to": 1}, true},
		{"rank 12", "other", "other", "name 7", zero, zero, map[string]uint64{"value": 1}, false},
	}, p.events)

	processes, threads := 0, map[int64]bool{}
	for _, track := range p.tracks {
		d := track.description
		switch {
		case d.has("process"):
			processes++
			require.Equal(t, "process 3 on host3", d.part("process").text("process_name"))
			require.Equal(t, int64(4), d.part("process").int("pid"))
		case d.has("thread"):
			require.Equal(t, int64(4), d.part("thread").int("pid"))
			require.Equal(t, "ChildTracksOrdering_EXPLICIT", d.enum("child_ordering"))
			threads[d.part("thread").int("tid")] = true
		default:
			require.Positive(t, d.int("sibling_order_rank"))
		}
	}
	require.Equal(t, 1, processes)
	require.Equal(t, map[int64]bool{5 + 1 + 12: true, 5 + 1 + 13: true}, threads)
}

func TestPath(t *testing.T) {
	require.Equal(t, "a/trace.pftrace", Path("a/trace.pftrace", 0, 1))
	require.Equal(t, "a.b/trace-12.pftrace", Path("a.b/trace.pftrace", 12, 13))
	require.Equal(t, "a.b/trace-0", Path("a.b/trace", 0, 2))
}

// TestNames uses names that are missing, empty, long or invalid UTF-8.
func TestNames(t *testing.T) {
	c := configOf(0, 1, 1)
	c.Host, c.Program = strings.Repeat("host\xff", 1000), "\x00\xc3"
	texts := []string{"", strings.Repeat("é", 500), "a\xffb", "plain", ""}
	c.Names = func(n uint32) string { return texts[n] }
	f := create(t, c)
	for i := range texts {
		f.Rank(0).Slice(Wait, Name(i), 0, 0, 1, 2)
		f.Rank(0).Slice(Lock, Name(i), 0, 0, 1, 2)
	}
	var names []string
	for _, e := range finished(t, f).events {
		names = append(names, e.name)
	}
	long := strings.Repeat("é", textMost/2)
	require.Equal(t, []string{"wait", "lock", long, long, "ab", "ab", "plain", "plain", "wait", "lock"}, names)

	c.Names = nil
	f = create(t, c)
	f.Rank(0).Instant(Other, 77, 5, None, None)
	require.Equal(t, "other", finished(t, f).events[0].name)
}

func TestExtremeTimes(t *testing.T) {
	f := create(t, configOf(0, 1, 1))
	f.Rank(0).Slice(Wait, 1, math.MinInt64, math.MaxInt64, 1, 2)
	f.Rank(0).Slice(Task, 1, math.MaxInt64, math.MinInt64, 1, 2)
	f.Counter(0, "x", math.MaxInt64, 1)
	f.Counter(0, "x", math.MinInt64, 2)
	f.Counter(0, "x", 0, math.NaN())
	f.Counter(0, "x", 0, math.Inf(1))
	p := finished(t, f)
	require.Equal(t, uint64(0), p.events[0].begin)
	require.Equal(t, uint64(math.MaxInt64), p.events[0].end)
	require.Equal(t, uint64(math.MaxInt64), p.events[1].begin)
	require.Equal(t, map[string][]float64{"rank 0 x": {1, 2}}, p.counters)

	c := configOf(0, 1, 1)
	c.Started = time.Time{} // unknown
	f = create(t, c)
	f.Rank(0).Slice(Wait, 1, -5, 7, 1, 2)
	p = finished(t, f)
	require.Equal(t, [2]uint64{0, 7}, [2]uint64{p.events[0].begin, p.events[0].end})
}

func TestManyCounters(t *testing.T) {
	f := create(t, configOf(0, 1, 1))
	for i := range countersMost + 50 {
		f.Counter(0, fmt.Sprint("counter ", i), 1, float64(i))
		f.Counter(0, "counter 0", 1, 0)
	}
	require.Len(t, finished(t, f).counters, countersMost)
	f.Counter(0, "counter 0", 2, 0) // too late
}

func TestCreateRefuses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace")
	for _, c := range []Config{
		{First: -1}, {First: 2, Last: 1}, {Process: -1}, {Process: 1}, {Process: 4, Processes: 4},
	} {
		_, err := Create(path, c)
		require.ErrorContains(t, err, "there is no such process")
	}
	_, err := Create(filepath.Join(path, "not", "there"), Config{})
	require.ErrorIs(t, err, os.ErrNotExist)
	require.NoFileExists(t, path)
}

func TestAfterClose(t *testing.T) {
	f := create(t, configOf(0, 1, 1))
	require.NoError(t, f.Close())
	before := read(t, f.path)
	for range 2 * ringSize {
		f.Rank(0).Slice(Wait, 1, 1, 2, 3, 4)
	}
	f.Counter(0, "x", 1, 1)
	require.ErrorIs(t, f.Drain(), errClosed)
	require.ErrorIs(t, f.Close(), errClosed)
	require.Equal(t, before, read(t, f.path))
}
