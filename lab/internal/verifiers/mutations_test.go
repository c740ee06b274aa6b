package verifiers

import (
	"cmp"
	"context"
	"flag"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/lab/internal/overlay"
)

// mutation is one fault of the catalogue: good, which is in the file once, becomes bad, and a test must fail. It is of
// the file's package, unless a folder stands before its name.
type mutation struct{ name, file, good, bad, test string }

func (m mutation) changes() []overlay.Change {
	return []overlay.Change{{File: m.file, Good: m.good, Bad: m.bad}}
}

// where is the folder of the test, and its name.
func (m mutation) where() (folder, test string) {
	folder, test = path.Split(m.test)
	return path.Clean(cmp.Or(folder, path.Dir(m.file))), test
}

var (
	turnFlag  = flag.Int("turn", -1, "try the faults whose turn it is, of -turns; -1 is none of the catalogue, and all of the others")
	turnsFlag = flag.Int("turns", 6, "how many turns there are; 1 has all faults at once")
)

// How long a test may take until it must have failed: in its own words, and until it is killed.
const (
	failsWithin = "40s"
	killedAfter = time.Minute
)

// What the catalogue changes is where it says, and the tests that it names are there: who changes a line changes its
// fault, too.
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
	folder, test := m.where()
	files, err := filepath.Glob(filepath.Join(overlay.Root(t), filepath.FromSlash(folder), "*_test.go"))
	require.NoError(t, err)
	declares := regexp.MustCompile(`(?m)^func ` + test + `\((t \*testing\.T|f \*testing\.F)\)`)
	for _, file := range files {
		if declares.MatchString(read(t, file)) {
			return
		}
	}
	t.Fatalf("%s: no %s in %s", m.name, test, folder)
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
			_, test := m.where()
			require.Regexp(t, `(?m)^--- FAIL: `+test+`\b`, told)
			require.NotContains(t, told, "test timed out", "it waits for ever")
		})
	}
	t.Logf("turn %d of %d: %d of %d faults", *turnFlag, *turnsFlag, tried, len(catalogue))
}

// fails builds a package's tests with a fault, and runs the one that must fail. It returns what that says.
func fails(t *testing.T, m mutation) string {
	t.Helper()
	folder, test := m.where()
	program := filepath.Join(t.TempDir(), "mutated.test")
	overlay.Build(t, m.changes(), "test", "-vet=off", "-c", "-o", program, "./"+folder)
	ctx, cancel := context.WithTimeout(t.Context(), killedAfter)
	defer cancel()
	c := exec.CommandContext(ctx, program, "-test.run=^("+test+")$", "-test.timeout="+failsWithin)
	c.Dir = filepath.Join(overlay.Root(t), filepath.FromSlash(folder))
	out, err := c.CombinedOutput()
	require.NoError(t, ctx.Err(), "it waits for ever\n%s", out)
	require.Error(t, err, "no test has failed\n%s", out)
	return string(out)
}
