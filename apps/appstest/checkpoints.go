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

// GoesOn checks that an application goes on from its checkpoints. A job of three ranks saves each step, and fails in a
// save half-way, or ends; jobs of as many ranks, fewer, more and one that go on from there leave the file that an
// undisturbed job leaves. run is the application on a rank. alike compares the files; nil requires that they are equal.
func GoesOn(t *testing.T, run func(r *pebble.Rank, output string) error, alike func(t *testing.T, want, got []byte)) {
	t.Helper()
	const before = 3
	want := Must(leaves(t, before, pebble.Checkpoints{}, run))
	each := pebble.Checkpoints{Folder: t.TempDir(), Every: time.Nanosecond}
	require.Equal(t, want, Must(leaves(t, before, each, run)), "of a job that saves")
	saves := newest(t, each.Folder)
	require.Greater(t, saves, 1, "checkpoints")
	for _, last := range []int{saves, saves / 2} {
		if last < saves {
			each.Folder = t.TempDir()
			failing(last+1, func() {
				_, err := leaves(t, before, each, run)
				require.ErrorContains(t, err, errInSave.Error())
			})
		}
		require.Equal(t, last, newest(t, each.Folder))
		for _, ranks := range []int{2, 5, 1, before} {
			t.Run(fmt.Sprintf("checkpoint %d of %d, %d ranks", last, saves, ranks), func(t *testing.T) {
				restart := pebble.Checkpoints{Folder: each.Folder, Every: -1}
				if ranks == before {
					restart = each
				}
				got, err := leaves(t, ranks, restart, run)
				require.NoError(t, err)
				if alike == nil {
					require.Equal(t, string(want), string(got))
				} else {
					alike(t, want, got)
				}
			})
		}
		require.LessOrEqual(t, newest(t, each.Folder), max(saves+1, last+saves-1), "checkpoints: steps were done again")
	}
}

// leaves runs an application on ranks of this process, and returns the file that it leaves.
func leaves(t *testing.T, ranks int, c pebble.Checkpoints, run func(r *pebble.Rank, output string) error,
) ([]byte, error) {
	t.Helper()
	s, output := Mem(ranks), filepath.Join(t.TempDir(), "rows.csv")
	s.Checkpoints = c
	if err := s.Run(t, func(r *pebble.Rank) error { return run(r, output) }); err != nil {
		return nil, err
	}
	return os.ReadFile(output)
}

// failing lets the save with a number fail while do runs.
func failing(number int, do func()) {
	disk.SetFault(func(call, name string) error {
		if call == "open" && strings.Contains(name, fmt.Sprintf("-%06d.tmp", number)) {
			return errInSave
		}
		return nil
	})
	defer disk.SetFault(nil)
	do()
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
