package verifiers

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/lab/internal/overlay"
)

var build = flag.Bool("build", false, "build the command with faults in its runtime, and run all applications")

// limit is the time after which the test gives up a run. Runs take a tenth of a second.
const limit = time.Minute

// changes put the faults of testdata into the runtime. The environment selects the active one.
func changes(t *testing.T) []overlay.Change {
	file := func(name string) string { return read(t, filepath.Join("testdata", name)) }
	after := func(file, line, more string) overlay.Change {
		return overlay.Change{File: file, Good: line, Bad: line + more}
	}
	return []overlay.Change{
		{File: "target/harm.go", Bad: file("target_harm.go")},
		{File: "target/core.go", Good: "func (c *core) run(", Bad: "func (c *core) sound("},
		after("target/core.go", "func (a *addressing) laneOfEach(o *origin, owners []uint32) (lanes []uint32) {",
			"\n\ta.core.misplace(owners)\n"),
		after("target/send.go", "func (c *core) sendFrom(o *origin, vs pebbles, depth uint8) {",
			"\n\tif vs.n > 0 && c.forgotten() {\n\t\tvs = c.element.rest(vs, 1)\n\t}\n"),
		{File: "memory/harm.go", Bad: file("memory_harm.go")},
		after("memory/access.go", "func (a *Array[T]) Get(i uint64) T {", "\n\ti = a.spoiled(i, \"one read elsewhere\")"),
		after("memory/access.go", "func (a *Array[T]) GetRange(lo uint64, dst []T) {",
			"\n\tlo = a.spoiledRange(lo, len(dst), \"one read elsewhere\")"),
		after("memory/access.go", "func (a *Array[T]) Put(i uint64, v T) {",
			"\n\tif a.harms(\"one not written\") {\n\t\treturn\n\t}\n\ti = a.spoiled(i, \"one written elsewhere\")"),
		after("memory/access.go",
			"func (a *Array[T]) many(call string, indices []uint64, all []T, way operation, may func(string)) (w *wait) {",
			"\n\tif way == getting {\n\t\tindices = a.spoiledFirst(indices, \"one gathered elsewhere\")\n\t} else {"+
				"\n\tif len(indices) > 0 && a.harms(\"one not written\") {\n\t\tindices, all = indices[1:], all[1:]\n\t}"+
				"\n\tindices = a.spoiledFirst(indices, \"one written elsewhere\")\n\t}"),
		{File: "reduce/harm.go", Bad: file("reduce_harm.go")},
		{File: "reduce/cache.go", Good: "return o.out\n", Bad: "return c.spoil(o.out)\n"},
		{File: "reduce/cache.go", Good: "return c.store.drain(vs, keys)\n", Bad: "return c.spoil(c.store.drain(vs, keys))\n"},
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	return string(text)
}

// fault is one of the faults of testdata, with the verifier's expected report.
type fault struct{ name, says string }

const (
	missing   = `pebbles? (is|are) missing of the \d+ that were sent`
	tooMany   = `more pebbles? (is|are) handled or merged than the \d+ that were sent`
	altered   = `not those that were sent|are wrong|wrong totals|went wrong|out of turn|do not own|not where|breaches`
	misplaced = altered
	elements  = `are wrong|were read wrong|not what was written|did not go where|have other sample sets`
	stray     = `answers that no call waits for|` + tooMany + `|` + altered
)

// ofAll are faults of pebbles of every kind, ofCaches those of pebbles that pass a cache.
var (
	ofAll = []fault{
		{"one lost", missing},
		{"one lost, but counted", missing},
		{"one never sent", missing},
		{"one twice", tooMany},
		{"each three times", tooMany},
		{"each three times, but counted once", tooMany},
		{"one lost, another twice", altered},
		{"altered", altered},
		{"one at the next rank", misplaced},
		{"all at the next rank", misplaced},
	}
	ofCaches = []fault{{"lost in the cache", missing}, {"merges counted wrongly", tooMany}}
	// ofTasks are faults of stolen tasks. Only the runtime counts them. They may run anywhere, and many more would be
	// stolen without end.
	ofTasks = lessOf(inspected(ofAll), "each three times", "each three times, but counted once", "one at the next rank",
		"all at the next rank")
	// ofRows are faults of rows of tables, which only the runtime counts and which applications inspect afterwards.
	ofRows = inspected(ofAll)
	// unaltered are those of them that change no bit of a pebble.
	unaltered = lessOf(ofRows, "altered")
	// ofQuestions are faults of questions that tasks wait for. A lost one blocks its task, which also ends the job.
	ofQuestions = []fault{
		{"one twice", stray},
		{"each three times", stray},
		{"each three times, but counted once", stray},
		{"one lost, another twice", stray},
		{"one at the next rank", stray},
		{"all at the next rank", stray},
	} // a question with a changed bit may get the right answer
	// ofReads, ofGathers and ofWrites are faults of elements of arrays.
	ofReads   = []fault{{"one read elsewhere", elements}}
	ofGathers = []fault{{"one gathered elsewhere", elements}}
	ofWrites  = []fault{{"one not written", elements}, {"one written elsewhere", elements}}
	ofKeys    = []fault{{"all to one key lost", missing}}
)

// cases are runs of all applications, of a few milliseconds each, and the targets whose pebbles the faults affect.
var cases = []struct {
	line, at string
	faults   []fault
}{
	{"randomaccess --log2-words 10", "update", ofAll},
	{"randomaccess --log2-words 10", "undo", ofAll},
	{"randomaccess --log2-words 10", "update,undo", ofAll},
	{"randomaccess --log2-words 10 --ranks 3", "update,undo", ofAll},
	// forwards it
	{"randomaccess --log2-words 10 --topology hypercube", "update,undo", without("one at the next rank")},
	{"randomaccess --log2-words 10 --cache 64", "update", append(ofCaches, counted()...)},
	{"permutation --log2-elements 10", "permute", ofAll},
	{"permutation --log2-elements 10", "put", ofAll},
	{"permutation --log2-elements 10 --cache 64", "put", ofCaches},
	{"pointerchase --rounds 2", "visit", without("one lost, another twice")}, // one message at a time
	{"alltoall --rounds 100", "item", ofAll},
	{"alltoall --rounds 100 --topology hypercube", "item", without("one at the next rank")},
	// a decoded letter has no bytes
	{"alltoall --rounds 100 --bytes 40", "item", without("one at the next rank", "altered")},
	{"reduce --items 1000 --keys 50 --cache 0 --kind sum", "sum", ofAll},
	{"reduce --items 1000 --keys 50 --cache 0 --kind count", "count", ofAll},
	{"reduce --items 1000 --keys 50 --cache 0 --kind max", "max", ofAll},
	{"reduce --items 1000 --keys 50 --cache 0 --kind distinct", "distinct", ofAll},
	{"reduce --items 1000 --keys 50 --cache 0 --kind concatenate", "concatenate", ofAll},
	{"reduce --items 1000 --keys 50 --kind sum", "sum", ofCaches},
	{"reduce --items 1000 --keys 50 --kind count", "count", ofCaches},
	{"reduce --items 1000 --keys 50 --kind max", "max", append(ofCaches, counted()...)},
	{"reduce --items 1000 --keys 50 --kind distinct", "distinct", append(ofCaches, counted()...)},
	{"reduce --items 1000 --keys 50 --kind concatenate", "concatenate", ofCaches},
	{"epochs --count 10 --pebbles 2", "next", without("one lost, another twice")}, // a rank gets only equal ones
	{"ping --messages 1000", "message", ofAll},
	{"stressmark pointer --hops 100", "field", ofReads},
	{"stressmark update --hops 100", "field", append(ofWrites, ofReads...)},
	{"stressmark neighborhood --side 64 --lines 500", "image", ofReads},
	{"access gather --log2-words 10 --accesses 500", "table", ofGathers},
	// With few words none is written twice, which would mend the fault.
	{"access gather --log2-words 20 --accesses 10 --way scatter", "table", ofWrites},
	{"access gather --log2-words 20 --accesses 10 --way put", "table", ofWrites},
	{contagion, "visit", ofAll},
	{contagion + " --topology hypercube", "visit", without("one at the next rank")},
	// one bundle a frame
	{contagion + " --send manual", "visits", without("altered", "one lost, another twice", "one at the next rank")},
	{contagion, "exposure", ofAll},
	{contagion + " --loimos --locations 225", "visit,exposure", ofAll},
	{contagion + " --cache 64", "exposure", append(ofCaches, counted()...)},
	{nbody, "particle", ofAll},
	{nbody + " --topology hypercube", "particle", without("one at the next rank")},
	// an answer has a pointer; few come together
	{nbody + " --procs 2", "cell", without("altered", "one lost, another twice")},
	// An answer is a record of a codec, which a rank that does not own it sends on to its owner.
	{nbody + " --procs 2", "cell answers", without("altered", "one lost, another twice", "one at the next rank")},
	{nbody + " --procs 2", "arrival", without("one lost, another twice")},
	{"uts --depth 6", "search", ofTasks},
	{"uts --in-memory --depth 6", "places", ofAll},
	{"uts --in-memory --depth 6", "visit", ofTasks[:len(ofTasks)-1]}, // a changed bit would be the scheduler's
	{"uts --in-memory --depth 6 --mode pebbles", "visit", ofAll},
	{"bfs --kronecker 8 --roots 3", " arcs", ofAll},
	{"bfs --kronecker 8 --roots 3 --order degree", "ordered arcs", ofAll},
	{"bfs --kronecker 8 --roots 3", "visits", ofAll},
	{"bfs --kronecker 8 --roots 3", "visits,claims,edges", ofKeys},
	{"bfs --kronecker 8 --roots 3 --cache 64", "visits", append(ofCaches, counted()...)},
	{"bfs --kronecker 8 --roots 3", "claims", ofAll},
	{"bfs --kronecker 8 --roots 3", "edges", ofAll},
	{"bfs --kronecker 8 --roots 3 --mode direction", "visits", ofAll},
	// one for each rank
	{"bfs --kronecker 8 --roots 3 --mode direction --alpha 1e9 --beta 1e9", "pieces", without("one lost, another twice")},
	{"bfs --erdos-renyi 8 --roots 3 --mode direction", "reversed arcs", ofAll},
	{"bfs --kronecker 8 --roots 3 --mode async", "offers", ofAll},
	{"bfs --kronecker 8 --roots 3 --mode async", "offers,claims,edges", ofKeys},
	{"bfs --kronecker 8 --roots 3 --mode async --cache 64", "offers", append(ofCaches, counted()...)},
	{"bfs --kronecker 8 --roots 3 --mode tasks", "swaps", ofQuestions},
	{"sssp --kronecker 8 --roots 3", "offers", ofAll},
	{"sssp --kronecker 8 --roots 3", "offers,arcs", ofKeys},
	{"sssp --kronecker 8 --roots 3 --cache 64", "offers", append(ofCaches, counted()...)},
	{"sssp --kronecker 8 --roots 3", "sssp arcs", ofAll},
	{"centrality --kronecker 8", "offers", ofAll},
	{"centrality --kronecker 8", "replies", ofAll},
	{"centrality --kronecker 8", "onwards", ofAll},
	{"centrality --kronecker 8", "backwards", ofAll},
	{"pagerank --kronecker 8", "wants", ofAll},
	{"pagerank --kronecker 8", "numbers", without("one lost, another twice")}, // one frame per iteration
	{"pagerank --kronecker 8", "shares", ofAll},
	{"components --erdos-renyi 8 --edge-factor 1", "joins", ofAll},
	{"components --erdos-renyi 8 --edge-factor 1", "asks", ofAll},
	{"components --erdos-renyi 8 --edge-factor 1", "answers", ofAll},
	{"components --erdos-renyi 8 --edge-factor 1", "sizes", ofAll},
	{"components --erdos-renyi 8 --edge-factor 1", "visits", ofAll},
	{"components --erdos-renyi 8 --edge-factor 1 --method propagate", "offers", ofAll},
	{"components --kronecker 8 --order degree --top 1", "smallest", without("one lost, another twice")}, // equal
	// One frame per iteration.
	{"communities --kronecker 8", "numbers", without("one lost, another twice")},
	// Notes of a label are equal.
	{"communities --kronecker 8", "labels", without("one lost, another twice")},
	{"triangles --kronecker 8", "lists", ofAll},
	{"triangles --kronecker 8", "wedges", ofAll},
	{"triangles --kronecker 8", "closed", without("one lost, another twice")}, // notes of one vertex are equal
	{"triangles --kronecker 8 --top 1", "shares", ofAll},
	{"jaccard --kronecker 8", "lists", ofAll},
	{"jaccard --kronecker 8", "wedges", ofAll},
	{"jaccard --kronecker 8", "closed", without("one lost, another twice")}, // notes of one pair are equal
	{"kcore --kronecker 8", "losses", ofAll},
	// A word is a record of a codec, which a rank that does not own it sends on to its owner.
	{"words --bytes 20000", "words add", lessOf(unaltered, "one at the next rank")},
	{"kmers --bases 1000 --coverage 2", "k-mers add", unaltered},
	{"sort --numbers 2000", "rows moves", unaltered}, // the destination of a row may also be altered
	{"join --left 2000 --right 1000", "right moves", unaltered},
	{"bfs --kronecker 8 --roots 3 --mode async", "wakes", without("one lost, another twice", "one at the next rank")},
}

// contagion is a simulation in which many are exposed.
const contagion = "contagion --people 1000 --days 5 --outbreak 50"

// nbody is a simulation whose particles change their ranks.
const nbody = "nbody --particles 500 --steps 1 --step 0.2 --sample 10"

// lessOf returns faults without some of them.
func lessOf(faults []fault, names ...string) []fault {
	return slices.DeleteFunc(slices.Clone(faults), func(f fault) bool { return slices.Contains(names, f.name) })
}

// without returns all faults except some, which would change nothing.
func without(names ...string) []fault { return lessOf(ofAll, names...) }

// inspected returns faults of what only the runtime counts: an application sees altered work if its counts agree.
func inspected(faults []fault) []fault {
	faults = slices.Clone(faults)
	for i := range faults {
		switch faults[i].name {
		case "one lost, but counted", "one never sent", "each three times, but counted once":
			faults[i].says = altered
		}
	}
	return faults
}

// counted returns the faults that change the number of pebbles.
func counted() []fault { return ofAll[:6] }

// mayMiss are runs whose result is unchanged if the harm affects certain pebbles: the bit of a task that is a leaf, and
// two equal words, one for the other. They are repeated until one fails, with harm at a later chance.
var mayMiss = []string{"uts --depth 6/altered", "words --bytes 20000/one lost, another twice"}

// TestFaultsAreFound requires that every application notices a fault of pebbles, and names it.
func TestFaultsAreFound(t *testing.T) {
	if !*build {
		t.Skip("builds the command anew: give -build, as .ci/verifiers does")
	}
	program := filepath.Join(t.TempDir(), "pebbles")
	overlay.Build(t, changes(t), "build", "-o", program, "./cmd/pebbles")
	for _, c := range cases {
		t.Run(c.line+"/"+c.at, func(t *testing.T) {
			t.Parallel()
			told, status := run(t, program, c.line)
			require.Empty(t, told)
			require.Zero(t, status)
			for _, fault := range c.faults {
				t.Run(fault.name, func(t *testing.T) {
					var told string
					var status, after int
					for range runsMost {
						told, status = run(t, program, c.line, "HARM="+fault.name, "HARM_AT="+c.at, "HARM_KEY="+key,
							fmt.Sprintf("HARM_AFTER=%d", after))
						if !strings.Contains(told, done) {
							after = 0
						} else if status != 0 || !slices.Contains(mayMiss, c.line+"/"+fault.name) {
							break
						} else {
							after++
						}
					}
					require.Contains(t, told, done)
					require.Equal(t, 1, status, told)
					require.Regexp(t, fault.says, told)
				})
			}
		})
	}
}

const (
	done     = "harm is done"
	runsMost = 20 // until there was something to harm: on a busy machine a job may end before a task is stolen
)

// key is a vertex that some search reaches. Its visits and arcs are lost.
const key = "5"

// run runs the broken command, on 4 ranks by default.
func run(t *testing.T, program, line string, harm ...string) (stderr string, status int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	args := strings.Fields(line)
	if !strings.Contains(line, "--ranks") {
		args = append(args, "--ranks", "4")
	}
	c := exec.CommandContext(ctx, program, append(args, "--json")...)
	c.Env = append(os.Environ(), harm...)
	var told bytes.Buffer
	c.Stderr = &told
	err := c.Run()
	require.NoError(t, ctx.Err(), "it does not end\n%s", told.String())
	if c.ProcessState == nil {
		require.NoError(t, err)
	}
	return told.String(), c.ProcessState.ExitCode()
}
