package docs_test

import (
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// importers returns the folders whose files import a module, without those of its tests.
func importers(t *testing.T, module string) map[string]bool {
	t.Helper()
	all := map[string]bool{}
	for _, name := range files(t, ".go") {
		if strings.HasSuffix(name, "_test.go") || strings.Contains(name, "testdata") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, name), nil, parser.ImportsOnly)
		require.NoError(t, err)
		for _, i := range f.Imports {
			imported, err := strconv.Unquote(i.Path.Value)
			require.NoError(t, err)
			if imported == module || strings.HasPrefix(imported, module+"/") {
				all[path.Dir(name)] = true
			}
		}
	}
	return all
}

// within reports whether a folder is one of a list, or below one.
func within(folder string, list []string) bool {
	for _, l := range list {
		if folder == l || strings.HasPrefix(folder, l+"/") {
			return true
		}
	}
	return false
}

// TestModules compares the table of dependencies with go.mod and with the packages that import each module.
func TestModules(t *testing.T) {
	rows := map[string][]string{} // cells by module
	for line := range strings.Lines(read(t, "docs/dependencies.md")) {
		if cells := strings.Split(line, " | "); len(cells) == 6 {
			for _, module := range strings.Split(strings.Trim(cells[0], "| "), ", ") {
				rows[strings.Trim(module, "`")] = cells
			}
		}
	}
	direct := regexp.MustCompile(`(?m)^\s(\S+) (v\S+)$`).FindAllStringSubmatch(read(t, "go.mod"), -1)
	require.NotEmpty(t, direct)
	for _, required := range direct {
		module, version := required[1], required[2]
		cells := rows[module]
		if !assert.NotNil(t, cells, "docs/dependencies.md has no row for %s", module) {
			continue
		}
		same := strings.HasPrefix(version, cells[1])
		assert.True(t, same, "docs/dependencies.md: %s is %s, not %s", module, version, cells[1])
		list := strings.FieldsFunc(cells[4], func(r rune) bool { return r == '`' || r == ',' || r == ' ' })
		for folder := range importers(t, module) {
			testing := strings.Contains(folder, "test") || strings.Contains(cells[4], "tests")
			assert.True(t, testing || within(folder, list), "docs/dependencies.md: %s is imported by %s", module, folder)
		}
	}
}

func TestWithin(t *testing.T) {
	require.True(t, within("netio/shm", []string{"cmd", "netio"}))
	require.False(t, within("netiotest", []string{"cmd", "netio"}))
}
