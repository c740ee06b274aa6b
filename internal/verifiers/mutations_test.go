package verifiers

import (
	"context"
	"flag"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/overlay"
)

// mutation is one fault of the catalogue: good, which is in the file once, becomes bad, and a test of the file's package must fail.
type mutation struct{ name, file, good, bad, test string }

func (m mutation) changes() []overlay.Change {
	return []overlay.Change{{File: m.file, Good: m.good, Bad: m.bad}}
}

// folder is the package's.
func (m mutation) folder() string { return filepath.ToSlash(filepath.Dir(m.file)) }

var (
	turnFlag  = flag.Int("turn", -1, "try the faults of the catalogue whose turn it is, of -turns; -1 is none of them")
	turnsFlag = flag.Int("turns", 6, "how many turns there are; 1 has all faults at once")
)

// How long a test may take until it must have failed: in its own words, and until it is killed.
const (
	failsWithin = "40s"
	killedAfter = time.Minute
)

// What the catalogue changes is where it says, and the tests that it names are there: who changes a line changes its fault, too.
func TestCatalogueIsOfThisTree(t *testing.T) {
	names := map[string]bool{}
	for _, m := range catalogue {
		require.False(t, names[m.name], "two faults: %s", m.name)
		names[m.name] = true
		overlay.Texts(t, m.changes())
		requireTest(t, m)
	}
}

// requireTest requires that the test of a fault is in its package.
func requireTest(t *testing.T, m mutation) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(overlay.Root(t), m.folder(), "*_test.go"))
	require.NoError(t, err)
	declares := regexp.MustCompile(`(?m)^func ` + m.test + `\(t \*testing\.T\)`)
	for _, file := range files {
		if declares.MatchString(read(t, file)) {
			return
		}
	}
	t.Fatalf("%s: no %s in %s", m.name, m.test, m.folder())
}

// Each fault of the catalogue makes its test fail, in words: not by waiting for ever.
func TestMutationsAreCaught(t *testing.T) {
	if *turnFlag < 0 {
		t.Skip("builds tests anew, once a fault: give -turn, as .ci/verifiers does")
	}
	tried := 0
	for i, m := range catalogue {
		if i%*turnsFlag != *turnFlag {
			continue
		}
		tried++
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			told := fails(t, m)
			require.Regexp(t, `(?m)^--- FAIL: `+m.test+`\b`, told)
			require.NotContains(t, told, "test timed out", "it waits for ever")
		})
	}
	t.Logf("turn %d of %d: %d of %d faults", *turnFlag, *turnsFlag, tried, len(catalogue))
}

// fails builds a package's tests with a fault, and runs the one that must fail. It returns what that says.
func fails(t *testing.T, m mutation) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "mutated.test")
	overlay.Build(t, m.changes(), "test", "-vet=off", "-c", "-o", program, "./"+m.folder())
	ctx, cancel := context.WithTimeout(t.Context(), killedAfter)
	defer cancel()
	c := exec.CommandContext(ctx, program, "-test.run=^("+m.test+")$", "-test.timeout="+failsWithin)
	c.Dir = filepath.Join(overlay.Root(t), filepath.FromSlash(m.folder()))
	out, err := c.CombinedOutput()
	require.NoError(t, ctx.Err(), "it waits for ever\n%s", out)
	require.Error(t, err, "no test has failed\n%s", out)
	return string(out)
}
