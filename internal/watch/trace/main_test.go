package trace

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/activepebbles/pebbles/internal/leaks"
	"github.com/activepebbles/pebbles/internal/seeds"
)

func TestMain(m *testing.M) {
	if path := os.Getenv(childPath); path != "" {
		traceUntilKilled(path)
	}
	goleak.VerifyTestMain(leaks.Main(m))
}

var began = time.Date(2026, 3, 4, 5, 6, 7, 123456789, time.UTC)

// zero is the time began in the form of traces.
var zero = uint64(began.UnixNano())

// configOf returns the configuration of a process of a job, with the given number of ranks in each process.
func configOf(process, processes, ranks int) Config {
	return Config{
		Process: process, Processes: processes, First: process * ranks, Last: (process + 1) * ranks,
		Program: "bfs", Job: "j1", Host: fmt.Sprintf("host%d", process), PID: 4000 + process, Started: began,
		Names: func(n uint32) string { return fmt.Sprintf("name %d", n) },
	}
}

// create begins a trace in the test's folder.
func create(t testing.TB, c Config) *File {
	t.Helper()
	f, err := Create(filepath.Join(t.TempDir(), "trace.pftrace"), c)
	require.NoError(t, err)
	return f
}

// finished closes a trace and returns its picture.
func finished(t testing.TB, f *File) *picture {
	t.Helper()
	require.NoError(t, f.Close())
	return view(t, read(t, f.path))
}

// summed returns Merge's summary of one trace.
func summed(t testing.TB, path string) Summary {
	t.Helper()
	sum, err := Merge(io.Discard, []string{path})
	require.NoError(t, err)
	return sum
}

func read(t testing.TB, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	return b
}

// newRandom returns a random generator with a logged seed.
func newRandom(t testing.TB) *rand.Rand {
	return rand.New(rand.NewPCG(seeds.Of(t), 0))
}

// wanted holds the recorded events in a viewer's form: the serial twin of a trace.
type wanted struct {
	events []shown
}

// tell records an event of a rank, and notes it.
func (w *wanted) tell(r *Rank, rank int, e event) {
	if e.instant {
		r.Instant(e.kind, e.name, e.begin, e.a, e.b)
	} else {
		r.Slice(e.kind, e.name, e.begin, e.end, e.a, e.b)
	}
	numbers := map[string]uint64{}
	for i, name := range kindNumbers[e.kind] {
		if value := []uint64{e.a, e.b}[i]; value != None {
			numbers[name] = value
		}
	}
	w.events = append(w.events, shown{
		rank: fmt.Sprintf("rank %d", rank), row: kindRows[e.kind], kind: kindNames[e.kind],
		name: fmt.Sprintf("name %d", e.name), begin: zero + uint64(e.begin), end: zero + uint64(e.end),
		numbers: numbers, instant: e.instant,
	})
}

var (
	kindNames = []string{"epoch", "collective", "handler", "task", "wait", "access", "lock", "flush", "other"}
	kindRows  = []string{"", "", "handlers", "tasks", "waits", "accesses", "locks", "flushes", "other"}

	kindNumbers = [][]string{
		{"call", "pebbles"}, {"call", "bytes"}, {"pebbles", "from"}, {"task"}, {"parks", "for"}, {"bytes", "of"},
		{"lock", "of"}, {"bytes", "to"}, {"value"},
	}
)

// keyed is an event with all that it shows as one text.
type keyed struct {
	key string
	shown
}

// sorted sorts events into an order that is independent of their arrival. The rank's own track has no name.
func sorted(events []shown) (all []keyed) {
	for _, e := range events {
		if e.row == "calls" {
			e.row = ""
		}
		key := fmt.Sprint(e.rank, e.kind, e.begin, " ", e.end, e.name, e.numbers, e.instant) // maps by key
		all = append(all, keyed{key, e})
	}
	slices.SortFunc(all, func(a, b keyed) int { return cmp.Compare(a.key, b.key) })
	return all
}

// same fails the test unless a trace shows the recorded events, each once.
func (w *wanted) same(t testing.TB, p *picture) {
	t.Helper()
	require.Equal(t, len(w.events), len(p.events))
	require.Equal(t, sorted(w.events), sorted(p.events))
	for _, track := range p.tracks {
		require.LessOrEqual(t, track.deepest, 1)
	}
}

// childPath is the path where the test's own program writes a trace until it is killed.
const childPath = "TRACE_TEST_CHILD"

func traceUntilKilled(path string) {
	f, err := Create(path, configOf(0, 1, 1))
	if err != nil {
		panic(err)
	}
	for i := range time.Duration(1000) {
		f.Rank(0).Slice(Wait, 1, 2*i, 2*i+1, uint64(i), None)
	}
	if err := f.Drain(); err != nil {
		panic(err)
	}
	f.Rank(0).Slice(Wait, 1, 9999, 9999, 0, None) // is lost
	fmt.Println("drained")
	time.Sleep(time.Hour) // Go ends a process whose goroutines all block
}

// TestKilled requires that the trace of a killed process has all events up to its last Drain.
func TestKilled(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.pftrace")
	child := exec.Command(os.Args[0])
	child.Env, child.Stderr = append(os.Environ(), childPath+"="+path), os.Stderr
	out, err := child.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, child.Start())
	_, err = bufio.NewReader(out).ReadString('\n')
	require.NoError(t, child.Process.Kill())
	require.Error(t, child.Wait())
	require.NoError(t, err)
	require.Len(t, view(t, read(t, path)).events, 1000)
}
