package plots

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/lab"
)

// TestCommitted requires that the pictures of lab/results are those of the kept results.
func TestCommitted(t *testing.T) {
	committed := filepath.Join("..", "results", "plots")
	drawn := map[string]bool{}
	for file, folder := range map[string]string{"papers": "", "scale": ""} {
		r, err := lab.Read(filepath.Join("..", "results", file+".json"))
		require.NoError(t, err)
		fresh := t.TempDir()
		files, err := Write(fresh, r)
		require.NoError(t, err)
		for _, all := range files {
			for _, file := range all {
				name := filepath.Join(folder, filepath.Base(file))
				drawn[name] = true
				want, err := os.ReadFile(file)
				require.NoError(t, err)
				is, err := os.ReadFile(filepath.Join(committed, name))
				require.NoError(t, err)
				require.Equal(t, string(want), string(is), "%s is out of date: make -C lab plots", name)
			}
		}
	}
	require.NoError(t, filepath.WalkDir(committed, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			name, err := filepath.Rel(committed, path)
			require.NoError(t, err)
			require.True(t, drawn[name], "nobody draws %s", name)
		}
		return err
	}))
}

// TestBeside requires that pictures beside a page are named relative to the page.
func TestBeside(t *testing.T) {
	var g lab.GroupResult
	g.Name = "G"
	g.Dot("c", "ranks", "M/s", 8, 1).Lower = true
	r := lab.Results{Groups: []lab.GroupResult{g}}
	page := filepath.Join(t.TempDir(), "page.md")
	links, err := Beside(page, "more", r)
	require.NoError(t, err)
	require.Equal(t, map[string][]string{"G": {"plots/more/g.svg"}}, links)
	require.FileExists(t, filepath.Join(filepath.Dir(page), "plots", "more", "g.svg"))
	_, err = ForPage(page, "/dev/null/plots", r)
	require.Error(t, err)
}
