package guides_test

import (
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// lines is how many lines of a Go file, which must be as gofmt writes it, are neither blank nor a comment; body leaves
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

func TestCount(t *testing.T) {
	require.Equal(t, 2, count("// a\n\nvar a = 1 // one\n\t// b\n\tb()\n"))
	all, body := lines(t, "lines_test.go")
	require.Equal(t, 10, all-body)
}
