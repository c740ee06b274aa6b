package command

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
)

// The page of applications shows what its commands print: those that have an answer behind them are run by a shell, on
// the public files that they name, with those ahead of them.
func TestPageOfApplications(t *testing.T) {
	if _, err := exec.LookPath("mawk"); err != nil {
		t.Skip("needs mawk, which is not installed")
	}
	page, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "applications.md"))
	require.NoError(t, err)
	_, section, _ := strings.Cut(string(page), "## Files with the results")
	_, block, _ := strings.Cut(section, "```sh\n")
	block, _, _ = strings.Cut(block, "```")
	require.Contains(t, block, "pebbles bfs")

	folder := t.TempDir()
	for _, name := range []string{"wiki-Vote.txt.gz", "loimos/covid19_onepath.textproto", "loimos/test-syn.csv"} {
		file, err := filepath.Abs(appstest.Data(t, name))
		require.NoError(t, err)
		require.NoError(t, os.Symlink(file, filepath.Join(folder, filepath.Base(name))))
	}
	require.NoError(t, os.Symlink(binary, filepath.Join(folder, "pebbles")))
	for line := range strings.Lines(block) {
		command, want, has := strings.Cut(strings.TrimSpace(line), " # ")
		shell := exec.Command("sh", "-c", command)
		shell.Dir, shell.Env = folder, append(os.Environ(), "PATH="+folder+":"+os.Getenv("PATH"))
		out, err := shell.Output()
		require.NoError(t, err, line)
		if has {
			require.Equal(t, want, strings.TrimSpace(string(out)), line)
		}
	}
}
