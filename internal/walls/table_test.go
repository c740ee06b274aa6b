package walls_test

import (
	"path"
	"slices"
	"strings"
)

const module = "github.com/activepebbles/pebbles"

// A wall says what the packages of a folder may import outside their tests.
type wall struct {
	folder string            // as path.Match takes it; the first that matches counts
	std    func(string) bool // of the standard library
	ours   func(string) bool // of this module, by folder
	clock  bool              // may read the clock and wait on it
	helper bool              // serves tests: may import what they import, and only they import it
}

// walls is DESIGN's table of folders, lowest first.
var walls = []wall{
	{folder: "distribution", std: pure, ours: none},
	{folder: "route", std: pureButShared, ours: none},
	{folder: "reduce", std: pure, ours: none},
	{folder: "coalesce", std: pureButShared, ours: only("netio", "route", "termination")},
	{folder: "model", std: pureWithJSON, ours: only("route")},
	{folder: "tune", std: pureWithJSON, ours: only("model", "route")},
	{folder: "internal/engine", std: quiet, ours: only("coalesce", "internal/collective", "internal/layout", "netio", "route", "termination",
		"tune")},
	{folder: "internal/cpu", std: all, ours: none},
	{folder: "internal/frame", std: pure, ours: none},
	{folder: "internal/handshake", std: all, ours: none, clock: true},
	{folder: "internal/idle", std: all, ours: only("internal/cpu"), clock: true},
	{folder: "internal/inflight", std: all, ours: none, clock: true},
	{folder: "internal/local", std: all, ours: only("internal/cpu", "internal/frame", "internal/idle", "netio"), clock: true},
	{folder: "internal/overlay", std: all, ours: none, helper: true},
	{folder: "internal/scripttest", std: all, ours: none, helper: true},
	{folder: "internal/worlds", std: all, ours: public, clock: true},
	{folder: "internal/*", std: pure, ours: none},
	{folder: "termination", std: pure, ours: only("internal/collective", "route")},
	{folder: "netio", std: all, ours: only("internal/cpu", "internal/frame"), clock: true},
	{folder: "netio/connect", std: all, ours: only("internal/frame", "netio", "netio/shm", "netio/tcp")},
	{folder: "netio/mem", std: all, ours: only("internal/cpu", "internal/idle", "internal/local", "netio")},
	{folder: "netio/shm", std: all, ours: only("internal/cpu", "internal/frame", "internal/handshake", "internal/idle", "internal/inflight",
		"internal/local", "netio", "netio/tcp"), clock: true},
	{folder: "netio/tcp", std: all, ours: only("internal/cpu", "internal/frame", "internal/handshake", "internal/idle", "internal/inflight",
		"internal/local", "netio"), clock: true},
	{folder: "launch", std: all, ours: only("internal/cpu", "internal/handshake", "netio", "netio/connect", "netio/tcp"), clock: true},
	{folder: "netio/sim", std: all, ours: only("internal/cpu", "netio"), clock: true},
	{folder: "netio/netiotest", std: all, ours: only("internal/handshake", "netio", "netio/tcp"), clock: true, helper: true},
	{folder: "pebble", std: quiet, ours: only("coalesce", "internal/cpu", "internal/engine", "internal/layout", "launch", "netio", "netio/mem",
		"route", "termination", "tune")},
	{folder: "target", std: quiet, ours: only("coalesce", "distribution", "internal/engine", "internal/layout", "netio", "pebble", "reduce",
		"route")},
	{folder: "target/avro", std: quiet, ours: none},
	{folder: "apps/graph", std: quietWithFiles, ours: none},
	{folder: "apps/appstest", std: all, ours: public, clock: true, helper: true},
	{folder: "apps", std: quiet, ours: public},
	{folder: "apps/*", std: quiet, ours: public},
	{folder: "examples/internal/*", std: all, ours: none, clock: true},
	{folder: "lab", std: all, ours: measured, clock: true},
	{folder: "lab/*", std: all, ours: measured, clock: true},
	{folder: "examples/*", std: all, ours: public, clock: true},
	{folder: "cmd/*", std: all, ours: all, clock: true},
}

// homes are the folders that may import a library; those for tests have none. Nobody imports a library that is not here.
var homes = map[string][]string{
	"github.com/linkedin/goavro/v2":     {"target/avro"},
	"github.com/schollz/progressbar/v3": {"cmd/*"},
	"github.com/spf13/cobra":            {"cmd/*"},
	"github.com/spf13/pflag":            {"cmd/*"},
	"golang.org/x/sys":                  {"cmd/*", "internal/cpu", "lab", "lab/*", "launch", "netio", "netio/*"},
	"golang.org/x/term":                 {"cmd/*", "launch"},
	"golang.org/x/perf":                 {"lab"},
	"github.com/stretchr/testify":       nil,
	"go.uber.org/goleak":                nil,
	"pgregory.net/rapid":                nil,
}

// clock are the names of package time that read the clock or wait on it.
var clock = []string{"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTimer", "NewTicker"}

// wallOf finds the wall of a folder.
func wallOf(folder string) (wall, bool) {
	i := slices.IndexFunc(walls, func(w wall) bool { return matches(w.folder, folder) })
	if i < 0 {
		return wall{}, false
	}
	return walls[i], true
}

// may tells whether a file of a folder may import a package.
func may(folder, imported string, test bool) bool {
	w, ok := wallOf(folder)
	if !ok {
		return false
	}
	if ours, ok := strings.CutPrefix(imported, module+"/"); ok {
		other, _ := wallOf(ours)
		return test || w.ours(ours) && !other.helper
	}
	if !strings.Contains(strings.Split(imported, "/")[0], ".") {
		return test || w.std(imported)
	}
	for library, home := range homes {
		if imported == library || strings.HasPrefix(imported, library+"/") {
			if home == nil {
				return test || w.helper
			}
			return slices.ContainsFunc(home, func(h string) bool { return matches(h, folder) })
		}
	}
	return false
}

func matches(pattern, folder string) bool {
	ok, err := path.Match(pattern, folder)
	return ok && err == nil
}

func all(string) bool  { return true }
func none(string) bool { return false }

func only(names ...string) func(string) bool {
	return func(name string) bool { return slices.Contains(names, name) }
}

// pure lets in what computes and no more: clock and randomness are handed in.
var pure = only("cmp", "encoding/binary", "errors", "fmt", "iter", "maps", "math", "math/bits", "reflect", "slices", "sort",
	"strconv", "strings", "time", "unsafe")

// pureButShared lets in besides what lets the ranks of a process share marks of links, and buffers.
func pureButShared(name string) bool { return pure(name) || name == "sync" || name == "sync/atomic" }

// pureWithJSON lets in besides what turns files, which others read and write, into words.
func pureWithJSON(name string) bool { return pure(name) || name == "bytes" || name == "encoding/json" }

// quiet keeps out what touches the world.
func quiet(name string) bool { return quietWithFiles(name) && name != "os" }

func quietWithFiles(name string) bool {
	world := []string{"log", "net", "plugin", "syscall", "testing"}
	return !slices.Contains(world, name) && !strings.HasPrefix(name, "net/") && !strings.HasPrefix(name, "os/") &&
		!strings.HasPrefix(name, "testing/")
}

// public is what users may import, what helps the tests, and how much memory is free.
func public(name string) bool {
	return name == "internal/cpu" || !strings.HasPrefix(name, "internal/") && !command(name) && !laboratory(name) && name != "launch"
}

// measured is what the laboratory may import: everything but the command.
func measured(name string) bool { return !command(name) }

func command(name string) bool    { return strings.HasPrefix(name, "cmd/") }
func laboratory(name string) bool { return name == "lab" || strings.HasPrefix(name, "lab/") }
