package verifiers

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/lab/internal/overlay"
)

// mutation is one fault of the catalogue: good, which is in the file once, becomes bad, and a test must fail. The test
// is in the file's package, unless a folder precedes its name.
type mutation struct{ name, file, good, bad, test string }

func (m mutation) change() overlay.Change {
	return overlay.Change{File: m.file, Good: m.good, Bad: m.bad}
}

// where returns the folder of the test, and its name.
func (m mutation) where() (folder, test string) {
	folder, test = path.Split(m.test)
	return path.Clean(cmp.Or(folder, path.Dir(m.file))), test
}

// faults are the whole catalogue.
var faults = slices.Concat(catalogue, upper, rooms)

var plantFlag = flag.String("plant", "", "plant the faults whose name or file matches this regular expression")

// Time limits of a failing test: for its own report, and until it is killed.
const (
	failsWithin = "90s"
	killedAfter = 2 * time.Minute
)

// TestCatalogueIsOfThisTree requires the catalogue's lines and tests: a change of such a line also changes its fault.
func TestCatalogueIsOfThisTree(t *testing.T) {
	names := map[string]bool{}
	for _, m := range faults {
		require.False(t, names[m.name], "two faults: %s", m.name)
		names[m.name] = true
		overlay.Texts(t, []overlay.Change{m.change()})
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

// chosen returns the faults that the flag selects.
func chosen(t *testing.T) (some []mutation) {
	t.Helper()
	wanted, err := regexp.Compile(*plantFlag)
	require.NoError(t, err)
	for _, m := range faults {
		if wanted.MatchString(m.name) || wanted.MatchString(m.file) {
			some = append(some, m)
		}
	}
	return some
}

// TestMutationsAreCaught requires that each fault makes its test fail with a report, not by a timeout. One build
// contains all compatible faults, each behind a number in the environment, so the same test must pass without one.
func TestMutationsAreCaught(t *testing.T) {
	if *plantFlag == "" {
		t.Skip("builds tests anew: give -plant, as .ci/verifiers does")
	}
	together, alone := plant(t, chosen(t))
	programs := together.build(t)
	sound := map[string]bool{}
	t.Run("planted", func(t *testing.T) { // until all have ended
		for i, m := range together.faults {
			folder, test := m.where()
			program := programs[folder]
			if !sound[folder+"/"+test] {
				sound[folder+"/"+test] = true
				t.Run(folder+"/"+test+" without a fault", func(t *testing.T) {
					t.Parallel()
					out, err := runs(t, program, m, 0)
					require.NoError(t, err, "%s", out)
				})
			}
			t.Run(m.name, func(t *testing.T) {
				t.Parallel()
				requireCaught(t, program, m, i+1)
			})
		}
		for _, m := range alone {
			t.Run(m.name, func(t *testing.T) {
				t.Parallel()
				program := filepath.Join(t.TempDir(), "alone.test")
				folder, _ := m.where()
				overlay.Build(t, []overlay.Change{m.change()}, "test", "-vet=off", "-c", "-o", program, "./"+folder)
				requireCaught(t, program, m, 0)
			})
		}
	})
	t.Logf("%d of %d faults, %d of them in a build of their own", len(together.faults)+len(alone), len(faults),
		len(alone))
}

// requireCaught requires that the test of a fault fails with its own report.
func requireCaught(t *testing.T, program string, m mutation, number int) {
	t.Helper()
	out, err := runs(t, program, m, number)
	require.Error(t, err, "no test has failed\n%s", out)
	_, test := m.where()
	require.Regexp(t, `(?m)^--- FAIL: `+test+`\b`, out)
	require.NotContains(t, out, "test timed out", "it waits for ever")
}

// runs runs the test of a fault, with the numbered fault, and returns its output.
func runs(t *testing.T, program string, m mutation, number int) (told string, failed error) {
	t.Helper()
	folder, test := m.where()
	ctx, cancel := context.WithTimeout(t.Context(), killedAfter)
	defer cancel()
	c := exec.CommandContext(ctx, program, "-test.run=^("+test+")$", "-test.timeout="+failsWithin)
	c.Dir = filepath.Join(overlay.Root(t), filepath.FromSlash(folder))
	c.Env = append(os.Environ(), fmt.Sprintf("%s=%d", plantedVariable, number))
	out, err := c.CombinedOutput()
	require.NoError(t, ctx.Err(), "it waits for ever\n%s", out)
	return string(out), err
}
