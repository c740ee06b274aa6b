package guides_test

import (
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// lines returns the number of lines of a Go file, in gofmt's form, that are neither blank nor a comment; body leaves
// out the package clause and the imports.
func lines(t *testing.T, file string) (all, body int) {
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	formatted, err := format.Source(text)
	require.NoError(t, err)
	require.Equal(t, string(formatted), string(text), "run gofmt on %s", file)
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, file, text, parser.ImportsOnly)
	require.NoError(t, err)
	imports := parsed.Decls[len(parsed.Decls)-1]
	return count(string(text)), count(string(text[files.Position(imports.End()).Offset:]))
}

func count(text string) (n int) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "//") {
			n++
		}
	}
	return n
}

func TestRandomAccessIsUnder30Lines(t *testing.T) {
	all, _ := lines(t, "../randomaccess/main.go")
	require.Less(t, all, 30)
}

func TestTasksAreUnder60Lines(t *testing.T) {
	for _, file := range []string{"../chase/main.go", "../lookup/main.go", "../stencil/main.go", "../workqueue/main.go"} {
		all, _ := lines(t, file)
		require.Less(t, all, 60, file)
	}
}

func TestTopologyIsUnder15Lines(t *testing.T) {
	_, body := lines(t, "../topology/grid.go")
	require.Less(t, body, 15)
}

// lengthOf returns the number of lines of a function, from its name to its last brace, that are neither blank nor a
// comment.
func lengthOf(t *testing.T, file, name string) int {
	lines(t, file) // requires gofmt
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, file, text, parser.SkipObjectResolution)
	require.NoError(t, err)
	for _, d := range parsed.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == name {
			return count(string(text[files.Position(f.Pos()).Offset:files.Position(f.End()).Offset]))
		}
	}
	require.FailNow(t, "no such function", "%s has no function %s", file, name)
	return 0
}

// A whole job over containers, files included, is as short as docs/guide-containers.md claims.
func TestContainersAreShort(t *testing.T) {
	for program, most := range map[string]int{"topwords": 15, "kmercount": 30, "ranking": 40, "joined": 30} {
		require.LessOrEqual(t, lengthOf(t, "../"+program+"/main.go", "run"), most, program)
	}
}

func TestCount(t *testing.T) {
	require.Equal(t, 2, count("// a\n\nvar a = 1 // one\n\t// b\n\tb()\n"))
	all, body := lines(t, "lines_test.go")
	require.Equal(t, 11, all-body)
	require.Equal(t, 4, lengthOf(t, "lines_test.go", "TestTopologyIsUnder15Lines"))
}
