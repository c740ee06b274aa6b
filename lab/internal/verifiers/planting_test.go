package verifiers

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/lab/internal/overlay"
)

// plantedVariable is the environment variable that selects the fault of a build.
const plantedVariable = "PEBBLES_PLANTED_FAULT"

// planting is a build with many faults. Each changed function has the fault's body before its own, for use when the
// environment selects it.
type planting struct {
	faults []mutation
	files  map[string]*patched // by their names from the module's root
}

// patched is a file, and the text to insert at some of its offsets.
type patched struct {
	text   string
	insert map[int]string
}

// plant makes a build of faults, and returns those that change more than bodies of functions.
func plant(t *testing.T, all []mutation) (together planting, alone []mutation) {
	t.Helper()
	together.files = map[string]*patched{}
	for _, m := range all {
		file := together.files[m.file]
		if file == nil {
			file = &patched{read(t, filepath.Join(overlay.Root(t), filepath.FromSlash(m.file))), map[int]string{}}
		}
		if file.add(t, strings.Replace(file.text, m.good, m.bad, 1), len(together.faults)+1) {
			together.files[m.file] = file
			together.faults = append(together.faults, m)
		} else {
			alone = append(alone, m)
		}
	}
	return together, alone
}

// add puts the bodies of functions that a fault changes into the file, under its number. It reports whether that is
// all.
func (p *patched) add(t *testing.T, bad string, number int) bool {
	t.Helper()
	was, is := declarations(t, p.text), declarations(t, bad)
	if len(was) != len(is) {
		return false
	}
	insert := map[int]string{}
	for i := range was {
		if was[i].text == is[i].text {
			continue
		}
		f := is[i].function
		if f == nil || was[i].function == nil || was[i].head() != is[i].head() || labelled(f) {
			return false
		}
		body := is[i].text[is[i].body : len(is[i].text)-1]
		if f.Type.Results == nil {
			body += "\nreturn\n"
		}
		insert[was[i].at+was[i].body] = fmt.Sprintf("\nif plantedFault == %d {%s}\n", number, body)
	}
	for at, text := range insert {
		p.insert[at] += text
	}
	return len(insert) > 0
}

// declaration is one declaration of a file: its offset, its text, and the offset of its body in it if it is a function.
type declaration struct {
	at, body int
	text     string
	function *ast.FuncDecl
}

func (d declaration) head() string { return d.text[:d.body] }

// declarations parses a file. The first one holds all text outside the others.
func declarations(t *testing.T, text string) []declaration {
	t.Helper()
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "", text, parser.ParseComments)
	require.NoError(t, err)
	all := []declaration{{}}
	from := 0
	for _, d := range file.Decls {
		at, end := files.Position(d.Pos()).Offset, files.Position(d.End()).Offset
		one := declaration{at: at, text: text[at:end]}
		if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil {
			one.function, one.body = f, files.Position(f.Body.Lbrace).Offset+1-at
		}
		all[0].text += text[from:at]
		all, from = append(all, one), end
	}
	all[0].text += text[from:]
	return all
}

// labelled reports whether a function has labels, which would be duplicated.
func labelled(f *ast.FuncDecl) (has bool) {
	ast.Inspect(f, func(n ast.Node) bool {
		_, label := n.(*ast.LabeledStmt)
		has = has || label
		return true
	})
	return has
}

// changes returns the files of the build, and one more in each package with faults.
func (p planting) changes(t *testing.T) (all []overlay.Change) {
	t.Helper()
	packages := map[string]bool{}
	for name, file := range p.files {
		text, from := "", 0
		for _, at := range slices.Sorted(maps.Keys(file.insert)) {
			text += file.text[from:at] + file.insert[at]
			from = at
		}
		all = append(all, overlay.Change{File: name, Good: file.text, Bad: text + file.text[from:]})
		if folder := path.Dir(name); !packages[folder] {
			packages[folder] = true
			parsed, err := parser.ParseFile(token.NewFileSet(), "", file.text, parser.PackageClauseOnly)
			require.NoError(t, err)
			all = append(all, overlay.Change{File: folder + "/planted_fault.go", Bad: fmt.Sprintf("package %s\n\n"+
				"import (\n\t\"os\"\n\t\"strconv\"\n)\n\nvar plantedFault, _ = strconv.Atoi(os.Getenv(%q))\n",
				parsed.Name.Name, plantedVariable)})
		}
	}
	return all
}

// build makes the programs of all tests that find the faults, and returns them by folder. It uses one command, except
// for packages with equal names.
func (p planting) build(t *testing.T) (programs map[string]string) {
	t.Helper()
	programs = map[string]string{}
	changes := p.changes(t)
	for left := p.faults; len(left) > 0; {
		into := t.TempDir() + "/"
		args := []string{"-vet=off", "-c", "-o", into}
		names := map[string]string{}
		var later []mutation
		for _, m := range left {
			folder, _ := m.where()
			name := path.Base(folder) + ".test"
			switch names[name] {
			case folder:
			case "":
				names[name], programs[folder] = folder, into+name
				args = append(args, "./"+folder)
			default:
				later = append(later, m)
			}
		}
		overlay.Build(t, changes, "test", args...)
		left = later
	}
	return programs
}

// TestPlanting requires that a function gets the body of a fault before its own. Other changes are not planted.
func TestPlanting(t *testing.T) {
	p := &patched{"package a\n\nconst n = 1\n\nfunc f() int {\n\treturn n\n}\n\nfunc g() {\n\tf()\n}\n", map[int]string{}}
	require.True(t, p.add(t, strings.Replace(p.text, "return n", "return 2", 1), 3))
	require.True(t, p.add(t, strings.Replace(p.text, "\tf()\n", "", 1), 4))
	require.False(t, p.add(t, strings.Replace(p.text, "n = 1", "n = 2", 1), 5))
	require.False(t, p.add(t, strings.Replace(p.text, "func g()", "func h()", 1), 5))
	changes := planting{files: map[string]*patched{"model/a.go": p}}.changes(t)
	require.Equal(t, "package a\n\nconst n = 1\n\nfunc f() int {\nif plantedFault == 3 {\n\treturn 2\n}\n\n\treturn "+
		"n\n}\n\n"+
		"func g() {\nif plantedFault == 4 {\n\nreturn\n}\n\n\tf()\n}\n", changes[0].Bad)
	require.Equal(t, "model/planted_fault.go", changes[1].File)
}
