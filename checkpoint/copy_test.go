package checkpoint_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/checkpoint"
	"github.com/activepebbles/pebbles/internal/disk"
	"github.com/activepebbles/pebbles/internal/disk/disktest"
	"github.com/activepebbles/pebbles/pebble"
)

// With Copy, Save returns before the files are written. They have the values of the parts at the time of Save. The
// checkpoint is complete when a later Due finds them written.
func TestCopiesAreWrittenWhileRanksCompute(t *testing.T) {
	s := appstest.Mem(3)
	s.Checkpoints = pebble.Checkpoints{Folder: t.TempDir(), Copy: true, Every: -1}
	goOn := make(chan struct{})
	disktest.Watch(func(call string) error {
		if strings.HasPrefix(call, "write of part-00001") {
			<-goOn
		}
		return nil
	})
	defer disk.SetFault(nil)
	require.NoError(t, s.Run(t, appstest.Checked(func(r appstest.Rank) {
		state := newState(r.Rank)
		c := state.checkpoint()
		r.False(appstest.Must(c.Restore()))
		state.fill(1)
		appstest.OK(c.Save())
		for _, u := range state.ranges {
			clear(u.vs)
		}
		state.step, state.lists = 9, nil
		for range 3 {
			r.False(c.Due())
		}
		r.NoDirExists(filepath.Join(s.Checkpoints.Folder, "all-000001"))
		r.Meet()
		if r.ID() == 0 {
			close(goOn)
		}
		for there := false; !there; { // would not end if Due never named the checkpoint
			r.False(c.Due())
			found, _ := filepath.Glob(filepath.Join(s.Checkpoints.Folder, "all-000001"))
			there = appstest.Reduced(r, len(found), func(a, b int) int { return min(a, b) }) > 0
		}
	})))
	restores(t, s, 1)
}

// The last checkpoint is complete when a job has ended without an error. Nothing of it remains when the job has failed.
func TestTheEndOfAJobWaitsForItsCheckpoint(t *testing.T) {
	for _, fails := range []bool{false, true} {
		s := appstest.Mem(2)
		s.Checkpoints = pebble.Checkpoints{Folder: t.TempDir(), Copy: true}
		err := s.Run(t, func(r *pebble.Rank) error {
			step := 3
			c := checkpoint.New(r, "end", checkpoint.Value("step", &step))
			if _, err := c.Restore(); err != nil {
				return err
			}
			if err := c.Save(); err != nil || !fails {
				return err
			}
			return r.Epoch(func() error { return disktest.Err })
		})
		if fails {
			require.ErrorContains(t, err, disktest.Err.Error())
			require.Empty(t, names(t, s.Checkpoints.Folder))
			continue
		}
		require.NoError(t, err)
		require.Equal(t, []string{"end-000001"}, names(t, s.Checkpoints.Folder))
	}
}

// The next Save, or the job, returns an error of any operation on a file written from memory. Only whole checkpoints
// remain.
func TestNoErrorOfALaterWriteIsLost(t *testing.T) {
	disktest.Each(t, func(t *testing.T, call string) {
		s := appstest.Mem(2)
		s.Checkpoints = pebble.Checkpoints{Folder: t.TempDir(), Copy: true}
		errs := make([]int, 2)
		run := func(saves int) (began int, err error) {
			err = s.Run(t, func(r *pebble.Rank) error {
				step := 0
				c := checkpoint.New(r, "faulty", checkpoint.Value("step", &step))
				if _, err := c.Restore(); err != nil {
					return err
				}
				if r.ID() == 0 {
					began = step
				}
				for step = 1; step <= saves; step++ {
					if c.Save() != nil {
						errs[r.ID()]++
					}
				}
				return nil
			})
			return began, err
		}
		_, err := run(2)
		began, failed := run(0)
		require.NoError(t, failed)
		switch {
		case call == "":
			require.NoError(t, err)
			require.Equal(t, []int{0, 0}, errs)
			require.Equal(t, 2, began)
		case err != nil: // error of the last checkpoint
			require.ErrorContains(t, err, disktest.Err.Error())
			require.Equal(t, []int{0, 0}, errs)
			require.Equal(t, 1, began)
		default:
			require.Equal(t, []int{1, 1}, errs)
		}
	})
}
