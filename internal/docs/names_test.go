package docs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A module is what there is to be named.
type module struct {
	folders map[string]bool            // at the root
	names   map[string]map[string]bool // of each package: functions, types, methods, fields, constants and variables
	strings map[string]bool            // literals, of which flags are some
}

// load parses the module's Go files.
func load(t *testing.T) module {
	t.Helper()
	m := module{folders: map[string]bool{}, names: map[string]map[string]bool{}, strings: map[string]bool{}}
	entries, err := os.ReadDir(root)
	require.NoError(t, err)
	for _, e := range entries {
		m.folders[e.Name()] = e.IsDir()
	}
	for _, name := range files(t, ".go") {
		if strings.HasSuffix(name, "_test.go") || strings.Contains(name, "testdata") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, name), nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		m.add(file)
	}
	return m
}

func (m module) add(file *ast.File) {
	names := m.names[file.Name.Name]
	if names == nil {
		names = map[string]bool{}
		m.names[file.Name.Name] = names
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			names[n.Name.Name] = true
		case *ast.TypeSpec:
			names[n.Name.Name] = true
		case *ast.ValueSpec:
			for _, name := range n.Names {
				names[name.Name] = true
			}
		case *ast.Field:
			for _, name := range n.Names {
				names[name.Name] = true
			}
		case *ast.BasicLit:
			if text, err := strconv.Unquote(n.Value); n.Kind == token.STRING && err == nil {
				m.strings[text] = true
			}
		}
		return true
	})
}

var (
	fenced = regexp.MustCompile("(?s)```.*?```")
	code   = regexp.MustCompile("`([^`\n]+)`")
	flag   = regexp.MustCompile(`--([a-z][a-z0-9-]+)`)
	dotted = regexp.MustCompile(`^([a-z]+)((?:\.[A-Za-z]\w*)+)(?:\(.*\))?$`)
	link   = regexp.MustCompile(`\]\(([^)#:\s]+)(?:#[^)]*)?\)`)
)

// wrong says which names in a document's prose there are not: paths and identifiers that stand alone between backquotes, flags
// of commands there, and links.
func (m module) wrong(text string) (all []string) {
	prose := fenced.ReplaceAllString(text, "")
	for _, found := range code.FindAllStringSubmatch(prose, -1) {
		all = append(all, m.wrongCode(found[1])...)
	}
	for _, found := range link.FindAllStringSubmatch(prose, -1) {
		if !exists(found[1]) && !exists(path.Join("docs", found[1])) && !exists(path.Join("docs/decisions", found[1])) {
			all = append(all, "there is no "+found[1])
		}
	}
	return all
}

func (m module) wrongCode(text string) (all []string) {
	for _, found := range flag.FindAllStringSubmatch(text, -1) {
		if !m.strings[found[1]] && !strings.HasPrefix(text, "git ") && found[1] != "help" {
			all = append(all, "there is no flag --"+found[1])
		}
	}
	for _, word := range strings.Fields(text) {
		first, _, isPath := strings.Cut(word, "/")
		ours := m.folders[first] || first != "" && first != "~" && regexp.MustCompile(`(/|\.go|\.md)$`).MatchString(word)
		if isPath && ours && !exists(strings.TrimSuffix(word, "/...")) {
			all = append(all, "there is no "+word)
		}
	}
	if found := dotted.FindStringSubmatch(text); found != nil && m.names[found[1]] != nil && !strings.HasSuffix(text, ".go") {
		for _, name := range strings.Split(found[2][1:], ".") {
			if !m.names[found[1]][name] {
				return append(all, "there is no "+text)
			}
		}
	}
	return all
}

// exists reports whether a path or pattern from the module's root leads to something.
func exists(pattern string) bool {
	found, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
	return err == nil && len(found) > 0
}
