package walls_test

import (
	"path"
	"slices"
	"strings"
)

const module = "github.com/activepebbles/pebbles"

// A layer is some folders that may import those of the layers before theirs, and not each other.
type layer struct {
	folders string // as path.Match takes them
	not     string // folders before it that it may not import all the same; "netio/" is all below netio
}

// layers are the layers of the module, from the bottom up. The compiler enforces more: packages under an internal
// folder are for the folder around it.
var layers = []layer{
	{folders: "internal/watch/state"},
	{folders: "internal/cpu internal/frame internal/layout internal/stacks internal/values internal/collective " +
		"internal/handshake internal/pending internal/scripttest internal/docs internal/walls internal/covering " +
		"internal/seeds internal/scenario internal/disk internal/leaks internal/bubble"},
	{folders: "internal/disk/disktest"},
	{folders: "distribution route reduce internal/codecs", not: "internal/cpu internal/frame"},
	{folders: "internal/request target/avro", not: "distribution route reduce internal/cpu internal/frame"},
	{folders: "model termination", not: "internal/cpu internal/frame internal/codecs"},
	{folders: "tune", not: "internal/cpu internal/frame internal/codecs"},
	{folders: "internal/exposed", not: above},
	{folders: "netio", not: above + " internal/exposed"},
	{folders: "netio/internal/idle netio/internal/inflight", not: above},
	{folders: "netio/internal/local", not: above},
	{folders: "netio/internal/way", not: above},
	{folders: "netio/mem netio/sim netio/shm netio/tcp", not: above},
	{folders: "netio/internal/mux", not: above},
	{folders: "netio/connect", not: above},
	{folders: "netio/ofi netio/netiotest", not: above},
	{folders: "internal/watch/jobs internal/watch/page internal/watch/trace", not: above + " netio netio/"},
	{folders: "internal/watch/record", not: above + " netio netio/"},
	{folders: "internal/watch/board", not: above},
	{folders: "coalesce", not: "netio/ internal/exposed internal/handshake"},
	{folders: "internal/engine", not: "netio/ internal/exposed internal/handshake"},
	{folders: "internal/watch", not: above + " coalesce"},
	{folders: "internal/launch/bootstrap internal/launch/kubernetes internal/launch/pmi", not: core},
	{folders: "internal/launch internal/launch/pmi/*", not: core},
	{folders: "internal/future", not: "netio/ internal/exposed internal/handshake"},
	{folders: "pebble"},
	{folders: "target", not: "netio/ internal/launch internal/exposed"},
	{folders: "task", not: "netio netio/ internal/launch internal/exposed"},
	{folders: "memory/internal/addresses", not: "*"},
	{folders: "memory/internal/inside", not: "netio/ internal/launch internal/exposed"},
	{folders: "memory", not: "netio/ internal/launch"},
	{folders: "delegate", not: "netio netio/ internal/launch internal/exposed"},
	{folders: "memory/pages", not: "netio/ internal/launch"},
	{folders: "internal/resolve", not: "*"},
	{folders: "internal/dataset internal/ocf", not: inner},
	{folders: "export", not: inner},
	{folders: "export/*", not: inner},
	{folders: "ingest", not: inner},
	{folders: "ingest/*", not: inner},
	{folders: "container/internal/runs", not: above + " netio netio/ pebble target task memory delegate export ingest"},
	{folders: "container", not: "netio netio/ internal/launch internal/exposed memory"},
	{folders: "checkpoint", not: "netio netio/ internal/launch internal/exposed coalesce task delegate"},
	{folders: "apps/graph apps/contagion/chance apps/nbody/gravity", not: "*"},
	{folders: "apps/contagion/scenario apps/nbody/initial apps/nbody/tipsy"},
	{folders: "apps/contagion/population", not: users},
	{folders: "apps", not: users},
	{folders: "apps/appstest", not: tested},
	{folders: "apps/table", not: users},
	{folders: "apps/distgraph", not: users},
	{folders: "apps/graphtest", not: users},
	{folders: "apps/*", not: users},
	{folders: "examples/*", not: users},
	{folders: "internal/machine", not: machines},
	{folders: "internal/plots", not: machines},
	{folders: "cmd/internal/command cmd/internal/commandtest"},
	{folders: "lab/internal/*", not: "*"},
	{folders: "lab/worlds", not: commands},
	{folders: "lab", not: commands},
	{folders: "lab/plots lab/fit", not: commands},
	{folders: "lab/*", not: commands},
	{folders: "cmd/*"},
}

const (
	above = "route termination model tune distribution reduce target/avro" // of transports' rooms
	core  = "coalesce internal/engine route termination model tune distribution reduce target/avro"
	inner = "netio/ internal/launch internal/exposed internal/engine coalesce memory task delegate" // of files of data
	users = "internal/watch internal/watch/ internal/codecs internal/exposed internal/engine internal/launch " +
		"internal/launch/ internal/frame internal/handshake internal/stacks internal/collective internal/layout " +
		"internal/values internal/scripttest"
	// Test helpers that imported what they help to test would be compiled again for each of its test binaries, with all
	// that lies between.
	tested   = "apps container checkpoint export export/ ingest ingest/ memory memory/ delegate task"
	commands = "cmd/internal/"
	machines = "apps apps/ examples/ container/ export export/ ingest ingest/ delegate task target pebble memory " +
		"memory/ netio netio/ " +
		"internal/launch internal/launch/ internal/watch internal/watch/ internal/engine coalesce"
)

// pure are folders that only compute: callers pass clock and randomness in. Those in locking also share memory between
// goroutines, those in files read files of others.
const (
	pure = "distribution reduce termination internal/codecs internal/collective internal/frame internal/layout " +
		"internal/pending internal/request apps/contagion/chance"
	locking = "route coalesce memory/internal/addresses apps/nbody/gravity"
	files   = "internal/watch/state model tune internal/values internal/launch/kubernetes"

	pureStandard = "cmp encoding/binary errors fmt iter maps math math/bits reflect slices sort strconv strings time " +
		"unsafe"
	lockStandard = "sync sync/atomic"
	fileStandard = "bytes embed encoding/hex encoding/json io os path regexp text/template unicode unicode/utf8"
)

// quiet are folders without files, sockets, processes and the system; log output goes to the slog.Logger of the caller.
// They, and all pure ones, don't read the clock.
const (
	quiet     = "internal/engine pebble target target/* task delegate memory memory/* container apps apps/*"
	loud      = "log net net/ os os/ plugin syscall testing testing/"
	withClock = "apps/appstest"
)

// helpers serve tests: they import what tests may, and no other code imports them.
const helpers = "apps/appstest apps/graphtest netio/netiotest internal/launch/pmi/pmitest internal/scripttest " +
	"internal/bubble internal/covering internal/seeds internal/scenario internal/disk/disktest lab/internal/overlay " +
	"cmd/internal/commandtest"

// homes are the folders that may import a library; libraries for tests have none. No folder imports a library that is
// missing here.
var homes = map[string]string{
	"github.com/cornelk/hashmap":       "memory/internal/addresses",
	"github.com/linkedin/goavro/v2":    "apps/contagion export ingest internal/ocf internal/resolve target/avro",
	"github.com/spf13/cobra":           "cmd/* cmd/internal/*",
	"github.com/spf13/pflag":           "cmd/* cmd/internal/*",
	"github.com/klauspost/compress":    "export ingest ingest/parquet internal/ocf",
	"github.com/parquet-go/parquet-go": "export/parquet ingest/parquet",
	"github.com/andybalholm/brotli":    "ingest/parquet",
	"github.com/pierrec/lz4/v4":        "ingest/parquet",
	"golang.org/x/sys": "cmd/* cmd/internal/* export internal/cpu lab lab/* internal/launch netio/* " +
		"netio/internal/*",
	"github.com/ebitengine/purego":      "netio/ofi",
	"golang.org/x/term":                 "cmd/* cmd/internal/* internal/launch",
	"golang.org/x/perf":                 "lab",
	"google.golang.org/protobuf":        "apps/contagion/scenario internal/watch/trace",
	"github.com/anishathalye/porcupine": "",
	"github.com/puzpuzpuz/xsync/v4":     "",
	"github.com/stretchr/testify":       "",
	"go.uber.org/goleak":                "",
	"pgregory.net/rapid":                "",
}

// clock are the names of package time that read the clock or wait on it.
var clock = []string{"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTimer", "NewTicker"}

// layerOf returns the number of a folder's layer; -1 for a folder without one.
func layerOf(folder string) int {
	return slices.IndexFunc(layers, func(l layer) bool { return lists(l.folders, folder) })
}

// may reports whether a file of a folder may import a package.
func may(folder, imported string, test bool) bool {
	if ours, ok := strings.CutPrefix(imported, module+"/"); ok {
		of, l := layerOf(ours), layers[layerOf(folder)]
		switch {
		case test:
			return of >= 0
		case lists(helpers, folder):
			return of >= 0 && !lists(l.not, ours)
		}
		return of >= 0 && of < layerOf(folder) && !lists(l.not, ours) && !lists(helpers, ours)
	}
	if first, _, _ := strings.Cut(imported, "/"); !strings.Contains(first, ".") {
		return test || lists(helpers, folder) || mayStandard(folder, imported)
	}
	for library, home := range homes {
		if imported == library || strings.HasPrefix(imported, library+"/") {
			return lists(home, folder) || home == "" && (test || lists(helpers, folder))
		}
	}
	return false
}

// mayStandard reports whether a folder's code may import a package of the standard library.
func mayStandard(folder, imported string) bool {
	switch {
	case lists(pure, folder):
		return lists(pureStandard, imported)
	case lists(locking, folder):
		return lists(pureStandard+" "+lockStandard, imported)
	case lists(files, folder):
		return lists(pureStandard+" "+fileStandard, imported)
	case lists(quiet, folder):
		return !lists(loud, imported)
	}
	return true
}

// mayTime reports whether a folder's code may read the clock.
func mayTime(folder string) bool {
	const without = pure + " " + locking + " " + files + " " + quiet + " internal/cpu internal/exposed internal/stacks " +
		"netio/mem netio/shm netio/sim netio/connect netio/internal/local examples/* internal/dataset export export/* " +
		"ingest ingest/* checkpoint"
	return !lists(without, folder) || lists(withClock, folder)
}

// lists reports whether one of names, separated by spaces, matches: "net" is one package, "net/" is all below it, "*"
// is all, and others are patterns of path.Match.
func lists(names, name string) bool {
	return slices.ContainsFunc(strings.Fields(names), func(n string) bool {
		matches, err := path.Match(n, name)
		return n == "*" || err == nil && matches || strings.HasSuffix(n, "/") && strings.HasPrefix(name, n)
	})
}
