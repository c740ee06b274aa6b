package walls_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	// drawn is what differs between two runs of a test: numbers without a seed, or with one of the clock.
	drawn = regexp.MustCompile(`\brand\.(Int|Uint|Float|Perm|Shuffle|N|NormFloat|ExpFloat)(32|64)?N?\(|` +
		`time\.Now\(\)\.UnixNano\(\)\)`)
	importsRapid = regexp.MustCompile(`(?m)^\s+"pgregory\.net/rapid"$`)
	// fixesSeeds is an import of a package that fixes the seed of package rapid.
	fixesSeeds = regexp.MustCompile(`pebbles/(internal/seeds|apps/appstest)"`)
	// ofTheDay is what differs between two runs of a script. .ci/long draws a seed, and prints it.
	ofTheDay = regexp.MustCompile(`\$\(date\b|-shuffle[= ]on\b|\bshuf\b`)
)

// TestNothingIsDrawn wants tests, the laboratory and .ci to do the same in each run: seeds are those of internal/seeds.
func TestNothingIsDrawn(t *testing.T) {
	require.NoError(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, err := filepath.Rel(root, path)
		require.NoError(t, err)
		name = filepath.ToSlash(name)
		test := strings.HasSuffix(name, "_test.go") || strings.HasPrefix(name, "lab/") && strings.HasSuffix(name, ".go")
		script := strings.HasPrefix(name, ".ci/") && name != ".ci/long"
		if !test && !script || strings.HasSuffix(name, "/draws_test.go") {
			return nil
		}
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		bad := drawn
		if script {
			bad = ofTheDay
		}
		if importsRapid.Match(text) && !seeded(t, filepath.Dir(path)) {
			t.Errorf("%s draws by rapid: import internal/seeds in a test of its package, which fixes the seed", name)
		}
		for _, found := range bad.FindAllString(string(text), -1) {
			t.Errorf("%s draws, or minds the day: %s: take the seed of seeds.Of, or of the script", name, found)
		}
		return nil
	}))
}

// seeded tells whether a test of a folder imports what fixes the seed of package rapid.
func seeded(t *testing.T, folder string) bool {
	files, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
	require.NoError(t, err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		if fixesSeeds.Match(text) {
			return true
		}
	}
	return false
}

func TestDrawsBite(t *testing.T) {
	for _, bad := range []string{"seed := rand.Uint64()", "rand.IntN(3)", "uint64(time.Now().UnixNano())"} {
		require.True(t, drawn.MatchString(bad), bad)
	}
	require.False(t, drawn.MatchString("random := rand.New(rand.NewPCG(seeds.Of(t), 1))\nrandom.IntN(3)"))
	require.True(t, ofTheDay.MatchString(`seed=$(date -u +%Y%m%d)`))
}
