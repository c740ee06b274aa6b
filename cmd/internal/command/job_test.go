package command

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
	"github.com/activepebbles/pebbles/termination"
)

func TestShort(t *testing.T) {
	for n, want := range map[float64]string{0: "0", 0.25: "0.25", 7: "7", 999: "999", 999.96: "1k", 1000: "1k",
		1234.5: "1.234k", 1e6: "1M", 2.5e9: "2.5G", 3e20: "300E"} {
		require.Equal(t, want, short(n))
	}
}

// fields are the fields of every JSON object.
var fields = []string{"app", "ranks", "procs", "transport", "topology", "termination", "coalesce", "cache", "seed",
	"seconds", "set_up_seconds", "verify_seconds", "errors", "counters", "memory"}

// picked returns the detector that auto selects.
func picked(t *testing.T, topology string, ranks, depth int) string {
	t.Helper()
	make, err := route.ByName(topology)
	require.NoError(t, err)
	hops, _ := route.Hops(make(ranks))
	d, err := termination.Auto(termination.Site{Ranks: ranks, Depth: depth, Hops: hops, Topology: make(ranks)})
	require.NoError(t, err)
	return d.Name()
}

// counts are the counters of every JSON object.
var counts = []string{"pebbles_sent", "pebbles_handled", "forwarded", "merged", "merged_at_hops", "rescued",
	"frames_sent",
	"frames_received", "bytes_sent", "flush_full", "flush_due", "flush_explicit", "flush_idle", "flush_periodic",
	"flush_deep",
	"waits", "credit_waits", "held", "control_sent", "detection_sent", "rounds", "epochs"}

func TestJSON(t *testing.T) {
	type place struct {
		flags               string
		ranks, procs        int
		transport, topology string
		coalesce, cache     int
	}
	processes := []place{ // for some applications: all start in the same way
		{"--procs 2", 2, 2, "shm", "direct", 0, 0},
		{"--procs 3 --ranks 5 --transport shm --topology ring", 5, 3, "shm", "ring", 0, 0},
		{"--procs 2 --ranks 5 --transport tcp --topology hypercube --coalesce 7 --cache 64 --seed 9", 5, 2, "tcp",
			"hypercube", 7, 64},
	}
	for i, app := range slices.Sorted(maps.Keys(small)) {
		places := []place{
			{"--ranks 3 --topology ring", 3, 1, "mem", "ring", 0, 0},
			{"--ranks 5 --topology hypercube --coalesce 7 --cache 64 --seed 9", 5, 1, "mem", "hypercube", 7, 64},
			{"--ranks 8 --due never --memory 1GiB --termination skr --transport mem", 8, 1, "mem", "direct", 0, 0},
		}
		if i%4 == 0 {
			places = append(places, processes[i/4%len(processes)])
		}
		for _, where := range places {
			t.Run(app+" "+where.flags, func(t *testing.T) {
				o := object(t, with(small[app], strings.Fields(where.flags)...)...)
				for _, f := range append(own[app], fields...) {
					require.Contains(t, o, f)
				}
				require.Equal(t, app, o["app"])
				require.EqualValues(t, 0, o["errors"])
				require.EqualValues(t, where.ranks, o["ranks"])
				require.EqualValues(t, where.procs, o["procs"])
				require.Equal(t, where.transport, o["transport"])
				require.Equal(t, where.topology, o["topology"])
				want := "skr"
				if !strings.Contains(where.flags, "--termination") {
					want = picked(t, where.topology, where.ranks, depths[app])
				}
				require.Equal(t, want, o["termination"])
				if where.coalesce != 0 && app != "pointerchase" { // whose one message does not wait
					require.EqualValues(t, where.coalesce, o["coalesce"])
					if !slices.Contains([]string{"alltoall", "uts", "ping"}, app) { // without a reduction
						require.EqualValues(t, where.cache, o["cache"])
					}
				}
				counters := o["counters"].(map[string]any)
				require.ElementsMatch(t, counts, slices.Collect(maps.Keys(counters)))
				require.NotZero(t, counters["pebbles_sent"])
				memory := o["memory"].(map[string]any)
				require.NotZero(t, memory["buffers_peak"])
				require.NotZero(t, memory["resident_peak"])
			})
		}
	}
}

func TestTable(t *testing.T) {
	for app, line := range small {
		t.Run(app, func(t *testing.T) {
			stdout := succeeds(t, with(line, "--ranks", "2")...)
			require.Regexp(t, "^"+app+` +2 ranks in 1 process, mem transport, direct topology, up to \d+ pebbles? a buffer(, cache of 1024 entries)?\n`, stdout)
			require.Regexp(t, `(?m)^verified +yes$`, stdout)
			require.Regexp(t, `(?s)\nverified .*\ntime .*\npebbles .*\nframes .*\nepochs .*\nmemory .*\n$`, stdout)
			aligned(t, stdout)
		})
	}
}

func TestTableIsLaidOut(t *testing.T) {
	o := outcome{
		report: apps.Report{
			App: "fake", Ranks: 8, Procs: 2, Transport: "tcp", Topology: "hypercube", Termination: "skr", Coalesce: 64,
			Cache:   4096,
			Seconds: 1.23456, SetUp: 0.0123456, Verify: 0.0000123, Errors: 1234,
			Counters: pebble.Counters{
				PebblesSent: 8388608, PebblesHandled: 8388000, Forwarded: 999, Merged: 608,
				FramesSent: 1500, BytesSent: 67108864, FlushFull: 1000, FlushExplicit: 300, FlushIdle: 200, Epochs: 3, Rounds: 1007,
			},
			Memory: apps.Memory{BuffersPeak: 1536, ResidentPeak: 5 << 30}, Connections: 2,
		},
		rows: [][2]string{{"updates", "7"}, {"updates a second", "5.67 million"}},
	}
	var text strings.Builder
	require.NoError(t, o.print(&text, newSettings(t)))
	require.Equal(t, `fake              8 ranks in 2 processes, tcp transport, hypercube topology, up to 64 pebbles a buffer, cache of 4096 entries
updates           7
updates a second  5.67 million
verified          NO: 1,234 errors
time              1.23s, and 12.35ms to set up, 12.3µs to verify
pebbles           8,388,608 sent, 8,388,000 handled, 999 forwarded, 608 merged
frames            1,500 sent, 64 MiB: 1,000 full, 300 flushed, 200 idle
epochs            3, 1,007 rounds of skr
memory            1.5 KiB for pebbles at most on a rank, 5 GiB resident at most in a process, and 2 connections
`, text.String())
}

// newSettings parses the flags that applications share.
func newSettings(t *testing.T, args ...string) *settings {
	s, c := &settings{}, &cobra.Command{}
	s.register(c)
	require.NoError(t, c.ParseFlags(args))
	return s
}

// TestTableTellsAll formats every possible row about buffers and links.
func TestTableTellsAll(t *testing.T) {
	r := apps.Report{Ranks: 4, Procs: 2, Transport: "tcp", Topology: "ring", Coalesce: 8, Errors: 1,
		Counters: pebble.Counters{
			PebblesSent: 1000, PebblesHandled: 900, Forwarded: 7, Merged: 100, MergedAtHops: 60, Rescued: 1234,
			FramesSent: 21, FlushFull: 1, FlushDue: 2, FlushExplicit: 3, FlushIdle: 4, FlushPeriodic: 5, FlushDeep: 6,
			CreditWaits: 1100, Held: 3, Epochs: 1, Rounds: 1,
		}}
	require.Equal(t, "1,000 sent, 900 handled, 7 forwarded, 100 merged (60 at hops), 1,234 rescued from links marked down",
		pebblesText(r))
	require.Equal(t, "21 sent, 0 B: 1 full, 2 due, 3 flushed, 4 idle, 5 periodic, 6 deep; 1,100 waited for credit, 3 "+
		"held back",
		framesText(r))
	require.Equal(t, "4 ranks in 2 processes, tcp transport, ring topology, up to 8 pebbles a buffer",
		place(r))
	require.Equal(t, "NO: 1 error", verdict(r.Errors))
	r.Procs, r.Counters = 1, pebble.Counters{FramesSent: 1, Held: 1}
	require.Equal(t, "1 sent, 0 B; 1 held back", framesText(r))
}

// TestTableOfRuns runs a job for each way in which a buffer leaves, and requires its count.
func TestTableOfRuns(t *testing.T) {
	for line, want := range map[string]string{
		"randomaccess --log2-words 10 --ranks 4 --coalesce 8":                                       `(?m)^frames .*: [\d,]+ full`,
		"randomaccess --log2-words 10 --ranks 5 --procs 2 --coalesce 2 --credits 1 --topology ring": `(?m)^frames .*; .*waited for credit`,
		"randomaccess --log2-words 8 --ranks 5 --credits 1 --coalesce 1":                            `(?m)^verified +yes$`,
		"permutation --log2-elements 8 --ranks 4 --topology hypercube --termination nbx":            `(?m)^epochs +\d+, \d+ rounds of nbx$`,
		"reduce --items 10000 --keys 50 --ranks 8 --topology hypercube --cache 64":                  `(?m)merged \([\d,]+ at hops\)`,
		"bfs --kronecker 8 --roots 1 --mode async --ranks 3":                                        `(?m)^epochs +\d+, \d+ rounds of skr$`,
	} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			require.Regexp(t, want, succeeds(t, strings.Fields(line)...))
		})
	}
}

// TestWrongResult requires that a result with errors is printed, reported, and makes the command fail.
func TestWrongResult(t *testing.T) {
	var stdout strings.Builder
	j := Job{Terminal: Terminal{Stdout: &stdout}, settings: newSettings(t)}
	err := j.report(outcome{report: apps.Report{App: "fake", Errors: 3, Wrong: []string{"2 words are wrong",
		"1 pebble is missing"}}})
	var f *Failure
	require.ErrorAs(t, err, &f)
	require.Equal(t, 1, f.Status)
	require.ErrorContains(t, f.Err, "3 errors: 2 words are wrong; 1 pebble is missing")
	require.Regexp(t, `verified +NO: 3 errors\n +2 words are wrong\n +1 pebble is missing\n`, stdout.String())
	require.NoError(t, j.report(outcome{report: apps.Report{App: "fake"}}))
}

// aligned checks that all values begin in the same column.
func aligned(t *testing.T, table string) {
	t.Helper()
	first, _, _ := strings.Cut(table, "\n")
	column := regexp.MustCompile(`^\S+ +`).FindString(first)
	for line := range strings.Lines(table) {
		require.Greater(t, len(line), len(column), line)
		require.Equal(t, byte(' '), line[len(column)-1], line)
		require.NotEqual(t, byte(' '), line[len(column)], line)
	}
}

// endless is a job that enters its epoch immediately, and stays there for hours.
var endless = []string{"randomaccess", "--log2-words", "10", "--updates-per-word", "1e12", "--verbose"}

// member is a process of a job, as named in its log.
type member struct{ pid, process int }

// running is a command that a test has started.
type running struct {
	*exec.Cmd
	stdout  bytes.Buffer
	log     log
	members []member
	ended   chan struct{}
}

// begin starts an endless job and waits until all of its processes work in the epoch.
func begin(t *testing.T, processes int, flags ...string) *running {
	t.Helper()
	if stat(os.Getpid()) == nil {
		t.Skip("this system does not tell of processes in /proc")
	}
	r := &running{Cmd: exec.Command(binary, with(endless, flags...)...), ended: make(chan struct{})}
	r.Stdout, r.Stderr = &r.stdout, &r.log
	require.NoError(t, r.Start())
	go func() {
		defer close(r.ended)
		_ = r.Wait() // the status is checked
	}()
	t.Cleanup(func() {
		_ = r.Process.Kill()
		<-r.ended
	})
	r.until(t, "all processes take part", func() bool {
		r.members = r.log.members()
		return len(r.members) == processes
	})
	for _, m := range r.members {
		r.until(t, "process is at work", func() bool { return cpuTicks(m.pid) >= 3 })
	}
	return r
}

// until waits for a condition.
func (r *running) until(t *testing.T, what string, so func() bool) {
	t.Helper()
	for give := time.After(limit); !so(); {
		select {
		case <-time.After(5 * time.Millisecond):
		case <-r.ended:
			require.Failf(t, "the command has ended", "before: %s\n%s", what, r.log.String())
		case <-give:
			require.Failf(t, "nothing comes", "%s\n%s", what, r.log.String())
		}
	}
}

// inTime reports whether a condition holds within the 5 seconds that docs/contract.md promises. They are counted in
// looks: on a loaded machine a look takes longer, like the awaited event.
func inTime(so func() bool) bool {
	const apart = 5 * time.Millisecond
	for range 5 * time.Second / apart {
		if so() {
			return true
		}
		time.Sleep(apart)
	}
	return so()
}

// hasEnded reports whether the command has ended.
func (r *running) hasEnded() bool {
	select {
	case <-r.ended:
		return true
	default:
		return false
	}
}

// end waits for the end of the command, and requires that nothing is left of the job.
func (r *running) end(t *testing.T) (status int, stderr string) {
	t.Helper()
	require.True(t, inTime(r.hasEnded), "the job has not ended within 5 seconds: %s", &r.log)
	r.gone(t)
	require.Empty(t, r.stdout.String())
	return r.ProcessState.ExitCode(), r.log.String()
}

// gone requires that no process of the job is left.
func (r *running) gone(t *testing.T) {
	t.Helper()
	for _, m := range r.members {
		require.False(t, alive(m.pid), "process %d is left", m.process)
	}
}

func TestKilledProcess(t *testing.T) {
	for victim := range 3 {
		t.Run(fmt.Sprint("process ", victim), func(t *testing.T) {
			t.Parallel()
			r := begin(t, 3, "--procs", "3")
			for _, m := range r.members {
				if m.process == victim {
					require.NoError(t, syscall.Kill(m.pid, syscall.SIGKILL))
				}
			}
			status, stderr := r.end(t)
			require.Equal(t, 128+9, status, stderr)
			require.Contains(t, stderr, fmt.Sprintf("process %d (rank %d) was killed by signal 9", victim, victim))
		})
	}
}

func TestKilledLauncher(t *testing.T) {
	t.Parallel()
	r := begin(t, 2, "--procs", "2")
	require.NoError(t, r.Process.Kill())
	<-r.ended
	inTime(func() bool { return !slices.ContainsFunc(r.members, func(m member) bool { return alive(m.pid) }) })
	r.gone(t)
}

func TestSignals(t *testing.T) {
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		for procs := 1; procs <= 2; procs++ {
			t.Run(fmt.Sprint(signal, " procs ", procs), func(t *testing.T) {
				t.Parallel()
				r := begin(t, procs, "--procs", strconv.Itoa(procs))
				require.NoError(t, r.Process.Signal(signal))
				status, stderr := r.end(t)
				require.Equal(t, 128+int(signal), status, stderr)
				require.Contains(t, stderr, signal.String())
			})
		}
	}
}

// log keeps the standard error of a running command.
type log struct {
	mutex sync.Mutex
	text  bytes.Buffer
}

func (l *log) Write(text []byte) (int, error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.text.Write(text)
}

func (l *log) String() string {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.text.String()
}

var takesPart = regexp.MustCompile(`process takes part" pid=(\d+) process=(\d+) `)

func (l *log) members() (ms []member) {
	for _, found := range takesPart.FindAllStringSubmatch(l.String(), -1) {
		pid, _ := strconv.Atoi(found[1])
		process, _ := strconv.Atoi(found[2])
		ms = append(ms, member{pid, process})
	}
	return ms
}

// stat reads the fields of /proc/PID/stat from the state on, or returns nil if the process does not exist.
func stat(pid int) []string {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return nil
	}
	_, rest, _ := strings.Cut(string(text), ") ")
	return strings.Fields(rest)
}

// alive reports whether a process exists and is not a zombie.
func alive(pid int) bool {
	s := stat(pid)
	return len(s) > 0 && s[0] != "Z" && s[0] != "X"
}

// cpuTicks returns the processor time of a process, in hundredths of a second.
func cpuTicks(pid int) int {
	s := stat(pid)
	if len(s) < 13 {
		return 0
	}
	user, _ := strconv.Atoi(s[11])
	system, _ := strconv.Atoi(s[12])
	return user + system
}
