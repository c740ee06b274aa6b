package walls_test

import (
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	// drawn matches differences between two runs of a test: numbers without a seed, or with a seed from the clock.
	drawn = regexp.MustCompile(`\brand\.(Int|Uint|Float|Perm|Shuffle|N|NormFloat|ExpFloat)(32|64)?N?\(|` +
		`time\.Now\(\)\.UnixNano\(\)\)`)
	importsRapid = regexp.MustCompile(`(?m)^\s+"pgregory\.net/rapid"$`)
	// fixesSeeds matches an import of a package that fixes the seed of package rapid.
	fixesSeeds = regexp.MustCompile(`pebbles/(internal/seeds|apps/appstest)"`)
	// ofTheDay matches differences between two runs of a script. .ci/long draws a seed, and prints it.
	ofTheDay = regexp.MustCompile(`\$\(date\b|-shuffle[= ]on\b|\bshuf\b`)
)

// TestNothingIsDrawn requires tests, the laboratory and .ci to do the same in each run: seeds are those of
// internal/seeds.
func TestNothingIsDrawn(t *testing.T) {
	isScript := func(name string) bool { return strings.HasPrefix(name, ".ci/") && name != ".ci/long" }
	wanted := func(name string) bool {
		test := strings.HasSuffix(name, "_test.go") || strings.HasPrefix(name, "lab/") && isGo(name)
		return test && !strings.HasSuffix(name, "/draws_test.go") || isScript(name)
	}
	seeded, drawing := map[string]bool{}, map[string]string{} // folders whose tests fix the seed of rapid, or need it
	eachFile(t, wanted, func(name string, text []byte) {
		bad, folder := drawn, path.Dir(name)
		if isScript(name) {
			bad = ofTheDay
		}
		seeded[folder] = seeded[folder] || fixesSeeds.Match(text)
		if importsRapid.Match(text) {
			drawing[folder] = name
		}
		for _, found := range bad.FindAllString(string(text), -1) {
			t.Errorf("%s draws, or minds the day: %s: take the seed of seeds.Of, or of the script", name, found)
		}
	})
	for folder, name := range drawing {
		require.True(t, seeded[folder], "%s draws by rapid: import internal/seeds in a test of its package, which "+
			"fixes the seed", name)
	}
}

// TestBubblesAreOurs requires tests with a simulated clock to run in the bubbles of internal/bubble.
func TestBubblesAreOurs(t *testing.T) {
	wanted := func(name string) bool {
		return strings.HasSuffix(name, "_test.go") && !strings.HasSuffix(name, "/draws_test.go")
	}
	eachFile(t, wanted, func(name string, text []byte) {
		require.False(t, strings.Contains(string(text), "synctest.Test("), "%s: take bubble.Test", name)
	})
}

func TestDrawsBite(t *testing.T) {
	for _, bad := range []string{"seed := rand.Uint64()", "rand.IntN(3)", "uint64(time.Now().UnixNano())"} {
		require.True(t, drawn.MatchString(bad), bad)
	}
	require.False(t, drawn.MatchString("random := rand.New(rand.NewPCG(seeds.Of(t), 1))\nrandom.IntN(3)"))
	require.True(t, ofTheDay.MatchString(`seed=$(date -u +%Y%m%d)`))
}
