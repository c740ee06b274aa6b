package trace

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// simulatedJob lets the ranks of a simulated job of three processes record the given number of handlers each, in turns.
func simulatedJob(t *testing.T, path string, first Name, handlers int) {
	t.Helper()
	c := configOf(0, 1, 6)
	c.Names = func(n uint32) string { return fmt.Sprint(n % 100) }
	var files []*File
	for p := range 3 {
		f, err := Join(path, p, c)
		require.NoError(t, err)
		files = append(files, f)
	}
	for i := range handlers {
		for rank := range 6 {
			r, at := files[rank/2].Rank(rank), time.Duration(10*i+rank)
			require.True(t, r.Sampled())
			r.Slice(Handler, first+Name(rank), at, at+5, uint64(i), None)
		}
	}
	for _, f := range files {
		require.NoError(t, f.Drain())
		require.NoError(t, f.Close())
	}
	files[0].Rank(0).Instant(Other, 0, 0, 0, 0) // a rank that was left behind
	require.ErrorIs(t, files[0].Close(), errClosed)
}

// TestSimulatedJob requires that the processes of a simulated job write one file with all events, more than a ring
// holds, and that the same run gives the same bytes even if names have other numbers.
func TestSimulatedJob(t *testing.T) {
	const handlers = ringSize + ringSize/8
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	simulatedJob(t, a, 1, handlers)
	simulatedJob(t, a, 1, handlers) // the path is free again
	simulatedJob(t, b, 101, handlers)
	require.True(t, string(read(t, a)) == string(read(t, b)))

	p := view(t, read(t, a))
	require.Len(t, p.events, 6*handlers)
	for _, e := range p.events {
		require.Zero(t, e.numbers["weight"])
	}
}

func TestSimulatedJobsOfOnePath(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace")
	f, err := Join(path, 0, configOf(0, 1, 2))
	require.NoError(t, err)
	_, err = Join(path, 0, configOf(0, 1, 2))
	require.ErrorContains(t, err, "give each job a file of its own")
	_, err = Join(path, 1, configOf(0, 1, 3))
	require.ErrorContains(t, err, "give each job a file of its own")
	require.NoError(t, f.Close())
	_, err = Join(filepath.Join(path, "no", "folder"), 0, configOf(0, 1, 2))
	require.ErrorContains(t, err, "make the file of the trace")
}
