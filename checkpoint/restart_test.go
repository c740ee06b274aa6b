package checkpoint_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/checkpoint"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/memory"
	"github.com/activepebbles/pebbles/memory/pages"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
)

// saves makes checkpoints of some steps in a job.
func saves(t *testing.T, s appstest.Shape, steps int) {
	t.Helper()
	require.NoError(t, s.Run(t, func(r *pebble.Rank) error {
		state := newState(r)
		c := state.checkpoint()
		if restored, err := c.Restore(); err != nil || restored {
			return fmt.Errorf("restored %v: %w", restored, err)
		}
		state.fill(1)
		var err error
		for state.step = range steps {
			for _, u := range state.ranges {
				for i := range u.vs {
					u.vs[i] = pairOf(u.d.Key(r.ID(), i) + uint64(state.step))
				}
			}
			state.words["a"] = state.step
			err = errors.Join(err, c.Save())
		}
		return err
	}))
}

// restores checks that a job continues from a step.
func restores(t *testing.T, s appstest.Shape, step int) {
	t.Helper()
	require.NoError(t, s.Run(t, appstest.Checked(func(r appstest.Rank) {
		state := newState(r.Rank)
		r.True(appstest.Must(state.checkpoint().Restore()))
		state.check(r, step)
	})))
}

// Restarts with the same number of ranks, fewer, more and one give the same state, over all transports.
func TestRestartOnAnyNumberOfRanks(t *testing.T) {
	for _, from := range []appstest.Shape{
		appstest.Mem(1),
		{Ranks: 4, Procs: 1, Transport: "mem", New: route.Hypercube},
		{Ranks: 3, Procs: 2, Transport: "shm", New: route.Direct},
		{Ranks: 4, Procs: 2, Transport: "tcp", New: route.Direct},
	} {
		t.Run(fmt.Sprintf("from %d ranks over %s", from.Ranks, from.Transport), func(t *testing.T) {
			from.Checkpoints = pebble.Checkpoints{Folder: t.TempDir(), Zstd: from.Ranks == 3}
			saves(t, from, 3)
			require.Equal(t, []string{"all-000002", "all-000003"}, names(t, from.Checkpoints.Folder))
			appstest.Few(t, func(t *testing.T, to appstest.Shape) {
				to.Checkpoints = from.Checkpoints
				restores(t, to, 2)
			})
			many := appstest.Mem(9)
			many.Checkpoints = from.Checkpoints
			restores(t, many, 2)
		})
	}
}

// names returns the names of a folder's entries.
func names(t *testing.T, folder string) (all []string) {
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

// Remains of killed processes are removed, even if a checkpoint of that number is saved again. Other files stay.
func TestLeftoversAreRemoved(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{".all-000003.tmp123", ".all-000001.tmp", ".other-000001.tmp1", "all-notes", "all-3"} {
		require.NoError(t, os.MkdirAll(filepath.Join(folder, name, "part"), 0o700))
	}
	s := appstest.Mem(2)
	s.Checkpoints.Folder = folder
	saves(t, s, 1)
	require.Equal(t, []string{".other-000001.tmp1", "all-000001", "all-3", "all-notes"}, names(t, folder))
	restores(t, s, 0)
}

// Shared pages are saved and restored at their homes: by ranks that use copies alone, and have little room for them.
func TestPagesOfCopies(t *testing.T) {
	const n, each = 20_000, 1000
	for _, c := range []pages.Config{{Copies: true}, {Checked: true}} {
		saved := pebble.Checkpoints{Folder: t.TempDir()}
		for _, ranks := range []int{2, 3, 1} {
			job := pebble.Config{Ranks: ranks, PageCache: 32 << 10, Checkpoints: saved}
			require.NoError(t, pebble.Run(t.Context(), job, appstest.Checked(func(r appstest.Rank) {
				space := pages.New(memory.New(r.Rank), c)
				v := pages.NewSlice[uint64](space, "v", distribution.Block(n, ranks))
				piece := func(do func(lo uint64)) {
					for lo := uint64(0); lo < n; lo += each {
						do(lo)
						r.NoError(space.Barrier())
					}
				}
				piece(func(lo uint64) { r.Len(v.Read(lo, lo+each), each) }) // copies of what Restore replaces
				state := checkpoint.New(r.Rank, "pages", checkpoint.Pages("v", v))
				r.Equal(ranks != 2, appstest.Must(state.Restore()))
				r.NoError(space.Barrier())
				piece(func(lo uint64) {
					if ranks == 2 && r.ID() == 0 {
						for i := range v.Write(lo, lo+each) {
							v.Write(lo, lo+each)[i] = lo + uint64(i)
						}
					}
				})
				piece(func(lo uint64) {
					for i, got := range v.Read(lo, lo+each) {
						r.Equal(lo+uint64(i), got)
					}
				})
				r.NoError(state.Save())
			})))
		}
	}
}
