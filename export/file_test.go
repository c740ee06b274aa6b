package export_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/export"
	"github.com/activepebbles/pebbles/internal/disk/disktest"
)

func writesNew(w io.Writer) error {
	_, err := io.WriteString(w, "new\n")
	return err
}

// WriteFile returns an error of any file operation, and keeps the previous file, or leaves nothing.
func TestWriteFileLosesNoError(t *testing.T) {
	for name, opts := range map[string][]export.Option{"new": nil, "in place of another": {export.Replace()}} {
		t.Run(name, func(t *testing.T) {
			disktest.Each(t, func(t *testing.T, call string) {
				folder := t.TempDir()
				path := filepath.Join(folder, "out")
				if opts != nil {
					require.NoError(t, os.WriteFile(path, []byte("old\n"), 0o600))
				}
				err := export.WriteFile(path, writesNew, opts...)
				isLast := strings.HasPrefix(call, "remove of ") && strings.Contains(call, ".old")
				if call == "" {
					require.NoError(t, err)
				} else {
					require.ErrorContains(t, err, disktest.Err.Error())
				}
				if call == "" || isLast {
					require.Equal(t, "new\n", string(contentOf(t, path)))
				} else if opts != nil {
					require.Equal(t, "old\n", string(contentOf(t, path)))
				}
				left, err := os.ReadDir(folder)
				require.NoError(t, err)
				if call == "" || opts != nil {
					require.Len(t, left, 1, "%v", left)
				} else {
					require.Empty(t, left)
				}
			})
		})
	}
}

func contentOf(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return text
}

// A taken name, a missing folder, and an error of write are errors with a remedy. Writable reports the first two before
// any output exists.
func TestWritable(t *testing.T) {
	folder := t.TempDir()
	taken := filepath.Join(folder, "taken")
	require.NoError(t, os.WriteFile(taken, nil, 0o600))
	for path, says := range map[string]string{
		taken:                            "it exists already",
		filepath.Join(folder, "no", "a"): "create the folder that contains it",
		folder:                           "it exists already",
	} {
		require.ErrorContains(t, export.Writable(path), says)
		require.ErrorContains(t, export.WriteFile(path, writesNew), "write "+path)
	}
	require.NoError(t, export.Writable(taken, export.Replace()))
	require.ErrorContains(t, export.Writable(folder, export.Replace()), "not an output of this call")
	require.NoError(t, export.Writable(filepath.Join(folder, "a")))
	bad := errors.New("no rows")
	require.ErrorIs(t, export.WriteFile(filepath.Join(folder, "a"), func(io.Writer) error { return bad }), bad)
	_, err := os.Stat(filepath.Join(folder, "a"))
	require.ErrorIs(t, err, fs.ErrNotExist)
}
