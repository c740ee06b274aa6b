package worlds

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var caughtWithin = flag.Duration("caught-within", 0, "how long it may take until a broken build is caught; 0 leaves them out")

// Builds of the runtime that are broken on purpose are caught, told with a small world, and that world fails again.
func TestBrokenBuildsAreCaught(t *testing.T) {
	if *caughtWithin == 0 {
		t.Skip("builds the runtime anew: give -caught-within, as .ci/worlds does")
	}
	for _, broken := range []struct{ name, file, good, bad string }{
		{"a lost credit", "netio/pool.go", "f.open.open.Add(-1)", "if p.back%50 != 49 {\n\tf.open.open.Add(-1)\n}"},
		{"a dropped count", "pebble/progress.go", "r.processed++", "if r.processed++; r.processed == 20 {\n\t\tr.processed--\n\t}"},
		{"an early end", "termination/skr.go", "d.seen && sums == d.last && sums.Created", "sums.Created"},
		{"frames not waited for", "termination/nbx.go", "if !s.Idle || !s.Back {", "if !s.Idle {"},
	} {
		t.Run(broken.name, func(t *testing.T) {
			program := build(t, broken.file, broken.good, broken.bad)
			began := time.Now()
			told := fails(t, program, "-worlds=1000000", fmt.Sprintf("-seed=%d", *seedFlag))
			_, rest, ok := strings.Cut(told, "-world='")
			require.True(t, ok, told)
			world, _, _ := strings.Cut(rest, "'")
			t.Logf("caught after %v, by %s", time.Since(began).Round(time.Millisecond), world)
			require.Contains(t, fails(t, program, "-world="+world), "Error")
		})
	}
}

// build makes this package's tests with one file of the runtime changed.
func build(t *testing.T, file, good, bad string) (program string) {
	t.Helper()
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	original := filepath.Join(root, filepath.FromSlash(file))
	source, err := os.ReadFile(original)
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(string(source), good), "what is to be broken must be there, once")
	dir := t.TempDir()
	changed, overlay := filepath.Join(dir, filepath.Base(file)), filepath.Join(dir, "overlay.json")
	require.NoError(t, os.WriteFile(changed, []byte(strings.Replace(string(source), good, bad, 1)), 0o600))
	text, err := json.Marshal(map[string]map[string]string{"Replace": {original: changed}})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(overlay, text, 0o600))
	program = filepath.Join(dir, "worlds.test")
	out, err := exec.CommandContext(t.Context(), "go", "test", "-c", "-overlay", overlay, "-o", program, ".").CombinedOutput()
	require.NoError(t, err, string(out))
	return program
}

// fails runs the tests of a broken build, which must fail in time, and returns what they say.
func fails(t *testing.T, program string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), *caughtWithin)
	defer cancel()
	out, err := exec.CommandContext(ctx, program, append([]string{"-test.run=^TestWorlds$", "-test.v"}, args...)...).CombinedOutput()
	require.NoError(t, ctx.Err(), "not caught within %v", *caughtWithin)
	require.Error(t, err, string(out))
	return string(out)
}
