package docs_test

import (
	"bytes"
	goflag "flag"
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/printer"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = goflag.Bool("update", false, "write testdata/api anew")

// public are the packages that other programs import.
var public = []string{
	"pebble", "target", "target/avro", "task", "delegate", "memory", "memory/pages", "container", "distribution", "route",
	"reduce", "termination", "model", "tune", "coalesce", "netio", "ingest", "ingest/parquet", "export", "export/parquet",
}

// The exports of packages agree with their files in testdata/api: a change shows in the diff of a commit.
func TestAPI(t *testing.T) {
	for _, folder := range public {
		t.Run(folder, func(t *testing.T) {
			got := exports(t, folder)
			golden := filepath.Join("testdata", "api", strings.ReplaceAll(folder, "/", "-")+".txt")
			if *update {
				require.NoError(t, os.MkdirAll(filepath.Dir(golden), 0o755))
				require.NoError(t, os.WriteFile(golden, []byte(got), 0o600))
			}
			want, err := os.ReadFile(golden)
			require.NoError(t, err)
			require.Equal(t, string(want), got,
				"if that is meant: go test ./internal/docs -run API -update, and a line in CHANGELOG.md")
		})
	}
}

// exports returns the exports of a package, as source without bodies and comments.
func exports(t *testing.T, folder string) string {
	t.Helper()
	fset, p := packageOf(t, folder)
	var lines []string
	add := func(node any) {
		var b bytes.Buffer
		require.NoError(t, printer.Fprint(&b, fset, node))
		lines = append(lines, b.String())
	}
	eachExport(p, func(v *doc.Value) { add(v.Decl) }, func(f *doc.Func, _ string) {
		f.Decl.Body = nil
		add(f.Decl)
	}, func(of *doc.Type) { add(of.Decl) })
	slices.Sort(lines)
	return fmt.Sprintln(strings.Join(lines, "\n\n"))
}

// eachExport calls a function for each export of a package. Methods have the name of their type and a dot.
func eachExport(p *doc.Package, value func(v *doc.Value), function func(f *doc.Func, of string),
	is func(of *doc.Type)) {
	all := func(values []*doc.Value, functions []*doc.Func, of string) {
		for _, v := range values {
			value(v)
		}
		for _, f := range functions {
			function(f, of)
		}
	}
	all(slices.Concat(p.Consts, p.Vars), p.Funcs, "")
	for _, of := range p.Types {
		is(of)
		all(slices.Concat(of.Consts, of.Vars), of.Funcs, "")
		all(nil, of.Methods, of.Name+".")
	}
}

// packageOf returns the exports of a package, without its tests.
func packageOf(t *testing.T, folder string) (*token.FileSet, *doc.Package) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("..", "..", filepath.FromSlash(folder), "*.go"))
	require.NoError(t, err)
	fset, files := token.NewFileSet(), []*ast.File(nil)
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		files = append(files, f)
	}
	p, err := doc.NewFromFiles(fset, files, folder)
	require.NoError(t, err)
	return fset, p
}
