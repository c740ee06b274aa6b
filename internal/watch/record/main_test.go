package record

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/activepebbles/pebbles/internal/leaks"
	"github.com/activepebbles/pebbles/internal/seeds"
	"github.com/activepebbles/pebbles/internal/watch/state"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(childDir); dir != "" {
		writeUntilKilled(dir)
	}
	goleak.VerifyTestMain(leaks.Main(m))
}

var began = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

// after returns a time on the clock of the tests' jobs.
func after(seconds float64) time.Time {
	return began.Add(time.Duration(seconds * float64(time.Second))).Truncate(time.Millisecond)
}

// jobOf returns a job whose processes have equal numbers of ranks.
func jobOf(id string, processes, ranks int) *state.Job {
	job := &state.Job{
		Program:   "bfs",
		ID:        id,
		Ranks:     processes * ranks,
		Transport: "tcp",
		Settings:  map[string]string{"memory-limit": "64 MiB", "topology": "hypercube"},
		Started:   began,
	}
	for p := range processes {
		process := state.Process{Process: p, Host: fmt.Sprintf("host%d", p/2), PID: 1000 + p, Bound: 64 << 20}
		process.First, process.Last = p*ranks, (p+1)*ranks
		for r := process.First; r < process.Last; r++ {
			process.Ranks = append(process.Ranks, state.Rank{Rank: r, Doing: state.Computing, For: -1})
		}
		job.Processes = append(job.Processes, process)
	}
	return job
}

// step simulates one second of a busy process with a number of events per rank.
func step(random *rand.Rand, p *state.Process, second, events int) {
	p.Resident = 1<<30 + random.Int64N(1<<28)
	for i := range p.Ranks {
		r := &p.Ranks[i]
		r.Doing = []state.Doing{state.Computing, state.Handling, state.Waiting}[random.IntN(3)]
		r.Target, r.Wait, r.For = "update", "", -1
		if r.Doing == state.Waiting {
			r.Wait, r.For = "credit for frames to rank 7", 7
		}
		r.Call = state.Call{Number: uint64(second + 1), Kind: "epoch", Name: "level", Site: "bfs.go:88", Open: true}
		r.Status = fmt.Sprintf("level %d, %d vertices", second, random.IntN(1e6))
		r.Counters.PebblesHandled += random.Uint64N(5e6)
		r.Counters.BytesSent += random.Uint64N(5e6)
		r.Counters.FramesSent += random.Uint64N(5e3)
		r.Counters.Epochs = uint64(second)
		r.Seconds.Compute += 0.2 + random.Float64()/10
		r.Seconds.Handle += 0.3
		r.Seconds.Credit += random.Float64() / 10
		r.Seconds.Idle += 0.1
		r.StillSeconds = float64(random.IntN(3))
		r.Memory = state.Memory{Held: random.Int64N(1 << 20), Peak: 1<<20 + int64(second), Limit: 64 << 20}
		r.Links = nil
		for range 3 {
			r.Links = append(r.Links, state.Link{Target: "update", To: random.IntN(1000), Flight: 4, Bytes: 9e6, Sent: 12345})
		}
		addEvents(r, second, events)
	}
}

// addEvents appends events to a rank's ring: an epoch, which ends a second later, and waits.
func addEvents(r *state.Rank, second, events int) {
	for i := range r.Events {
		if e := &r.Events[i]; e.Kind == "epoch" && e.End == 0 {
			e.End = float64(second)
		}
	}
	for e := range events {
		event := state.Event{At: float64(second) + float64(e)/1000, End: float64(second) + float64(e)/1000 + 0.0005}
		if event.Kind, event.Name, event.Number = "wait", "credit for frames to rank 7", uint64(e); e == 0 {
			event = state.Event{At: float64(second), Kind: "epoch", Name: "level", Site: "bfs.go:88", Number: uint64(second + 1)}
		}
		r.Events = append(r.Events, event)
	}
	r.Events = r.Events[max(0, len(r.Events)-ringFull):]
}

// newRandom draws from a logged seed.
func newRandom(t testing.TB) *rand.Rand {
	return rand.New(rand.NewPCG(seeds.Of(t), 0))
}

// written returns the bytes and the number of the files in a folder.
func written(t testing.TB, dir string) (bytes int64, files int) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		info, err := e.Info()
		require.NoError(t, err)
		bytes += info.Size()
	}
	return bytes, len(entries)
}

// settle waits until the writer has written its batches.
func settle(t testing.TB, w *Writer) {
	t.Helper()
	done := make(chan struct{})
	w.sink.queue <- batch{done: done}
	<-done
}

// create begins a record.
func create(t testing.TB, dir string, job *state.Job, process int, bytes int64) *Writer {
	t.Helper()
	w, err := Create(dir, job, process, bytes)
	require.NoError(t, err)
	return w
}

func createLauncher(t testing.TB, dir, job, program string, processes int, at time.Time) *Launcher {
	t.Helper()
	l, err := CreateLauncher(dir, job, program, processes, at)
	require.NoError(t, err)
	return l
}

// one is the only process of a job, which writes a record.
type one struct {
	*Writer
	t      testing.TB
	dir    string
	job    *state.Job
	p      *state.Process
	random *rand.Rand
}

// newOne returns a job with the given number of ranks, and the given limit of bytes.
func newOne(t testing.TB, ranks int, bytes int64) *one {
	t.Helper()
	o := &one{t: t, dir: t.TempDir(), job: jobOf("j1", 1, ranks), random: newRandom(t)}
	o.p, o.Writer = &o.job.Processes[0], create(t, o.dir, o.job, 0, bytes)
	return o
}

// live lets the process work for a second with the given number of events, and writes the second.
func (o *one) live(s, events int) error {
	step(o.random, o.p, s, events)
	err := o.Second(after(float64(s+1)), o.p, 0, "it moves")
	settle(o.t, o.Writer)
	return err
}

// read closes the record, whose counters must be those of the ranks.
func (o *one) read(seconds int) *Record {
	o.t.Helper()
	require.NoError(o.t, o.Close(after(float64(seconds)), ""))
	record := reread(o.t, o.dir)
	for _, twin := range o.p.Ranks {
		require.Equal(o.t, twin.Counters, record.Rank(twin.Rank).Counters)
	}
	return record
}

// second writes a second, and waits until it is written.
func second(t testing.TB, w *Writer, at float64, p *state.Process) {
	t.Helper()
	require.NoError(t, w.Second(after(at), p, 0, "it moves"))
	settle(t, w)
}

// reread reads a record; read requires one without problems.
func reread(t testing.TB, dir string) *Record {
	t.Helper()
	record, err := Read(dir)
	require.NoError(t, err)
	return record
}

func read(t testing.TB, dir string) *Record {
	t.Helper()
	record := reread(t, dir)
	require.Empty(t, record.Problems)
	return record
}

// onlyFile returns the only file of a folder.
func onlyFile(t testing.TB, dir string) (path string, text []byte) {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(dir, "*"))
	require.NoError(t, err)
	require.Len(t, all, 1)
	text, err = os.ReadFile(all[0])
	require.NoError(t, err)
	return all[0], text
}

// childDir names the variable that makes this binary a writer to be killed.
const childDir = "PEBBLES_TEST_RECORD"

// writeUntilKilled writes second after second, at the speed of the disk.
func writeUntilKilled(dir string) {
	job := jobOf("j1", 1, 4)
	w, err := Create(dir, job, 0, 1<<20)
	if err != nil {
		panic(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for s := 0; ; s++ {
		step(random, &job.Processes[0], s, 3)
		if err := w.Second(after(float64(s)), &job.Processes[0], 0, "it moves"); err != nil {
			panic(err)
		}
		if s == 10 { // all earlier batches are written
			done := make(chan struct{})
			w.sink.queue <- batch{done: done}
			<-done
			os.Stdout.WriteString("writes\n")
		}
	}
}

// TestKilled kills a process at any moment. Its written lines are in the record, except for a cut one, and the record
// classifies the end as a kill.
func TestKilled(t *testing.T) {
	random := newRandom(t)
	for range 6 {
		dir := t.TempDir()
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), childDir+"="+dir)
		out, err := child.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, child.Start())
		_, err = bufio.NewReader(out).ReadString('\n')
		require.NoError(t, err)
		time.Sleep(time.Duration(random.IntN(20_000)) * time.Microsecond) // any moment
		require.NoError(t, child.Process.Signal(syscall.SIGKILL))
		require.Error(t, child.Wait())

		record := reread(t, dir)
		require.Len(t, record.Ranks, 4)
		require.Equal(t, Killed, record.Ending.Kind)
		require.Equal(t, 0, record.Ending.Process)
		require.Contains(t, record.Ending.Cause, "Process 0 (ranks 0-3, host host0, pid 1000) was killed")
		for _, problem := range record.Problems {
			require.Regexp(t, "the last line is cut|to keep the record in bounds|because its disk was slow", problem)
		}
	}
}
