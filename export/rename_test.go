package export

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// Both ways to publish return an error for a taken name, and keep both files.
func TestRenameNew(t *testing.T) {
	for name, rename := range map[string]func(from, to string) error{"at once": renameExclusive, "by link": renameByLink} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			at := func(name string) string { return filepath.Join(dir, name) }
			file := func(name string) { require.NoError(t, os.WriteFile(at(name), []byte(name), 0o600)) }
			folder := func(name string) { require.NoError(t, os.Mkdir(at(name), 0o700)) }
			file("file")
			folder("folder")
			file("taken")
			folder("empty")
			for _, from := range []string{"file", "folder"} {
				for _, to := range []string{"taken", "empty"} {
					require.ErrorIs(t, rename(at(from), at(to)), os.ErrExist, "%s to %s", from, to)
				}
				require.NoError(t, rename(at(from), at("new "+from)))
				require.NoFileExists(t, at(from))
				_, err := os.Lstat(at("new " + from))
				require.NoError(t, err)
			}
			require.Error(t, rename(at("nothing"), at("new")))
		})
	}
}
