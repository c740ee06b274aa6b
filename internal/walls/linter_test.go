package walls_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// standard are packages of the standard library that the walls are tried with: some harmless, some not.
var standard = []string{
	"bytes", "context", "crypto/rand", "encoding/json", "errors", "fmt", "go/ast", "io", "io/fs", "log", "log/slog", "math", "math/big",
	"math/bits", "math/rand/v2", "net", "net/http", "net/netip", "os", "os/exec", "os/signal", "os/user", "path/filepath", "plugin",
	"reflect", "runtime", "sync", "syscall", "testing", "testing/synctest", "time", "unsafe",
}

// libraries are the table's, and two that are not there.
func libraries() []string {
	return append(slices.Sorted(maps.Keys(homes)), "example.org/unknown", "github.com/cornelk/hashmap")
}

// folders are one of each wall.
func folders() (all []string) {
	for _, w := range walls {
		all = append(all, strings.ReplaceAll(w.folder, "*", "any"))
	}
	return append(all, "internal/collective", "internal/layout")
}

// TestLinterAgrees breaks every wall in a made-up module, and expects the linter to report just what the table forbids.
func TestLinterAgrees(t *testing.T) {
	linter, err := exec.LookPath("golangci-lint")
	if err != nil {
		require.NotEqual(t, "1", os.Getenv("PEBBLES_REQUIRE_LINTER"), "golangci-lint is required: %v", err)
		t.Skip("no golangci-lint here: .ci/run installs it")
	}
	probe := newProbe(t)
	for _, folder := range folders() {
		probe.addFile(folder, "probe.go")
		probe.addFile(folder, "probe_test.go")
	}
	probe.write()
	reported := probe.lint(linter)
	t.Logf("%d lines are forbidden, %d are reported", len(probe.forbidden), len(reported))
	require.Empty(t, without(probe.forbidden, reported), "forbidden by the table, let through by .golangci.yml")
	require.Empty(t, without(reported, probe.forbidden), "allowed by the table, reported by .golangci.yml")
}

// A probe is a module whose folders are named as ours and import everything. What they import are empty packages beside
// it, so that nothing is fetched and nothing goes round in circles.
type probe struct {
	*testing.T
	dir       string
	files     map[string]string
	forbidden []string
}

func newProbe(t *testing.T) *probe {
	p := &probe{T: t, dir: t.TempDir(), files: map[string]string{}}
	config, err := os.ReadFile(filepath.Join(root, ".golangci.yml"))
	require.NoError(t, err)
	p.files[".golangci.yml"] = string(config)
	mod := "module " + module + "/probe\n\ngo 1.26.0\n"
	for _, path := range append(libraries(), module) {
		version := "v0.0.0"
		if major := filepath.Base(path); regexp.MustCompile(`^v\d+$`).MatchString(major) {
			version = major + ".0.0"
		}
		mod += fmt.Sprintf("require %s %s\nreplace %s => ./stand-in/%s\n", path, version, path, path)
		p.files["stand-in/"+path+"/go.mod"] = "module " + path + "\n"
	}
	p.files["go.mod"] = mod
	for _, imported := range p.imports() {
		if strings.Contains(imported, ".") {
			p.files["stand-in/"+imported+"/a.go"] = "package a\n"
		}
	}
	return p
}

// imports are all packages that the walls are tried with.
func (p *probe) imports() []string {
	all := slices.Clone(standard)
	for _, library := range libraries() {
		all = append(all, library, library+"/part")
	}
	for _, folder := range folders() {
		if !strings.Contains(folder, "/internal/") { // Go itself keeps others out
			all = append(all, module+"/"+folder)
		}
	}
	return all
}

// addFile adds a file that imports everything and calls the whole clock, and notes which of its lines are forbidden.
func (p *probe) addFile(folder, name string) {
	test := strings.HasSuffix(name, "_test.go")
	w, ok := wallOf(folder)
	require.True(p, ok)
	var lines []string
	add := func(line string, allowed bool) {
		lines = append(lines, line)
		if !allowed {
			p.forbidden = append(p.forbidden, fmt.Sprintf("%s/%s: %s", folder, name, line))
		}
	}
	add("package probe", true)
	add(`import clock "time"`, true)
	for _, imported := range p.imports() {
		add(fmt.Sprintf("import _ %q", imported), may(folder, imported, test))
	}
	prefix := "made"
	if test {
		prefix = "tested"
	}
	add(fmt.Sprintf("var %sUnix = clock.Unix", prefix), true)
	for _, call := range clock {
		add(fmt.Sprintf("var %s%s = clock.%s", prefix, call, call), test || w.clock)
	}
	p.files[folder+"/"+name] = strings.Join(lines, "\n") + "\n"
}

func (p *probe) write() {
	for name, text := range p.files {
		path := filepath.Join(p.dir, filepath.FromSlash(name))
		require.NoError(p, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(p, os.WriteFile(path, []byte(text), 0o644))
	}
}

// lint returns the lines that the linter reports.
func (p *probe) lint(linter string) (reported []string) {
	cmd := exec.Command(linter, "run", "--enable-only=depguard,forbidigo", "--allow-parallel-runners", "--show-stats=false",
		"--output.json.path=stdout", "./...")
	cmd.Dir = p.dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOLANGCI_LINT_CACHE="+p.TempDir())
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	var report struct {
		Issues []struct {
			FromLinter, Text string
			Pos              struct {
				Filename string
				Line     int
			}
		}
	}
	require.NoError(p, json.Unmarshal(out, &report), "%v\n%s\n%s", err, out, stderr.String())
	for _, issue := range report.Issues {
		require.Contains(p, []string{"depguard", "forbidigo"}, issue.FromLinter, issue.Text)
		name := filepath.ToSlash(issue.Pos.Filename)
		line := name + ": " + strings.Split(p.files[name], "\n")[issue.Pos.Line-1]
		if !slices.Contains(reported, line) { // two rules may forbid the same
			reported = append(reported, line)
		}
	}
	return reported
}

// without lists what is in all and not in some.
func without(all, some []string) []string {
	return slices.DeleteFunc(slices.Clone(all), func(line string) bool { return slices.Contains(some, line) })
}
