package export_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/export"
	"github.com/activepebbles/pebbles/pebble"
)

// Close keeps files that others have put under the name since Create: without Replace all, with it those not written by
// export.
func TestCloseKeepsWhatHasComeMeanwhile(t *testing.T) {
	const (
		taken = "it exists already: remove it, choose another name, or set --replace (export.Replace)"
		other = "it is not an output of this call, so it is not replaced"
	)
	folder := func(t *testing.T, name string) string {
		require.NoError(t, os.Mkdir(name, 0o700))
		inside := filepath.Join(name, "precious")
		require.NoError(t, os.WriteFile(inside, []byte("data"), 0o600))
		return inside
	}
	file := func(t *testing.T, name string) string {
		require.NoError(t, os.WriteFile(name, []byte("data"), 0o600))
		return name
	}
	empty := func(t *testing.T, name string) string {
		require.NoError(t, os.Mkdir(name, 0o700))
		return ""
	}
	for name, c := range map[string]struct {
		put     func(t *testing.T, name string) (precious string)
		says    string
		options []export.Option
	}{
		"folder, folder":        {folder, taken, nil},
		"folder, empty folder":  {empty, taken, nil},
		"folder, file":          {file, taken, nil},
		"file, file":            {file, taken, []export.Option{export.OneFile()}},
		"file, folder":          {folder, taken, []export.Option{export.OneFile()}},
		"folder to be replaced": {folder, other, []export.Option{export.Replace()}},
		"file for a folder":     {file, other, []export.Option{export.Replace()}},
		"folder for a file":     {folder, other, []export.Option{export.Replace(), export.OneFile()}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			out, precious := filepath.Join(dir, "out"), ""
			err := run(2, func(r *pebble.Rank) error {
				s := appstest.Must(export.Create(r, out, export.Lines(), c.options...))
				defer s.Abort()
				if r.ID() == 0 {
					precious = c.put(t, out)
				}
				appstest.OK(r.Barrier())
				_, err := s.Close()
				return err
			})
			require.ErrorContains(t, err, c.says)
			if precious != "" {
				text, err := os.ReadFile(precious)
				require.NoError(t, err)
				require.Equal(t, "data", string(text))
			}
			alone(t, dir, "out")
		})
	}
}
