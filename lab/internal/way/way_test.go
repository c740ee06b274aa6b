package way_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/lab/internal/overlay"
)

var show = flag.Bool("show", false, "log each call on the way")

// rooms are the packages that a pebble may pass through.
var rooms = []string{
	"target", "distribution", "route", "reduce", "coalesce", "termination", "internal/engine", "internal/exposed",
	"internal/frame", "netio", "netio/mem", "netio/internal/local", "netio/internal/idle",
}

// tell is the package by which functions tell of their calls: in is the first thing that each does.
const tell = `package tell

import "fmt"
import "os"
import "runtime"
import "strings"
import "sync"

type call struct {
	Goroutine, Package, File, Name string
	Depth int
}

var (
	lock   sync.Mutex
	on     bool
	depths = map[string]int{}
	calls  []call
)

func Start() { lock.Lock(); on = true; lock.Unlock() }

func In(pkg, file, name string) func() {
	lock.Lock()
	defer lock.Unlock()
	if !on {
		return func() {}
	}
	var text [64]byte
	g := strings.Fields(string(text[:runtime.Stack(text[:], false)]))[1]
	calls = append(calls, call{g, pkg, file, name, depths[g]})
	depths[g]++
	return func() {
		lock.Lock()
		depths[g]--
		lock.Unlock()
	}
}

func Print() {
	lock.Lock()
	defer lock.Unlock()
	on = false
	for _, c := range calls {
		fmt.Fprintf(os.Stdout, "{\"Goroutine\":%q,\"Package\":%q,\"File\":%q,\"Name\":%q,\"Depth\":%d}\n",
			c.Goroutine, c.Package, c.File, c.Name, c.Depth)
	}
}
`

// job sends pebbles from rank 0 to rank 1 until one of them fills a frame, and tells of that one's way.
const job = `package main

import (
	"github.com/activepebbles/pebbles/coalesce"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/internal/tell"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
)

func main() {
	pebble.Main(pebble.Config{Ranks: 2, Due: -1, Period: -1}, func(r *pebble.Rank) error {
		handled, ready := 0, false
		t := target.New(r, "words", distribution.Block(2, 2), target.Key(func(v uint64) uint64 { return v }),
			target.Batch(func(vs []uint64) {
				if vs[0] == 0 {
					ready = true
				} else if handled += len(vs); handled == coalesce.FactorDefault {
					tell.In("main", "main.go", "handler")()
					tell.Print()
				}
			}))
		return r.Epoch(func() error {
			if r.ID() == 1 { // it has begun the epoch, so that frames are not kept for it
				t.Send(0)
				t.Flush()
				return nil
			}
			for !ready {
				r.Poll()
			}
			for range coalesce.FactorDefault - 1 {
				t.Send(1)
			}
			tell.Start()
			t.Send(1)
			return nil
		})
	})
}
`

type call struct {
	Goroutine, Package, File, Name string
	Depth                          int
}

// Between the Send that fills a frame and the handler of its pebble, on two ranks of one process, calls change from one
// package to another at most 15 times.
func TestWayOfAPebble(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the runtime anew")
	}
	changes := []overlay.Change{
		{File: "internal/tell/tell.go", Bad: tell}, {File: "lab/internal/way/job/main.go", Bad: job},
	}
	root := overlay.Root(t)
	for _, room := range rooms {
		files, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(room), "*.go"))
		require.NoError(t, err)
		require.NotEmpty(t, files, room)
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			source, err := os.ReadFile(file)
			require.NoError(t, err)
			name := room + "/" + filepath.Base(file)
			if told := telling(t, room, name, source); told != "" {
				changes = append(changes, overlay.Change{File: name, Good: string(source), Bad: told})
			}
		}
	}
	program := filepath.Join(t.TempDir(), "job")
	overlay.Build(t, changes, "build", "-o", program, "./lab/internal/way/job")
	out, err := exec.CommandContext(t.Context(), program).Output()
	require.NoError(t, err)
	var all []call
	for line := range bytes.Lines(out) {
		var c call
		require.NoError(t, json.Unmarshal(line, &c))
		all = append(all, c)
	}
	sent, received := sending(t, all), receiving(t, all)
	crossings, functions, files, packages := 0, map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, part := range [][]call{sent, received} {
		var stack []call
		for _, c := range part {
			for len(stack) > 0 && stack[len(stack)-1].Depth >= c.Depth {
				stack = stack[:len(stack)-1]
			}
			change := " "
			if len(stack) > 0 && stack[len(stack)-1].Package != c.Package {
				change = "*"
				crossings++
			}
			stack = append(stack, c)
			functions[c.Package+c.Name], files[c.File], packages[c.Package] = true, true, true
			if *show {
				t.Logf("%s %s%s %s", change, strings.Repeat("  ", c.Depth), c.Package, c.Name)
			}
		}
	}
	t.Logf("%d calls of %d functions in %d files and %d packages, %d changes of package", len(sent)+len(received),
		len(functions), len(files), len(packages), crossings)
	require.Equal(t, "Send", sent[0].Name)
	require.Equal(t, "handler", received[len(received)-1].Name)
	require.LessOrEqual(t, crossings, 15)
}

// sending is the calls of the sender, from Send to that of the transport.
func sending(t *testing.T, all []call) (way []call) {
	for _, c := range all {
		if c.Goroutine != all[0].Goroutine {
			continue
		}
		way = append(way, c)
		if c.Package == "netio/mem" && c.Name == "Send" {
			return way
		}
	}
	t.Fatal("nothing was handed to the transport")
	return nil
}

// receiving is the calls of the receiver, from the one that takes the frame in to the handler. The sender goes on
// meanwhile, and may make the last call of all.
func receiving(t *testing.T, all []call) (way []call) {
	end := slices.IndexFunc(all, func(c call) bool { return c.Name == "handler" })
	require.GreaterOrEqual(t, end, 0, "nothing was handled")
	for _, c := range all[:end+1] {
		if c.Goroutine != all[end].Goroutine {
			continue
		}
		if c.Package == "internal/engine" && c.Name == "next" { // the last of them that found a frame
			way = nil
		}
		way = append(way, c)
	}
	return way
}

// telling is a file whose functions tell of their calls; "" where it has none, or is for other systems.
func telling(t *testing.T, room, name string, source []byte) string {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, source, parser.ParseComments)
	require.NoError(t, err)
	var out strings.Builder
	at := 0
	add := func(pos token.Pos, text string) {
		offset := fset.Position(pos).Offset
		out.Write(source[at:offset])
		out.WriteString(text)
		at = offset
	}
	add(file.Name.End(), "\nimport way_ \"github.com/activepebbles/pebbles/internal/tell\"\n")
	any := false
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Body == nil || len(f.Body.List) == 0 {
			continue
		}
		any = true
		add(f.Body.Lbrace+1, fmt.Sprintf(" defer way_.In(%q, %q, %q)(); ", room, path.Base(name), f.Name.Name))
	}
	if !any {
		return ""
	}
	out.Write(source[at:])
	return out.String()
}
