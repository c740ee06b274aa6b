// Package overlay builds this module with planted faults, for tests that check that each fault is detected.
package overlay

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Change is a change of one file of the module, named from its root with slashes. Good, which must be in the file once,
// becomes Bad. Without Good, the file is new, and Bad is its whole text.
type Change struct{ File, Good, Bad string }

// Texts returns the changed files by path. A change that matches nothing, or twice, fails the test.
func Texts(t testing.TB, changes []Change) map[string]string {
	t.Helper()
	root, texts := Root(t), map[string]string{}
	for _, c := range changes {
		path := filepath.Join(root, filepath.FromSlash(c.File))
		texts[path] = c.apply(t, path, texts)
	}
	return texts
}

// Build runs a go command, "build" or "test" with its arguments, in the module's root, with the changed files. The
// files themselves stay unchanged.
func Build(t testing.TB, changes []Change, command string, args ...string) {
	t.Helper()
	dir, texts := t.TempDir(), Texts(t, changes)
	replace := map[string]string{}
	for path, text := range texts {
		replace[path] = filepath.Join(dir, fmt.Sprintf("%d.go", len(replace)))
		require.NoError(t, os.WriteFile(replace[path], []byte(text), 0o600))
	}
	list, err := json.Marshal(map[string]map[string]string{"Replace": replace})
	require.NoError(t, err)
	file := filepath.Join(dir, "overlay.json")
	require.NoError(t, os.WriteFile(file, list, 0o600))
	c := exec.CommandContext(t.Context(), "go", append([]string{command, "-overlay", file}, args...)...)
	c.Dir = Root(t)
	out, err := c.CombinedOutput()
	require.NoError(t, err, string(out))
}

// apply returns the text of the file at path after the change, applied to earlier changes in texts.
func (c Change) apply(t testing.TB, path string, texts map[string]string) string {
	t.Helper()
	if c.Good == "" {
		require.NoFileExists(t, path)
		return c.Bad
	}
	text, ok := texts[path]
	if !ok {
		source, err := os.ReadFile(path)
		require.NoError(t, err)
		text = string(source)
	}
	require.Equal(t, 1, strings.Count(text, c.Good), "what is to be broken must be there, once: %q in %s", c.Good, c.File)
	return strings.Replace(text, c.Good, c.Bad, 1)
}

// Root returns the folder of go.mod that contains the test's working directory.
func Root(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	require.NoError(t, err)
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		require.NotEqual(t, dir, filepath.Dir(dir), "no go.mod above the test")
		dir = filepath.Dir(dir)
	}
}
