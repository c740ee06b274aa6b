package walls_test

import (
	"path"
	"slices"
	"strings"
)

const module = "github.com/activepebbles/pebbles"

// A wall says what the packages of a folder may import outside their tests.
type wall struct {
	folder string // as path.Match takes it; the first that matches counts
	std    set    // of the standard library
	ours   set    // of this module, by folder
	clock  bool   // may read the clock and wait on it
	helper bool   // serves tests: may import what they import, and only they import it
}

// A set of packages is all but those denied; those allowed are exceptions among the denied. Both list names: "net" is
// one package, "net/" is all below it, "*" is all.
type set struct{ deny, allow string }

// walls is the table of folders, lower ones first.
var walls = []wall{
	{folder: "distribution", std: pure, ours: none},
	{folder: "route", std: pureAndSync, ours: none},
	{folder: "reduce", std: pure, ours: none},
	{folder: "model", std: pureAndJSON, ours: only("route")},
	{folder: "tune", std: pureAndJSON, ours: only("model route")},
	{folder: "termination", std: pure, ours: only("internal/collective route")},
	{folder: "coalesce", std: pureAndSync, ours: only("netio route termination")},
	{folder: "internal/cpu", std: all, ours: none},
	{folder: "memory/internal/addresses", std: pureAndSync, ours: none},
	{folder: "internal/frame", std: pure, ours: none},
	{folder: "internal/launch/bootstrap", std: all, ours: only("internal/handshake"), clock: true},
	{folder: "internal/launch/pmi", std: all, ours: none, clock: true},
	{folder: "internal/launch/pmi/pmitest", std: all, ours: none, helper: true},
	{folder: "internal/exposed", std: all, ours: only("internal/cpu")},
	{folder: "internal/handshake", std: all, ours: none, clock: true},
	{folder: "netio/internal/idle", std: all, ours: only("internal/cpu"), clock: true},
	{folder: "netio/internal/inflight", std: all, ours: none, clock: true},
	{folder: "netio/internal/local", std: all, ours: only("internal/cpu internal/exposed internal/frame netio/internal/idle " +
		"netio")},
	{folder: "internal/engine", std: quiet, ours: only("coalesce internal/collective internal/layout " +
		"internal/stacks netio route termination tune")},
	{folder: "internal/launch/kubernetes", std: pureAndText, ours: none},
	{folder: "lab/internal/overlay", std: all, ours: none, helper: true},
	{folder: "lab/internal/verifiers", std: pure, ours: none},
	{folder: "internal/scripttest", std: all, ours: none, helper: true},
	{folder: "internal/stacks", std: all, ours: none},
	{folder: "lab/worlds", std: all, ours: set{deny: public.deny, allow: public.allow + " internal/engine"},
		clock: true},
	{folder: "internal/codecs", std: pure, ours: only("internal/layout")},
	{folder: "internal/values", std: only(pure.allow + " os"), ours: none},
	{folder: "internal/launch", std: all, ours: only("internal/cpu internal/handshake internal/launch/bootstrap internal/launch/pmi " +
		"internal/stacks netio netio/connect " +
		"netio/tcp"), clock: true},
	{folder: "internal/*", std: pure, ours: none},
	{folder: "netio", std: all, ours: only("internal/cpu internal/frame"), clock: true},
	{folder: "netio/mem", std: all, ours: only("internal/cpu internal/exposed netio/internal/idle netio/internal/local netio")},
	{folder: "netio/shm", std: all, ours: only("internal/cpu internal/exposed internal/frame internal/handshake " +
		"netio/internal/idle " +
		"netio/internal/inflight netio/internal/local netio netio/tcp")},
	{folder: "netio/tcp", std: all, ours: only("internal/cpu internal/exposed internal/frame internal/handshake " +
		"netio/internal/idle " +
		"netio/internal/inflight netio/internal/local netio"), clock: true},
	{folder: "netio/sim", std: all, ours: only("internal/cpu internal/exposed internal/frame netio/internal/inflight " +
		"netio/internal/local internal/values netio")},
	{folder: "netio/connect", std: all, ours: only("internal/frame netio netio/shm netio/tcp")},
	{folder: "netio/ofi", std: all, ours: only("internal/cpu internal/exposed internal/frame internal/handshake " +
		"netio/internal/idle netio/internal/inflight " +
		"netio/internal/local netio netio/connect netio/tcp"), clock: true},
	{folder: "netio/netiotest", std: all, ours: only("internal/handshake netio netio/tcp"), clock: true, helper: true},
	{folder: "pebble", std: quiet, ours: only("coalesce internal/codecs internal/cpu internal/engine internal/layout " +
		"internal/launch internal/values model netio netio/mem " +
		"route termination tune")},
	{folder: "target", std: quiet, ours: only("coalesce distribution internal/codecs internal/engine " +
		"internal/layout netio pebble reduce route")},
	{folder: "target/avro", std: quiet, ours: none},
	{folder: "task", std: quiet, ours: only("coalesce distribution internal/codecs internal/cpu internal/engine " +
		"pebble target")},
	{folder: "delegate", std: quiet, ours: only("distribution internal/codecs internal/engine internal/layout " +
		"target task")},
	{folder: "memory", std: quiet, ours: only("distribution memory/internal/addresses internal/cpu internal/engine " +
		"internal/exposed internal/frame " +
		"internal/layout netio pebble target task")},
	{folder: "memory/pages", std: quiet, ours: only("distribution internal/collective internal/cpu internal/engine " +
		"internal/exposed internal/frame memory netio pebble")},
	{folder: "apps", std: quiet, ours: public},
	{folder: "apps/appstest", std: all, ours: public, helper: true},
	{folder: "apps/graph", std: quietAndFiles, ours: none},
	{folder: "apps/contagion/chance", std: pure, ours: none},
	{folder: "apps/contagion/scenario", std: quiet, ours: only("apps/contagion/chance")},
	{folder: "apps/contagion/population", std: quiet, ours: only("apps/contagion/chance apps/contagion/scenario " +
		"distribution")},
	{folder: "apps/nbody/gravity", std: pureAndSync, ours: none},
	{folder: "apps/nbody/initial", std: quiet, ours: only("apps/nbody/gravity")},
	{folder: "apps/nbody/tipsy", std: quiet, ours: only("apps/nbody/gravity")},
	{folder: "apps/*", std: quiet, ours: public},
	{folder: "examples/*", std: all, ours: public},
	{folder: "lab", std: all, ours: measured, clock: true},
	{folder: "lab/*", std: all, ours: measured, clock: true},
	{folder: "cmd/*", std: all, ours: all, clock: true},
}

var (
	all  = set{}
	none = set{deny: "*"}

	// pure lets in what computes and no more: clock and randomness are handed in.
	pure = only("cmp encoding/binary errors fmt iter maps math math/bits reflect slices sort strconv strings time " +
		"unsafe")
	// pureAndSync is for links and buffers that the ranks of a process share.
	pureAndSync = only(pure.allow + " sync sync/atomic")
	// pureAndJSON is for files that others read and write.
	pureAndJSON = only(pure.allow + " bytes encoding/json")
	// pureAndText is for files that are filled in from templates.
	pureAndText = only(pure.allow + " embed encoding/hex io path regexp text/template unicode unicode/utf8")

	// quiet keeps out files, sockets, processes and the system; log output goes to the slog.Logger of the caller.
	quiet         = set{deny: quietAndFiles.deny + " os"}
	quietAndFiles = set{deny: "log net net/ os/ plugin syscall testing testing/"}

	// public is what users may import, and how much memory is free.
	public = set{deny: "cmd/ internal/ lab lab/", allow: "internal/cpu"}
	// measured is what the laboratory may import: everything but the command.
	measured = set{deny: "cmd/"}
)

// homes are the folders that may import a library; those for tests have none. Nobody imports a library that is not
// here.
var homes = map[string][]string{
	"github.com/cornelk/hashmap":        {"memory/internal/addresses"},
	"github.com/linkedin/goavro/v2":     {"apps/contagion", "target/avro"},
	"github.com/schollz/progressbar/v3": {"cmd/*"},
	"github.com/spf13/cobra":            {"cmd/*"},
	"github.com/spf13/pflag":            {"cmd/*"},
	"golang.org/x/sys": {"cmd/*", "internal/cpu", "lab", "lab/limits", "internal/launch", "netio/ofi",
		"netio/shm", "netio/tcp"},
	"github.com/ebitengine/purego":      {"netio/ofi"},
	"golang.org/x/term":                 {"cmd/*", "internal/launch"},
	"golang.org/x/perf":                 {"lab"},
	"google.golang.org/protobuf":        {"apps/contagion/scenario"},
	"github.com/anishathalye/porcupine": nil,
	"github.com/puzpuzpuz/xsync/v4":     nil,
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

// may reports whether a file of a folder may import a package.
func may(folder, imported string, test bool) bool {
	w, ok := wallOf(folder)
	if !ok {
		return false
	}
	if ours, ok := strings.CutPrefix(imported, module+"/"); ok {
		other, _ := wallOf(ours)
		return test || w.ours.has(ours) && !other.helper
	}
	if !strings.Contains(strings.Split(imported, "/")[0], ".") {
		return test || w.std.has(imported)
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

func only(names string) set { return set{deny: "*", allow: names} }

func (s set) has(name string) bool { return !lists(s.deny, name) || lists(s.allow, name) }

func lists(names, name string) bool {
	return slices.ContainsFunc(strings.Fields(names), func(n string) bool {
		return n == "*" || n == name || strings.HasSuffix(n, "/") && strings.HasPrefix(name, n)
	})
}
