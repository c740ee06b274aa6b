package ingest_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/ingest"
)

// A description tells files apart by their size and their last change, in folders and behind links, too.
func TestDescribe(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string, second int64) {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		require.NoError(t, os.Chtimes(path, time.Time{}, time.Unix(second, 5)))
	}
	write("a.txt", "abc", 1)
	write("b.txt", "de", 3)
	write("folder/part", "fghi", 2)
	require.NoError(t, os.Symlink("a.txt", filepath.Join(dir, "link")))
	for pattern, want := range map[string]string{
		"a.txt":  "files of 3 bytes, 1 in number, last changed 1970-01-01T00:00:01.000000005Z",
		"link":   "files of 3 bytes, 1 in number, last changed 1970-01-01T00:00:01.000000005Z",
		"?.txt":  "files of 5 bytes, 2 in number, last changed 1970-01-01T00:00:03.000000005Z",
		"folder": "files of 4 bytes, 1 in number, last changed 1970-01-01T00:00:02.000000005Z",
		"nosuch": "no files",
	} {
		require.Equal(t, want, ingest.Describe([]string{filepath.Join(dir, pattern)}))
	}
	require.Equal(t, "no files", ingest.Describe(nil))
}
