package walls_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestInternalTypesStayInside checks that packages of programs export no type of an internal package.
func TestInternalTypesStayInside(t *testing.T) {
	seen, folders := map[string]bool{}, strings.Fields("coalesce container delegate distribution "+
		"export ingest memory memory/pages model pebble reduce route target task termination tune")
	ofPrograms := func(name string) bool { return isCode(name) && slices.Contains(folders, path.Dir(name)) }
	eachFile(t, ofPrograms, func(name string, source []byte) {
		seen[path.Dir(name)] = true
		if name == "pebble/errors.go" || name == "coalesce/counters.go" {
			return // aliases of errors and counters, whose fields programs see
		}
		require.Empty(t, leaks(t, source), name)
	})
	require.Len(t, seen, len(folders))
}

func TestInternalTypesStayInsideBites(t *testing.T) {
	const head = "package a\nimport \"" + module + "/internal/engine\"\nimport \"" + module + "/netio\"\n"
	for source, want := range map[string][]string{
		"type A struct { B int; C *engine.Rank }":              {"A"},
		"type A struct { b engine.Rank; *engine.Rank }":        {"A"},
		"type A = engine.Rank":                                 {"A"},
		"type A func(engine.Plan)":                             {"A"},
		"type A interface { B(engine.Plan) }":                  {"A"},
		"func A() *engine.Rank { return nil }":                 {"A"},
		"func A(func(engine.Rank)) { }":                        {"A"},
		"func (*B[V]) A() engine.Rank { return nil }":          {"A"},
		"var A engine.Rank":                                    {"A"},
		"type A struct { b engine.Rank; c []*engine.Rank }":    nil,
		"type a struct { B engine.Rank }":                      nil,
		"func A(netio.Place) { var r engine.Rank }":            nil,
		"func a(engine.Rank) { }":                              nil,
		"func (A) B(frame.Access) *engine.Rank { return nil }": nil,
		"func (a) A() engine.Rank { return nil }":              nil,
		"func (A) b() engine.Rank { return nil }":              nil,
	} {
		require.Equal(t, want, leaks(t, []byte(head+source)), source)
	}
}

// leaks returns the exported names of a file whose types belong to internal packages.
func leaks(t *testing.T, source []byte) (names []string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "", source, 0)
	require.NoError(t, err)
	internal := map[string]bool{}
	for _, spec := range file.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		require.NoError(t, err)
		if strings.HasPrefix(path, module+"/") && strings.Contains(path, "/internal/") {
			internal[path[strings.LastIndex(path, "/")+1:]] = true
		}
	}
	note := func(name *ast.Ident, types ast.Node) {
		if name.IsExported() && types != nil && mentions(types, internal) {
			names = append(names, name.Name)
		}
	}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			exported := d.Recv == nil || ast.IsExported(receiver(d.Recv.List[0].Type))
			if exported && !takesKey(d.Type) {
				note(d.Name, d.Type)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch s := spec.(type) {
				case *ast.TypeSpec:
					note(s.Name, s.Type)
				case *ast.ValueSpec:
					if s.Type != nil {
						note(s.Names[0], s.Type)
					}
				}
			}
		}
	}
	return names
}

// takesKey reports whether a function has a parameter of type frame.Access: only packages of this module can call it.
func takesKey(f *ast.FuncType) bool {
	return slices.ContainsFunc(f.Params.List, func(p *ast.Field) bool {
		t, ok := p.Type.(*ast.SelectorExpr)
		return ok && t.Sel.Name == "Access"
	})
}

// mentions reports whether the visible parts of types belong to the packages.
func mentions(types ast.Node, packages map[string]bool) (found bool) {
	ast.Inspect(types, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field:
			hidden := len(n.Names) > 0
			for _, name := range n.Names {
				hidden = hidden && !name.IsExported()
			}
			if _, isStruct := types.(*ast.StructType); hidden && isStruct {
				return false
			}
		case *ast.SelectorExpr:
			of, ok := n.X.(*ast.Ident)
			found = found || ok && packages[of.Name]
		}
		return true
	})
	return found
}
