package export_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/export"
	"github.com/activepebbles/pebbles/ingest"
	"github.com/activepebbles/pebbles/internal/disk/disktest"
	"github.com/activepebbles/pebbles/pebble"
)

// Close or Create returns an error of any file operation on all ranks. The previous output remains, and nothing else.
// In one case the new rows remain: if the replaced output cannot be removed, which is the last step.
func TestNoErrorOfTheDiskIsLost(t *testing.T) {
	const syncs = 5 // two parts, and the manifest and its folder, or two copies; and the folder around
	for name, opts := range map[string][]export.Option{
		"folder": nil, "file": {export.OneFile()}, "zstd": {export.Zstd()},
		"folder in place of another": {export.Replace()}, "file in place of another": {export.Replace(), export.OneFile()},
	} {
		t.Run(name, func(t *testing.T) {
			replaces := strings.Contains(name, "another")
			calls := disktest.Each(t, func(t *testing.T, call string) {
				folder := t.TempDir()
				out := filepath.Join(folder, "out")
				if replaces {
					old(t, out, opts)
				}
				told := make([]error, 2)
				require.NoError(t, run(2, func(r *pebble.Rank) error {
					told[r.ID()] = exported(r, out, opts)
					return nil
				}))
				for _, err := range told {
					if call == "" {
						require.NoError(t, err)
					} else {
						require.ErrorContains(t, err, disktest.Err.Error())
					}
				}
				switch isLast := strings.HasPrefix(call, "remove of ") && strings.Contains(call, ".old"); {
				case isLast:
					require.Len(t, read(t, 1, out, ingest.Lines()), 4)
				case call == "":
					alone(t, folder, "out")
					require.Len(t, read(t, 1, out, ingest.Lines()), 4)
				case replaces:
					alone(t, folder, "out")
					require.Len(t, read(t, 1, out, ingest.Lines()), 1)
				default:
					left, err := os.ReadDir(folder)
					require.NoError(t, err)
					require.Empty(t, left)
				}
			})
			require.Equal(t, syncs, disktest.Count(calls, "sync"), "%q", calls)
		})
	}
}

// old makes something that Replace replaces: one row.
func old(t *testing.T, out string, opts []export.Option) {
	t.Helper()
	if len(opts) == 2 {
		require.NoError(t, os.WriteFile(out, []byte("old\n"), 0o600))
		return
	}
	require.NoError(t, os.Mkdir(out, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(out, "part.txt"), []byte("old\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(out, export.ManifestName),
		[]byte(`{"Format":"txt","Rows":1,"Bytes":4,"Parts":[{"Name":"part.txt","Rows":1,"Bytes":4}]}`), 0o600))
}

// exported writes two lines per rank.
func exported(r *pebble.Rank, out string, opts []export.Option) error {
	s, err := export.Create(r, out, export.Lines(), opts...)
	if err != nil {
		return err
	}
	defer s.Abort()
	for i := range 2 {
		if err := s.Write(line(10*r.ID() + i)); err != nil {
			return err
		}
	}
	_, err = s.Close()
	return err
}
