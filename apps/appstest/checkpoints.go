package appstest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/disk"
	"github.com/activepebbles/pebbles/pebble"
)

// errInSave ends jobs while they save.
var errInSave = errors.New("the disk has failed in a test")

// GoesOn checks that an application goes on from its checkpoints. A job of three ranks fails in one of its saves; jobs
// of as many ranks, fewer, more and one then leave the file that an undisturbed job leaves. run is the application on a
// rank. alike compares the files; nil requires that they are equal.
func GoesOn(t *testing.T, run func(r *pebble.Rank, output string) error, alike func(t *testing.T, want, got []byte)) {
	t.Helper()
	const before = 3
	want, _ := leaves(t, before, "", 0, run)
	all := t.TempDir()
	again, err := leaves(t, before, all, 0, run)
	require.NoError(t, err)
	require.Equal(t, want, again, "of a job that saves")
	saves := newest(t, all)
	require.Greater(t, saves, 1, "checkpoints")
	for _, last := range []int{1, saves / 2, saves - 1} {
		folder := t.TempDir()
		_, err := leaves(t, before, folder, last+1, run)
		require.ErrorContains(t, err, errInSave.Error())
		require.Equal(t, last, newest(t, folder))
		for _, ranks := range []int{before, 2, 5, 1} {
			t.Run(fmt.Sprintf("checkpoint %d of %d, %d ranks", last, saves, ranks), func(t *testing.T) {
				restart := filepath.Join(t.TempDir(), "saved")
				require.NoError(t, os.CopyFS(restart, os.DirFS(folder)))
				got, err := leaves(t, ranks, restart, 0, run)
				require.NoError(t, err)
				require.LessOrEqual(t, newest(t, restart), saves+1, "checkpoints: steps were done again")
				if alike == nil {
					require.Equal(t, string(want), string(got))
				} else {
					alike(t, want, got)
				}
			})
		}
	}
}

// leaves runs an application that saves each of its steps, if there is a folder, and returns the file that it leaves.
// The save with a number fails.
func leaves(t *testing.T, ranks int, folder string, fails int, run func(r *pebble.Rank, output string) error,
) ([]byte, error) {
	t.Helper()
	s, output := Mem(ranks), filepath.Join(t.TempDir(), "rows.csv")
	if folder != "" {
		s.Checkpoints = pebble.Checkpoints{Folder: folder, Every: time.Nanosecond}
	}
	disk.SetFault(func(call, name string) error {
		if fails > 0 && call == "open" && strings.Contains(name, fmt.Sprintf("-%06d.tmp", fails)) {
			return errInSave
		}
		return nil
	})
	defer disk.SetFault(nil)
	if err := s.Run(t, func(r *pebble.Rank) error { return run(r, output) }); err != nil {
		return nil, err
	}
	return os.ReadFile(output)
}

// newest is the highest number of the checkpoints in a folder.
func newest(t *testing.T, folder string) (number int) {
	t.Helper()
	all, err := os.ReadDir(folder)
	require.NoError(t, err)
	for _, e := range all {
		_, digits, _ := strings.Cut(e.Name(), "-")
		n := 0
		_, err := fmt.Sscanf(digits, "%d", &n)
		require.NoError(t, err, e.Name())
		number = max(number, n)
	}
	return number
}
