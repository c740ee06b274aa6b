package walls_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The top level has few folders, so that readers find names there.
func TestTopLevel(t *testing.T) {
	const folders = "apps checkpoint cmd coalesce container delegate distribution docs examples export ingest " +
		"internal lab memory " +
		"model netio pebble reduce route target task termination tune"
	entries, err := os.ReadDir(root)
	require.NoError(t, err)
	var there []string
	for _, e := range entries {
		if e.IsDir() && !strings.HasPrefix(e.Name(), ".") {
			there = append(there, e.Name())
		}
	}
	require.Equal(t, strings.Fields(folders), there)
}

const (
	methodsMax = 40
	fieldsMax  = 25
)

// flat are types that are plain records: the results of a run, or the description of a world, field by field; and the
// functions of a C library.
var flat = map[string]bool{
	"apps/nbody.Result": true, "model.Prediction": true, "netio/ofi.libfabric": true,
}

// large are types that still have more than one idea, with the number of their methods or fields. None joins them, and
// none grows.
var large = map[string]int{"netio/ofi.Way": 35, "netio/ofi.peer": 28}

// A type has one idea: few methods and few fields.
func TestTypesHaveOneIdea(t *testing.T) {
	methods, fields := map[string]int{}, map[string]int{}
	eachFile(t, isCode, func(name string, source []byte) { count(t, path.Dir(name), source, methods, fields) })
	require.Greater(t, len(fields), 500, "the walk has missed the tree")
	for name, n := range methods {
		assert.LessOrEqual(t, n, max(methodsMax, large[name]), "%s has %d methods: which parts have one idea each?", name, n)
	}
	for name, n := range fields {
		assert.True(t, n <= max(fieldsMax, large[name]) || flat[name], "%s has %d fields: which parts have one idea each?",
			name, n)
	}
	for name := range large {
		assert.True(t, methods[name] > methodsMax || fields[name] > fieldsMax, "%s need not be excused", name)
	}
	for name := range flat {
		require.Greater(t, fields[name], fieldsMax, "%s need not be excused", name)
	}
}

func TestCountOfTypes(t *testing.T) {
	methods, fields := map[string]int{}, map[string]int{}
	count(t, "a", []byte(`package a
type A[V any] struct { b, c int; D; e struct { f int } }
func (a *A[V]) M() {}
func (A[V]) N() {}
func f() {}
`), methods, fields)
	require.Equal(t, map[string]int{"a.A": 2}, methods)
	require.Equal(t, map[string]int{"a.A": 4}, fields)
}

// count adds the methods and fields of the types of a file.
func count(t *testing.T, folder string, source []byte, methods, fields map[string]int) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "", source, parser.SkipObjectResolution)
	require.NoError(t, err)
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv != nil {
				methods[folder+"."+receiver(d.Recv.List[0].Type)]++
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				s, ok := spec.(*ast.TypeSpec)
				if !ok {
					continue
				}
				of, ok := s.Type.(*ast.StructType)
				if !ok {
					continue
				}
				name := folder + "." + s.Name.Name
				for _, f := range of.Fields.List {
					fields[name] += max(len(f.Names), 1)
				}
			}
		}
	}
}

// receiver returns the name of a receiver's type.
func receiver(of ast.Expr) string {
	switch of := of.(type) {
	case *ast.StarExpr:
		return receiver(of.X)
	case *ast.IndexExpr:
		return receiver(of.X)
	case *ast.IndexListExpr:
		return receiver(of.X)
	case *ast.Ident:
		return of.Name
	}
	return ""
}
