package worlds

import (
	"context"
	"flag"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/overlay"
)

var caughtWithin = flag.Duration("caught-within", 0, "how long it may take until a broken build is caught; 0 leaves them out")

// Builds of the runtime that are broken on purpose are caught, told with a small world, and that world fails again.
func TestBrokenBuildsAreCaught(t *testing.T) {
	if *caughtWithin == 0 {
		t.Skip("builds the runtime anew: give -caught-within, as .ci/worlds does")
	}
	for _, broken := range []struct{ name, file, good, bad string }{
		{"a lost credit", "netio/pool.go", "f.in.Account.open.Add(-1)", "if p.back%50 != 49 {\n\tf.in.Account.open.Add(-1)\n}"},
		{"a dropped count", "internal/engine/progress.go", "r.processed++", "if r.processed++; r.processed == 20 {\n\t\tr.processed--\n\t}"},
		{"an early end", "termination/skr.go", "d.seen && sums == d.last && sums.Created", "sums.Created"},
		{"frames not waited for", "termination/nbx.go", "if !s.Idle || !s.Back {", "if !s.Idle {"},
		{"a frame not waited for by all", "termination/pcx.go", "s.Ledger.ProcessedAll(uint32(d.round)) != d.expected", "s.Ledger.ProcessedAll(uint32(d.round))+1 < d.expected"},
		{"a frame not waited for on a link", "termination/exchange.go", "s.Ledger.Processed(from, phase) != p.expected", "s.Ledger.Processed(from, phase)+1 < p.expected"},
		{"an epoch's number that must not wrap", "internal/engine/progress.go", "int32(f.Epoch-r.Sender.Epoch) <= 0", "f.Epoch <= r.Sender.Epoch"},
		{"a detector kept", "internal/engine/site.go", "r.detectorFor == made && !made.ofEpoch", "r.detectorFor == made"},
		{"pebbles of other keys dropped", "reduce/first.go", "if old == tag {", "if old == tag || n%4 == 3 {"},
		{"pebbles that do not fit dropped", "reduce/writeback.go", "if joined, ok := join(e.v, v); ok {", "if joined, ok := join(e.v, v); ok || i%3 == 2 {"},
		// Of what caches and directories promise. Marks without an order are too rare in worlds: netio/sim has a test of those.
		{"a write-through cache met again", "target/retune.go", "c.cache != nil && (c.made.writeBack() || !moving && c.Plan.Fixed())", "c.cache != nil"},
		{"a move forgotten", "target/directory.go", "if w := d.waiting[i]; d.Owns(w.key) {", "if w := d.waiting[i]; i == 0 && d.Owns(w.key) {"},
	} {
		t.Run(broken.name, func(t *testing.T) {
			t.Parallel()
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
	program = filepath.Join(t.TempDir(), "worlds.test")
	overlay.Build(t, []overlay.Change{{File: file, Good: good, Bad: bad}}, "test", "-c", "-o", program, "./internal/worlds")
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
