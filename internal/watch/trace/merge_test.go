package trace

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// written writes the traces of a job's processes, each with a few events of its ranks.
func written(t testing.TB, want *wanted, configs ...Config) (paths []string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "trace.pftrace")
	for _, c := range configs {
		f, err := Create(path, c)
		require.NoError(t, err)
		late := c.Started.Sub(began)
		for rank := c.First; rank < c.Last; rank++ {
			for i := range time.Duration(50) {
				at := i * time.Millisecond
				want.tell(f.Rank(rank), rank, event{kind: Handler, name: Name(i % 7), begin: at, end: at + 10, a: uint64(i), b: 1})
				want.events[len(want.events)-1].begin += uint64(late)
				want.events[len(want.events)-1].end += uint64(late)
			}
		}
		require.NoError(t, f.Close())
		paths = append(paths, Path(path, c.Process, c.Processes))
	}
	return paths
}

func TestMerge(t *testing.T) {
	var want wanted
	configs := []Config{configOf(0, 3, 2), configOf(1, 3, 2), configOf(2, 3, 2)}
	configs[0].Started = began.Add(3 * time.Second) // began after the others
	configs[2].Started = began.Add(time.Second)
	for i := range configs {
		configs[i].PID = 77 // on different hosts
	}
	paths := written(t, &want, configs...)
	var out bytes.Buffer
	sum, err := Merge(&out, paths)
	require.NoError(t, err)
	p := view(t, out.Bytes())
	want.same(t, p)
	require.Equal(t, []uint64{zero, zero + 1e9, zero + 3e9}, p.zeros, "snapshots don't go back")
	require.Equal(t, [kinds]Count{Handler: {300, 300}}, sum.Kinds)
	require.Equal(t, 3*time.Second+49*time.Millisecond+10, sum.Span)
	require.Equal(t, 3*time.Second, sum.Apart)
	require.Equal(t, [2]int{3, 3}, [2]int{sum.Files, sum.Processes})
	require.Equal(t, "bfs", sum.Program)
	require.Equal(t, "j1", sum.Job)
	require.Empty(t, sum.Problems)
	require.Contains(t, sum.String(), "300  handler")

	// Concatenated files are also a trace.
	var all []byte
	for _, path := range paths {
		all = append(all, read(t, path)...)
	}
	want.same(t, view(t, all))
}

func TestMergeOfParts(t *testing.T) {
	var want wanted
	paths := written(t, &want, configOf(1, 9, 1), configOf(3, 9, 1))
	empty := filepath.Join(t.TempDir(), "empty")
	require.NoError(t, os.WriteFile(empty, nil, 0o600))
	text := filepath.Join(t.TempDir(), "text")
	require.NoError(t, os.WriteFile(text, []byte("hello"), 0o600))
	dir := t.TempDir()
	var out bytes.Buffer
	sum, err := Merge(&out, append(paths, empty, text, filepath.Join(dir, "gone"), dir))
	require.NoError(t, err)
	want.same(t, view(t, out.Bytes()))
	require.Len(t, sum.Problems, 5)
	require.Contains(t, sum.Problems[0], empty+" does not name its job")
	require.Contains(t, sum.Problems[1], text+" does not name its job")
	require.Contains(t, sum.Problems[2], "gone: no such file")
	require.Equal(t, "there is no file of process 0, 2, 4-8", sum.Problems[4])
	require.Equal(t, 2, sum.Files)
}

func TestMergeRefuses(t *testing.T) {
	var any wanted
	one := written(t, &any, configOf(0, 2, 1), configOf(1, 2, 1))
	c := configOf(1, 2, 1)
	c.Job = "j2"
	other := written(t, &any, c)
	more := written(t, &any, configOf(1, 3, 1))
	for _, bad := range []struct {
		paths []string
		says  string
	}{
		{nil, "give the files of a job"},
		{[]string{"/not/there"}, "no trace to read: open /not/there"},
		{[]string{one[0], other[0]}, `is of job "j2" of bfs with 2 processes: give the files of one job`},
		{[]string{one[0], more[0]}, "with 3 processes: give the files of one job"},
		{[]string{one[0], one[1], one[1]}, "are both of process 1: give one of them"},
	} {
		var out bytes.Buffer
		_, err := Merge(&out, bad.paths)
		require.ErrorContains(t, err, bad.says)
		require.Zero(t, out.Len())
	}
}

func TestMergeOfClocksFarApart(t *testing.T) {
	var want wanted
	late := configOf(1, 2, 1)
	late.Started = began.Add(2 * time.Hour)
	sum, err := Merge(io.Discard, written(t, &want, configOf(0, 2, 1), late))
	require.NoError(t, err)
	require.Equal(t, 2*time.Hour, sum.Apart)
	require.Len(t, sum.Problems, 1)
	require.Contains(t, sum.Problems[0], "the clock of process 1 on host1 began 2h0m0s after that of process 0 on host0")
}

// TestMergeShowsPlainText requires that descriptions from files are safe for terminals.
func TestMergeShowsPlainText(t *testing.T) {
	var want wanted
	c := configOf(0, 1, 1)
	c.Program, c.Host = "\x1b[31mred\u202e", "h\nx"
	sum, err := Merge(io.Discard, written(t, &want, c))
	require.NoError(t, err)
	require.Equal(t, " [31mred ", sum.Program)
}

// TestMergeOfStrangers requires errors for files of other versions, and of impossible processes.
func TestMergeOfStrangers(t *testing.T) {
	var none wanted
	path := written(t, &none, configOf(0, 1, 1))[0]
	trace := read(t, path)
	for _, c := range []struct{ was, is, says string }{
		{"version\x18\x01", "version\x18\x02", "is of version 2, and this program reads version 1"},
		{"processes\x18\x01", "processes\x18\x00", "it says it is of process 0 of 0"},
		{"process\x18\x00", "process\x18\x01", "it says it is of process 1 of 1"},
	} {
		require.Contains(t, string(trace), c.was)
		changed := bytes.Replace(trace, []byte(c.was), []byte(c.is), 1)
		require.NoError(t, os.WriteFile(path, changed, 0o600))
		_, err := Merge(io.Discard, []string{path})
		require.ErrorContains(t, err, c.says)
	}
}

// full accepts some bytes and refuses others.
type full struct{ room int }

func (f *full) Write(p []byte) (int, error) {
	if f.room -= len(p); f.room < 0 {
		return 0, syscall.ENOSPC
	}
	return len(p), nil
}

func TestMergeOnAFullDisk(t *testing.T) {
	var want wanted
	var configs []Config
	for p := range 40 {
		configs = append(configs, configOf(p, 40, 1))
	}
	paths := written(t, &want, configs...)
	for _, room := range []int{0, chunk} {
		_, err := Merge(&full{room}, paths)
		require.True(t, errors.Is(err, syscall.ENOSPC), "%v", err)
		require.ErrorContains(t, err, "write the merged trace")
	}
}
