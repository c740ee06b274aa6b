package docs_test

import (
	"go/ast"
	"go/doc"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// ofRuntime matches names that only the runtime uses, in packages that programs use too.
var ofRuntime = regexp.MustCompile(`^(distribution\.(Proven|Batcher|BlockMap\.Shift|Describer|Directory\..*|HashMap)|` +
	`memory\.(ReadOnly|WriteOnly|Sites)|` +
	`pebble\.(AddressCacheDefault|PageCacheDefault|Config\.CreditsFor|Rank\.AllGatherBytes)|` +
	`route\.(Proven|TableBytes|Degreed|NewLinks|Links.*|Mark.*|Plan.*|NewPlan|Watching)|` +
	`reduce\.(SizeMax|Advice|NewFixedCache|Cache\.(Price|SlotSize)|Kind\.(Keeping|WriteBack)))$`)

// Each name for programs is shown: by an application, an example, the command or a guide.
func TestNamesAreShown(t *testing.T) {
	used := usedNames(t)
	for _, folder := range strings.Fields("pebble target memory memory/pages task delegate distribution route reduce") {
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

// usedNames returns the names in all text that shows the use of packages.
func usedNames(t *testing.T) map[string]bool {
	t.Helper()
	used := map[string]bool{}
	for _, name := range files(t, ".go", ".md") {
		first, _, _ := strings.Cut(name, "/")
		text := read(t, name)
		shows := slices.Contains([]string{"apps", "examples", "cmd", "docs"}, first) ||
			strings.HasSuffix(name, "_test.go") && strings.Contains(text, "\nfunc Example")
		if shows {
			for _, w := range word.FindAllString(text, -1) {
				used[w] = true
			}
		}
	}
	return used
}

// exportedNames returns the functions, methods, constants and variables of a package for programs.
func exportedNames(t *testing.T, folder string) (names []string) {
	t.Helper()
	_, p := packageOf(t, folder)
	eachExport(p, func(v *doc.Value) { names = append(names, v.Names...) }, func(*doc.Func, string) {}, func(*doc.Type) {})
	return append(names, functionsOf(t, folder)...)
}

// takesKey reports whether a function takes a frame.Access, so that programs can't call it.
func takesKey(f *ast.FuncType) bool {
	return slices.ContainsFunc(f.Params.List, func(p *ast.Field) bool {
		t, ok := p.Type.(*ast.SelectorExpr)
		return ok && t.Sel.Name == "Access"
	})
}
