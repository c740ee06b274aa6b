package worlds

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/seeds"
	"github.com/activepebbles/pebbles/lab/internal/overlay"
)

var brokenBuilds = flag.Int("broken", 0, "how many broken builds to draw, by the seed; 0 is all")

// worldsMost is the number of worlds within which a broken build must be caught.
const worldsMost = 200_000

// again is the number of runs in which a world must fail again. Goroutines of processes that connect run in any order.
const again = 2000

var caughtWithin = flag.Duration("caught-within", 0, "how long it may take until a broken build is caught; 0 leaves "+
	"them out")

// change is a change of the runtime that breaks a promise.
type change struct{ name, file, good, bad string }

// breaks are changes that worlds of pebbles catch.
var breaks = []change{
	{"a lost credit", "netio/pool.go", "f.in.Account.open.Add(-1)",
		"if p.back%50 != 49 {\n\tf.in.Account.open.Add(-1)\n}"},
	{"a dropped count", "internal/engine/arrivals.go", "f.Release()\n\ta.processed++",
		"f.Release()\n\tif a.processed++; a.processed == 20 {\n\t\ta.processed--\n\t}"},
	{"an early end", "termination/skr.go", "d.seen && sums == d.last && sums.Created", "sums.Created"},
	{"frames not waited for", "termination/nbx.go", "if !s.Idle || !s.Back {", "if !s.Idle {"},
	{"a frame not waited for by all", "termination/pcx.go", "s.Ledger.ProcessedAll(uint32(d.round)) != d.expected",
		"s.Ledger.ProcessedAll(uint32(d.round))+1 < d.expected"},
	{"a frame not waited for on a link", "termination/exchange.go", "s.Ledger.Processed(from, phase) != p.expected",
		"s.Ledger.Processed(from, phase)+1 < p.expected"},
	{"an epoch's number that must not wrap", "internal/engine/arrivals.go", "int32(f.Epoch-a.sender.Epoch) <= 0",
		"f.Epoch <= a.sender.Epoch"},
	{"a detector kept", "internal/engine/detection.go", "d.detectorFor == made && !made.ofEpoch",
		"d.detectorFor == made"},
	{"pebbles of other keys dropped", "reduce/first.go", "if old == tag {", "if old == tag || n%4 == 3 {"},
	{"pebbles that do not fit dropped", "reduce/writeback.go", "if joined, ok := join(e.v, v); ok {",
		"if joined, ok := join(e.v, v); ok || i%3 == 2 {"},
	// Promises of caches and directories. Marks without an order are too rare in worlds; netio/sim has a test of those.
	{"a write-through cache met again", "target/retune.go", "c.cache != nil && (c.spec.reduces.writeBack || !moving && " +
		"c.out.Plan.Fixed())", "c.cache != nil"},
	{"an operation that waits for ever", "netio/sim/onesided.go", "res.of.Completion.Inside(access).End(1, res.cause)",
		"if res.fenced%9 != 8 {\n\tres.of.Completion.Inside(access).End(1, res.cause)\n}"},
	{"a lost invalidation", "memory/question.go", "return key == uint64(h)", "return key == uint64(h) && h.index() > 1"},
	{"an addition done twice", "internal/exposed/access.go", "old = atomic.AddUint64(at, n) - n",
		"if old = atomic.AddUint64(at, n) - n; old%5 == 4 {\n\tatomic.AddUint64(at, n)\n}"},
	{"a wake-up ahead of its time lost", "task/wait.go", "\tw := s.caller(\"Suspend\")\n",
		"\tw := s.caller(\"Suspend\")\n\tw.permit = false\n"},
	{"a wake-up lost", "internal/future/future.go", "if f.waits {", "if f.waits && f.use != 7 {"},
	{"a task stolen twice", "task/kind.go", "\tk.first += n\n\tk.s.queued -= n\n",
		"\tk.first += n - n/4\n\tk.s.queued -= n - n/4\n"},
	{"a task lost on its way", "task/kind.go", "k.first += n\n", "if k.first += n; k.spare() > 2 " +
		"{\n\t\tk.first++\n\t\tk.s.queued--\n\t}\n"},
	// Promises of checkpoints: the restored state is that of one moment, each element once.
	{"a part of the checkpoint before", "checkpoint/value.go", "data, err := p.bytes(nil, []T{*p.at})",
		"if p.came == nil {\n\t\tp.came = []from[T]{{v: *p.at}}\n\t}\n\tdata, err := p.bytes(nil, []T{p.came[0].v})\n" +
			"\tp.came[0].v = *p.at"},
	{"a row lost", "checkpoint/records.go", "container.AddRecords(e.of, vs)", "container.AddRecords(e.of, vs[1:])"},
	{"a row twice", "checkpoint/records.go", "container.AddRecords(e.of, vs)",
		"container.AddRecords(e.of, append(vs, vs[0]))"},
	{"elements that go to other ranks lose their keys", "checkpoint/rows.go", "mine[j], theirs[j] = vs[i], keys[i]",
		"mine[j], theirs[j] = vs[i], keys[own[0]]"},
	{"a move forgotten", "target/directory.go", "if w := d.waiting[i]; d.Owns(w.key) {",
		"if w := d.waiting[i]; i == 0 && d.Owns(w.key) {"},
}

// connectionBreaks are changes that worlds in which processes connect catch.
var connectionBreaks = []change{
	{"two connections for a pair", "netio/tcp/stream.go",
		"if l.joined || l.answering || l.dialling && l.peer.place.Process < l.peer.t.place.Process {",
		"if l.joined || l.answering {"},
	{"a frame before the greeting", "netio/tcp/connect.go", "\tundo := context.AfterFunc(ctx, func() { raw.Close() })",
		"\t_ = l.peer.join(uint8(l.number), raw)\n\tundo := context.AfterFunc(ctx, func() { raw.Close() })"},
	{"a frame before the answer", "netio/tcp/connect.go", "\thello.Lane = uint8(l.number) // the other end",
		"\tif errors.Is(err, handshake.ErrCrossed) {\n\t\tconn, err = raw, nil\n\t}\n" +
			"\thello.Lane = uint8(l.number) // the other end"},
	{"a failed dial that is not repeated", "netio/tcp/connect.go", "return passes(err) && !refusals.Hopeless(err), err",
		"return passes(err) && refusals.Hopeless(err), err"},
	{"an answer that is never taken back", "netio/tcp/connect.go",
		"\t\tc.t.peer(hello.Process).streams[hello.Lane].endAnswer()", "\t\t_ = c"},
	{"frames lost that wait for a connection", "netio/tcp/peer.go", "\tl.kick() // an abort message",
		"\tif l.number == controlStream {\n\t\tl.out.discard()\n\t}\n\tl.kick() // an abort message"},
}

// The code that the breaks change exists.
func TestBreaksAreOfThisTree(t *testing.T) {
	for _, b := range slices.Concat(breaks, connectionBreaks) {
		overlay.Texts(t, []overlay.Change{{File: b.file, Good: b.good, Bad: b.bad}})
	}
}

// Builds of the runtime that are broken on purpose are caught and reported with a small world, which fails again.
func TestBrokenBuildsAreCaught(t *testing.T) { areCaught(t, breaks, "TestWorlds") }

// Builds whose connections are broken are caught, too.
func TestBrokenConnectionsAreCaught(t *testing.T) {
	areCaught(t, connectionBreaks, "TestConnectingWorlds")
}

// areCaught builds the runtime with each change, and requires that a test of worlds catches it.
func areCaught(t *testing.T, all []change, test string) {
	if *caughtWithin == 0 {
		t.Skip("builds the runtime anew: give -caught-within, as .ci/worlds does")
	}
	all = slices.Clone(all)
	if n := *brokenBuilds; n > 0 {
		rand.New(rand.NewPCG(seeds.Of(t), 0)).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		t.Logf("draws %d of %d", min(n, len(all)), len(all))
		all = all[:min(n, len(all))]
	}
	for _, broken := range all {
		t.Run(broken.name, func(t *testing.T) {
			t.Parallel()
			program := build(t, "./lab/worlds", broken.file, broken.good, broken.bad)
			began := time.Now()
			told := fails(t, program, test, fmt.Sprint("-worlds=", worldsMost))
			_, rest, ok := strings.Cut(told, "-world='")
			require.True(t, ok, told)
			world, _, _ := strings.Cut(rest, "'")
			_, after, _ := strings.Cut(told, "after ")
			after, _, _ = strings.Cut(after, "\n")
			t.Logf("caught after %v in %v, by %s", after, time.Since(began).Round(time.Millisecond), world)
			told = fails(t, program, "TestWorlds", "-world="+world, "-test.failfast", fmt.Sprint("-test.count=", again))
			require.Contains(t, told, "Error")
		})
	}
}

// A build that forgets unsuccessful thieves gives right answers, but late. A separate test catches it.
func TestDroppedLifelinesAreCaught(t *testing.T) {
	if *caughtWithin == 0 {
		t.Skip("builds the runtime anew: give -caught-within, as .ci/worlds does")
	}
	program := build(t, "./task", "task/thief.go", "t.waits = append(t.waits, p.From)", "_ = p")
	out, err := exec.CommandContext(t.Context(), program, "-test.run=^TestLifelines$").CombinedOutput()
	require.Error(t, err, string(out))
	require.Contains(t, string(out), "--- FAIL: TestLifelines")
}

// Torn words and lost additions, when others come in between, are caught by a test of their own: simulations do not
// interrupt them.
func TestBrokenWordsAreCaught(t *testing.T) {
	if *caughtWithin == 0 {
		t.Skip("builds the runtime anew: give -caught-within, as .ci/worlds does")
	}
	const pause = "\n\tfor range 1000 {\n\t\tatomic.LoadUint32((*uint32)(unsafe.Pointer(at)))\n\t}\n\t"
	halves := func(word string) string {
		return "atomic.StoreUint32((*uint32)(at), uint32(" + word + "))" + pause +
			"atomic.StoreUint32((*uint32)(unsafe.Add(unsafe.Pointer(at), 4)), uint32(" + word + ">>32))"
	}
	for _, broken := range []struct{ name, file, good, bad, says string }{
		{
			"torn, by who writes", "memory/access.go", "atomic.StoreUint64((*uint64)(at), *(*uint64)(unsafe.Pointer(&v)))",
			halves("*(*uint64)(unsafe.Pointer(&v))"), "a torn word",
		},
		{
			"torn, by who serves", "internal/exposed/access.go", "\t\tatomic.StoreUint64(word(dst), *word(src))\n\t\treturn",
			"at := unsafe.Pointer(word(dst))\n\t" + halves("*word(src)") + "\n\treturn", "a torn word",
		},
		{
			"an addition lost", "memory/word.go", "\t\treturn T(atomic.AddUint64(near, uint64(n))) - n",
			"old := atomic.LoadUint64(near)\n\tfor range 1000 {\n\t\tatomic.LoadUint64(near)\n\t}\n\t" +
				"atomic.StoreUint64(near, old+uint64(n))\n\treturn T(old)", "additions",
		},
	} {
		t.Run(broken.name, func(t *testing.T) {
			program := build(t, "./memory", broken.file, broken.good, broken.bad)
			var out []byte
			var err error
			for begun := time.Now(); err == nil && time.Since(begun) < *caughtWithin; { // a busy machine may need several
				c := exec.CommandContext(t.Context(), program, "-test.run=^TestSoak$")
				c.Env = append(os.Environ(), "PEBBLES_SOAK=3s")
				out, err = c.CombinedOutput()
			}
			require.Error(t, err, string(out))
			require.Contains(t, string(out), broken.says)
		})
	}
}

// build builds a package's tests with one changed file of the runtime.
func build(t *testing.T, folder, file, good, bad string) (program string) {
	t.Helper()
	program = filepath.Join(t.TempDir(), "broken.test")
	overlay.Build(t, []overlay.Change{{File: file, Good: good, Bad: bad}}, "test", "-c", "-o", program, folder)
	return program
}

// fails runs a test of a broken build, which must fail in time, and returns its output. The limit excludes the time for
// shrinking a world, and for a world that runs until it is stuck.
func fails(t *testing.T, program, test string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), *caughtWithin+shrinkFor+stuckAfter)
	defer cancel()
	out, err := exec.CommandContext(ctx, program, append([]string{"-test.run=^" + test + "$", "-test.v"},
		args...)...).CombinedOutput()
	require.NoError(t, ctx.Err(), "not caught within %v", *caughtWithin)
	require.Error(t, err, string(out))
	return string(out)
}
