package walls_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// root is the module's folder.
var root = filepath.Join("..", "..")

// eachFile calls do with the text of each file of the module whose name, from its root, is wanted. It skips folders of
// test data, hidden ones except .ci, and separate modules, whose imports are in their go.mod.
func eachFile(t *testing.T, wanted func(name string) bool, do func(name string, text []byte)) {
	t.Helper()
	files := 0
	require.NoError(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		require.NoError(t, err)
		name = filepath.ToSlash(name)
		if entry.IsDir() {
			hidden := strings.HasPrefix(entry.Name(), ".") && name != "." && name != ".ci"
			_, err := os.Stat(filepath.Join(path, "go.mod"))
			if entry.Name() == "testdata" || hidden || err == nil && name != "." {
				return filepath.SkipDir
			}
			return nil
		}
		if files++; wanted(name) {
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			do(name, text)
		}
		return nil
	}))
	require.Greater(t, files, 500, "the walk has missed the tree")
}

func isGo(name string) bool { return strings.HasSuffix(name, ".go") }

func isCode(name string) bool { return isGo(name) && !strings.HasSuffix(name, "_test.go") }

// TestTree checks every file of the module against the walls, for all systems.
func TestTree(t *testing.T) {
	eachFile(t, isGo, func(name string, source []byte) {
		for _, breach := range breaches(t, path.Dir(name), path.Base(name), source) {
			t.Errorf("%s %s", name, breach)
		}
	})
}

// TestTreeBites breaks each wall once.
func TestTreeBites(t *testing.T) {
	for _, c := range []struct{ folder, name, source, breach string }{
		{"route", "a.go", `import "os"`, "must not import os"},
		{"reduce", "a.go", `import "math/rand/v2"`, "must not import math/rand/v2"},
		{"coalesce", "a.go", `import "time"; var d = time.Now()`, "must not call time.Now"},
		{"coalesce", "a.go", `import clock "time"; var d = clock.Now()`, "must not call time.Now"},
		{"termination", "a.go", `import _ "` + module + `/pebble"`, "must not import " + module + "/pebble"},
		{"apps/bfs", "a.go", `import _ "` + module + `/apps/appstest"`, "must not import " + module + "/apps/appstest"},
		{"apps/appstest", "a.go", `import _ "` + module + `/apps"`, "must not import " + module + "/apps"},
		{"apps/appstest", "a.go", `import _ "` + module + `/container"`, "must not import " + module + "/container"},
		{"coalesce", "a.go", `import _ "` + module + `/netio/tcp"`, "must not import " + module + "/netio/tcp"},
		{"netio/shm", "a.go", `import _ "` + module + `/netio/tcp"`, "must not import " + module + "/netio/tcp"},
		{"apps/bfs", "a.go", `import _ "` + module + `/internal/engine"`, "must not import " + module + "/internal/engine"},
		{"lab", "a.go", `import _ "` + module + `/cmd/pebbles"`, "must not import " + module + "/cmd/pebbles"},
		{"target", "a.go", `import _ "net"`, "must not import net"},
		{"target", "a.go", `import _ "github.com/linkedin/goavro/v2"`, "must not import github.com/linkedin/goavro/v2"},
		{"target", "a_test.go", `import _ "github.com/linkedin/goavro/v2"`, "must not import github.com/linkedin/goavro/v2"},
		{"cmd/pebbles", "a_test.go", `import _ "example.org/new"`, "must not import example.org/new"},
		{"newcomer", "a.go", ``, "is in a folder of no layer: add it to the table"},
	} {
		require.Equal(t, []string{c.breach}, breaches(t, c.folder, c.name, []byte("package a\n"+c.source)), c)
	}
	require.Empty(t, breaches(t, "coalesce", "a_test.go",
		[]byte(`package a; import ("os"; "time"); var _, _ = os.Args, time.Now()`)))
}

// breaches returns the violations of walls by a file.
func breaches(t *testing.T, folder, name string, source []byte) (all []string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), name, source, parser.SkipObjectResolution)
	require.NoError(t, err)
	if layerOf(folder) < 0 {
		return []string{"is in a folder of no layer: add it to the table"}
	}
	test := strings.HasSuffix(name, "_test.go")
	timeName := ""
	for _, spec := range file.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		require.NoError(t, err)
		if !may(folder, imported, test) {
			all = append(all, "must not import "+imported)
		}
		if imported == "time" {
			timeName = "time"
			if spec.Name != nil {
				timeName = spec.Name.Name
			}
		}
	}
	if test || mayTime(folder) {
		return all
	}
	ast.Inspect(file, func(n ast.Node) bool {
		selector, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if of, ok := selector.X.(*ast.Ident); ok && of.Name == timeName && slices.Contains(clock, selector.Sel.Name) {
			all = append(all, "must not call time."+selector.Sel.Name)
		}
		return true
	})
	return all
}

// importers are the folders that may import a transport: the multiplexer and the start of jobs depend on TCP, and
// programs choose libfabric. No other transport depends on either.
var importers = map[string]string{
	"netio/tcp": "netio/tcp netio/internal/mux netio/connect netio/netiotest internal/launch apps/appstest lab/worlds",
	"netio/ofi": "netio/ofi cmd/internal/command lab/fabrics",
}

// Only libfabric itself and the command depend on libfabric, and no transport is built on the internals of TCP.
func TestTransportsAreApart(t *testing.T) {
	used := map[string]int{}
	eachFile(t, isCode, func(name string, source []byte) {
		file, err := parser.ParseFile(token.NewFileSet(), name, source, parser.ImportsOnly)
		require.NoError(t, err)
		for _, spec := range file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			require.NoError(t, err)
			transport := strings.TrimPrefix(imported, module+"/")
			if allowed, ok := importers[transport]; ok {
				used[transport]++
				assert.Contains(t, strings.Fields(allowed), path.Dir(name), "%s must not import %s", name, imported)
			}
		}
	})
	require.False(t, slices.Contains([]int{used["netio/tcp"], used["netio/ofi"]}, 0), "the walk has missed the tree")
}
