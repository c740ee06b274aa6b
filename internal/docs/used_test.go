package docs_test

import (
	"go/doc"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// ofRuntime are names that the runtime uses alone, in packages that both use.
var ofRuntime = regexp.MustCompile(`^(distribution\.(Proven|Batcher|BlockMap\.Shift|Describer|Directory\..*|HashMap)|` +
	`memory\.(ReadOnly|WriteOnly|Inside.*|Sites|Space\.Inside)|pebble\.(AddressCacheDefault|PageCacheDefault|Config\.CreditsFor)|` +
	`route\.(Proven|TableBytes|Degreed|NewLinks|Links.*|Mark.*|Plan.*|NewPlan|Watching)|` +
	`reduce\.(SizeMax|Advice|NewFixedCache|Cache\.(Price|SlotSize)|Kind\.(Keeping|WriteBack)))$`)

// Each name that programs may use is shown: by an application, an example, the command or a guide.
func TestNamesAreShown(t *testing.T) {
	used := usedNames(t)
	for _, folder := range []string{"pebble", "target", "memory", "memory/pages", "task", "delegate", "distribution", "route", "reduce"} {
		var unused []string
		for _, name := range exportedNames(t, folder) {
			if !used[name[strings.LastIndex(name, ".")+1:]] && !ofRuntime.MatchString(folder+"."+name) {
				unused = append(unused, name)
			}
		}
		assert.Empty(t, unused, "package %s", folder)
	}
}

// word finds names in text.
var word = regexp.MustCompile(`\b[A-Z]\w*`)

// usedNames are the names in what shows how packages are used.
func usedNames(t *testing.T) map[string]bool {
	t.Helper()
	used := map[string]bool{}
	root := filepath.Join("..", "..")
	require.NoError(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		shows := slices.ContainsFunc([]string{"apps/", "examples/", "cmd/"}, func(folder string) bool {
			return strings.HasPrefix(name, folder)
		}) || strings.HasPrefix(name, "docs/")
		if !shows && !strings.HasSuffix(name, "_test.go") || !strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, ".md") {
			return nil
		}
		text, err := os.ReadFile(path)
		if !shows && !strings.Contains(string(text), "\nfunc Example") {
			return err
		}
		for _, w := range word.FindAllString(string(text), -1) {
			used[w] = true
		}
		return err
	}))
	return used
}

// exportedNames are the functions, methods, constants and variables of a package.
func exportedNames(t *testing.T, folder string) (names []string) {
	t.Helper()
	_, p := packageOf(t, folder)
	values := func(all []*doc.Value) {
		for _, v := range all {
			names = append(names, v.Names...)
		}
	}
	functions := func(all []*doc.Func, of string) {
		for _, f := range all {
			names = append(names, of+f.Name)
		}
	}
	values(p.Consts)
	values(p.Vars)
	functions(p.Funcs, "")
	for _, of := range p.Types {
		values(of.Consts)
		values(of.Vars)
		functions(of.Funcs, "")
		functions(of.Methods, of.Name+".")
	}
	return names
}
