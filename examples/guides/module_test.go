package guides_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestOwnModule runs a program in a module of its own, as the README says, but with this tree in place of a release.
func TestOwnModule(t *testing.T) {
	dir := t.TempDir()
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(root, name))
		require.NoError(t, err)
		return string(text)
	}
	tree, err := filepath.Abs(root)
	require.NoError(t, err)
	_, requirements, ok := strings.Cut(read("go.mod"), "\nrequire (")
	require.True(t, ok)
	for name, text := range map[string]string{
		"go.mod": "module example.org/updates\n\ngo 1.26.0\n\nrequire " + module + " v0.0.0\n\nreplace " + module + " => " + tree +
			"\n\nrequire (" + requirements,
		"go.sum":  read("go.sum"),
		"main.go": read("examples/randomaccess/main.go"),
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	c := exec.Command("go", "run", ".")
	c.Dir = dir
	c.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off")
	out, err := c.CombinedOutput()
	require.NoError(t, err, string(out))
	require.Contains(t, string(out), "updates")
}
