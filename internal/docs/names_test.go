package docs_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A module has the names that documents may use.
type module struct {
	folders map[string]bool            // at the root
	names   map[string]map[string]bool // of each package: functions, types, methods, fields, constants and variables
	public  map[string]bool            // exported names of all packages but programs
	members map[string]map[string]bool // methods and fields of each type; types of one name are merged
	within  map[string][]string        // components of a type: embedded types, and the target of an alias
	flags   map[string]bool
	texts   *strings.Builder // string literals, with an ellipsis for each verb
}

// load parses the module's Go files.
func load(t *testing.T) module {
	t.Helper()
	m := module{folders: map[string]bool{}, names: map[string]map[string]bool{}, public: map[string]bool{},
		members: map[string]map[string]bool{}, within: map[string][]string{}, flags: map[string]bool{},
		texts: &strings.Builder{}}
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
	m.texts.WriteString(read(t, ".ci/run")) // it names its stages
	return m
}

func (m module) add(file *ast.File) {
	names := m.names[file.Name.Name]
	if names == nil {
		names = map[string]bool{}
		m.names[file.Name.Name] = names
	}
	named := func(all ...*ast.Ident) {
		for _, name := range all {
			names[name.Name] = true
			m.public[name.Name] = m.public[name.Name] || name.IsExported() && file.Name.Name != "main"
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			named(n.Name)
			if n.Recv != nil {
				m.member(base(n.Recv.List[0].Type), n.Name)
			}
		case *ast.TypeSpec:
			named(n.Name)
			m.member(n.Name.Name)
			m.compose(n.Name.Name, n.Type)
		case *ast.ValueSpec:
			named(n.Names...)
		case *ast.Field:
			named(n.Names...)
		case *ast.CallExpr:
			m.flag(n.Args, strings.Contains(base(n.Fun), "egister"))
		case *ast.CompositeLit:
			m.flag(n.Elts, false)
		case *ast.BasicLit, *ast.BinaryExpr:
			text, ok := literal(n.(ast.Expr))
			if ok {
				m.texts.WriteString(text + "\n")
			}
			return !ok
		}
		return true
	})
}

// member records methods or fields of a type.
func (m module) member(of string, names ...*ast.Ident) {
	if m.members[of] == nil {
		m.members[of] = map[string]bool{}
	}
	for _, name := range names {
		m.members[of][name.Name] = true
	}
}

// compose records the components in a type's declaration.
func (m module) compose(name string, is ast.Expr) {
	var fields *ast.FieldList
	switch is := is.(type) {
	case *ast.StructType:
		fields = is.Fields
	case *ast.InterfaceType:
		fields = is.Methods
	default:
		m.within[name] = append(m.within[name], base(is))
		return
	}
	for _, field := range fields.List {
		m.member(name, field.Names...)
		if len(field.Names) == 0 {
			m.within[name] = append(m.within[name], base(field.Type))
			m.member(name, ast.NewIdent(base(field.Type)))
		}
	}
}

// base returns the name of a type without package, pointer and parameters.
func base(is ast.Expr) string {
	switch is := is.(type) {
	case *ast.Ident:
		return is.Name
	case *ast.SelectorExpr:
		return is.Sel.Name
	case *ast.StarExpr:
		return base(is.X)
	case *ast.IndexExpr:
		return base(is.X)
	case *ast.IndexListExpr:
		return base(is.X)
	}
	return ""
}

// has reports whether a type has a member, directly or through its components.
func (m module) has(of, member string) bool {
	if m.members[of][member] {
		return true
	}
	for _, inner := range m.within[of] {
		if inner != of && m.has(inner, member) {
			return true
		}
	}
	return false
}

// flag records a flag: a call, or an entry of a table, that has its name and, further on, a text of some words. A call
// that registers has the name alone.
func (m module) flag(parts []ast.Expr, registers bool) {
	for i, part := range parts {
		name, ok := literal(part)
		if !ok || !regexp.MustCompile(`^[a-z][a-z0-9-]*$`).MatchString(name) {
			continue
		}
		m.flags[name] = m.flags[name] || registers
		for _, other := range parts[i+1:] {
			usage, ok := literal(other)
			m.flags[name] = m.flags[name] || ok && strings.Contains(usage, " ")
		}
	}
}

// verb matches a variable part of a text.
var verb = regexp.MustCompile(`%[-+# 0-9.*\[\]]*[a-zA-Z]`)

// literal returns the text of concatenated string literals. Verbs of formats, and other expressions, become an
// ellipsis.
func literal(e ast.Expr) (text string, ok bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		return verb.ReplaceAllString(text, "…"), e.Kind == token.STRING && err == nil
	case *ast.ParenExpr:
		return literal(e.X)
	case *ast.BinaryExpr:
		left, isLeft := literal(e.X)
		right, isRight := literal(e.Y)
		if e.Op != token.ADD || !isLeft && !isRight {
			return "", false
		}
		if !isLeft {
			left = "…"
		}
		if !isRight {
			right = "…"
		}
		return left + right, true
	}
	return "", false
}

var (
	fenced  = regexp.MustCompile("(?s)```.*?```")
	code    = regexp.MustCompile("`([^`\n]+)`")
	flag    = regexp.MustCompile(`(?:^|[\s/])(--?)([a-z][a-z0-9-]+)`)
	dotted  = regexp.MustCompile(`^([a-z]+)((?:\.[A-Za-z]\w*)+)(?:\(.*\))?$`)
	ofType  = regexp.MustCompile(`^([A-Z]\w*)\.([A-Z]\w*)(?:\(.*\))?$`)
	single  = regexp.MustCompile(`^[A-Z][A-Za-z0-9]*[a-z][A-Za-z0-9]*(?:\(.*\))?$`)
	link    = regexp.MustCompile(`\]\(([^)#:\s]*)(?:#([^)]*))?\)`)
	heading = regexp.MustCompile(`(?m)^#+ (.*)$`)
	quoted  = regexp.MustCompile(`"([^"\n]*…[^"\n]*)"`)
	message = regexp.MustCompile(`^[a-z0-9…]\S*( \S+){2,}$`)
	rows    = regexp.MustCompile("\\brows?\\s+`[^`]+`((,|\\s+and)\\s+`[^`]+`)*")
	others  = regexp.MustCompile(`^(go|git|make|mawk|tr|jellyfish|kmc|mkdir|node|LC_ALL=C|mpiexec|mpirun|srun|sbatch|` +
		`kubectl|ulimit|openssl|net|btl|pml)\b|^--(mca|mpi)\b`)
	command = regexp.MustCompile(`^pebbles(-lab)? |--|:=|[={}^·×]|\w\(|^\.|/run |^\S+ -`)
)

// foreign are names, flags and texts of others: Kubernetes, Slurm, the system, Go's tools, and libraries.
var foreign = set("ContainerCreating ImagePullBackOff LimitNOFILE OOMKilled Pending StartError Gosched "+
	"MaxBlockCount MaxBlockSize GetOrInsert Del -race -tags --help --help-all", "read-only file system",
	"area: what changes")

func set(words string, texts ...string) map[string]bool {
	all := map[string]bool{}
	for _, one := range append(texts, strings.Fields(words)...) {
		all[one] = true
	}
	return all
}

// wrong returns the names in a document's prose that do not exist: paths and identifiers that stand alone between
// backquotes, flags of commands there, texts that are quoted from the code, and links.
func (m module) wrong(folder, text string) (all []string) {
	prose := rows.ReplaceAllString(fenced.ReplaceAllString(text, ""), "") // lab/suite checks rows of measurements
	for _, found := range code.FindAllStringSubmatch(prose, -1) {
		all = append(all, m.wrongCode(found[1])...)
	}
	for _, found := range quoted.FindAllStringSubmatch(code.ReplaceAllString(prose, "x"), -1) {
		all = append(all, m.wrongText(found[1])...)
	}
	return append(all, wrongLinks(folder, text)...)
}

// wrongLinks returns the links of a document in a folder that lead nowhere: to no file, or to no heading of it.
func wrongLinks(folder, text string) (all []string) {
	for _, found := range link.FindAllStringSubmatch(fenced.ReplaceAllString(text, ""), -1) {
		page := text
		if found[1] != "" {
			file := path.Join(folder, found[1])
			if !exists(file) {
				all = append(all, "there is no "+found[1])
				continue
			}
			content, _ := os.ReadFile(filepath.Join(root, file)) // empty for a folder, which has no headings
			page = string(content)
		}
		has := func(of []string) bool { return anchor(of[1]) == found[2] }
		headings := heading.FindAllStringSubmatch(fenced.ReplaceAllString(page, ""), -1)
		if found[2] != "" && !slices.ContainsFunc(headings, has) {
			all = append(all, "there is no heading "+found[1]+"#"+found[2])
		}
	}
	return all
}

// anchor returns the form of a heading in links.
func anchor(heading string) string {
	kept := regexp.MustCompile(`[^\p{L}\p{N} _-]`).ReplaceAllString(strings.ToLower(heading), "")
	return strings.ReplaceAll(strings.TrimSpace(kept), " ", "-")
}

func (m module) wrongCode(text string) (all []string) {
	if !others.MatchString(text) {
		for _, found := range flag.FindAllStringSubmatch(text, -1) {
			if name := found[1] + found[2]; !m.flags[found[2]] && !foreign[name] && !ofScript(text, name) {
				all = append(all, "there is no flag "+name)
			}
		}
	}
	for _, word := range strings.Fields(text) {
		first, _, isPath := strings.Cut(word, "/")
		ours := m.folders[first] || first != "" && first != "~" && regexp.MustCompile(`(/|\.go|\.md)$`).MatchString(word)
		if isPath && ours && !exists(strings.TrimSuffix(word, "/...")) {
			all = append(all, "there is no "+word)
		}
	}
	found := dotted.FindStringSubmatch(text)
	if found != nil && m.names[found[1]] != nil && !strings.HasSuffix(text, ".go") {
		for _, name := range strings.Split(found[2][1:], ".") {
			if !m.names[found[1]][name] {
				return append(all, "there is no "+text)
			}
		}
	}
	found = ofType.FindStringSubmatch(text)
	name, _, _ := strings.Cut(text, "(")
	switch {
	case found != nil && !m.has(found[1], found[2]), single.MatchString(text) && !m.public[name] && !foreign[name]:
		return append(all, "there is no "+text)
	case message.MatchString(text) && !others.MatchString(text) && !foreign[text] && !command.MatchString(text):
		return append(all, m.wrongText(text)...)
	}
	return all
}

// ofScript reports whether a command is a script of ours that has a flag.
func ofScript(command, name string) bool {
	file, _, _ := strings.Cut(command, " ")
	text, err := os.ReadFile(filepath.Join(root, file))
	return err == nil && strings.Contains(string(text), name)
}

// wrongText searches the code's literals for the constant parts of a text.
func (m module) wrongText(text string) (all []string) {
	differs := regexp.MustCompile(`"[^"]*"|\S*[0-9/]\S*|…`)
	for _, part := range differs.Split(text, -1) {
		part = strings.Join(strings.Fields(part), " ")
		part = strings.Trim(part, ":;,. ")
		if len(strings.Fields(part)) < 2 {
			continue
		}
		if !strings.Contains(m.texts.String(), part) {
			all = append(all, fmt.Sprintf("no text says %q", part))
		}
	}
	return all
}

// exists reports whether a path or pattern from the module's root matches a file.
func exists(pattern string) bool {
	found, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
	return err == nil && len(found) > 0
}
