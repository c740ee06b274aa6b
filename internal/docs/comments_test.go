package docs_test

import (
	"go/doc/comment"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// statement matches a block of a comment that is Go code, unlike tables and commands.
var statement = regexp.MustCompile(`(?m):=|^type \w+ |^return |func\(.*\{`)

// goBlocks returns the blocks of Go code in a package comment.
func goBlocks(text string) (blocks []string) {
	parsed := new(comment.Parser).Parse(text)
	for _, b := range parsed.Content {
		if code, ok := b.(*comment.Code); ok && statement.MatchString(code.Text) {
			blocks = append(blocks, code.Text)
		}
	}
	return blocks
}

// packageComment returns the comment of a package, from any of its files.
func packageComment(t *testing.T, folder string) string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(root, folder, "*.go"))
	require.NoError(t, err)
	for _, path := range paths {
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments|parser.PackageClauseOnly)
		require.NoError(t, err)
		if f.Doc != nil && !strings.HasSuffix(path, "_test.go") {
			return f.Doc.Text()
		}
	}
	return ""
}

// unindented returns a text without the indentation of its lines.
func unindented(text string) string {
	var b strings.Builder
	for line := range strings.Lines(strings.Trim(text, "\n")) {
		b.WriteString(strings.TrimSpace(line) + "\n")
	}
	return "\n" + b.String()
}

// shown returns the text of a package's files with examples.
func shown(t *testing.T, folder string) string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(root, folder, "*_test.go"))
	require.NoError(t, err)
	var all strings.Builder
	for _, path := range paths {
		name, err := filepath.Rel(root, path)
		require.NoError(t, err)
		if text := read(t, name); strings.Contains(text, "\nfunc Example") {
			all.WriteString(unindented(text))
		}
	}
	return all.String()
}

// TestCodeInPackageComments requires the code of package comments to occur in an example, which the compiler checks.
func TestCodeInPackageComments(t *testing.T) {
	found := 0
	for _, folder := range public {
		for _, block := range goBlocks(packageComment(t, folder)) {
			found++
			require.Contains(t, shown(t, folder), unindented(block), "package %s: no example has this code", folder)
		}
	}
	require.Greater(t, found, 5)
}

func TestGoBlocksAreFound(t *testing.T) {
	text := "Package a is code.\n\n\tx := 1\n\n# A table\n\n\tname  x\n\tb     1\n\nText.\n\n\ttype T struct{}\n"
	require.Equal(t, []string{"x := 1\n", "type T struct{}\n"}, goBlocks(text))
	require.True(t, slices.Equal(nil, goBlocks("Package a is text with x := 1.")))
	require.Equal(t, "\na\nb\n", unindented("\ta\n\t\tb\n"))
}
