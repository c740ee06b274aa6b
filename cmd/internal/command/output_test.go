package command

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/disk"
	"github.com/activepebbles/pebbles/internal/disk/disktest"
	"github.com/activepebbles/pebbles/internal/seeds"
)

// killAt names, in the environment of a program, a call on a file in the form of disktest. The process is killed just
// before it makes the call.
const killAt = "PEBBLES_TEST_KILL_AT"

// kill obeys killAt.
func kill() {
	at := os.Getenv(killAt)
	if at == "" {
		return
	}
	disktest.Watch(func(call string) error {
		if call == at {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
		return nil
	})
}

// scored returns a command line that writes some rows from three ranks.
func scored(path string, more ...string) []string {
	return append(strings.Fields("centrality --kronecker 8 --root 1 --ranks 3 --quiet --output "+path), more...)
}

// sortedTo is a command line that writes more rows than one write of a rank holds.
func sortedTo(path string, more ...string) []string {
	return append(strings.Fields("sort --numbers 60000 --ranks 3 --quiet --replace --output "+path), more...)
}

// points are calls around which most can go wrong: rows are first written, and again, a part and the file are finished,
// and the file has all rows but not its name, or has it and the folder may not know.
var points = []string{"write of part-00000-of-00003.csv, 1", "write of part-00002-of-00003.csv, 2",
	"sync of part-00001-of-00003.csv, 1", "write of whole, 4", "sync of whole, 3", "rename of whole, 1", "sync of out, 1"}

// callsOfSorted are the calls on files of a job, those of points first, and the file that it writes.
func callsOfSorted(t *testing.T, path string) (calls []string, want []byte) {
	var lock sync.Mutex
	disktest.Watch(func(call string) error {
		lock.Lock()
		defer lock.Unlock()
		calls = append(calls, call)
		return nil
	})
	r := pebbles(sortedTo(path)...)
	disk.SetFault(nil)
	require.Zero(t, r.Status, r.Stderr)
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Subset(t, calls, points)
	draws := rand.New(rand.NewPCG(seeds.Of(t), 0))
	draws.Shuffle(len(calls), func(i, j int) { calls[i], calls[j] = calls[j], calls[i] })
	slices.SortStableFunc(calls, func(a, b string) int {
		return slices.Index(points, b) - slices.Index(points, a) // the last point first
	})
	return calls, want
}

// A process that is killed at any call on a file leaves the file whole, or the one that was there before, or none; the
// next job is not hindered. Every fourth job is of three processes, one of which is killed, and its status tells of it.
func TestKilledWhileItWrites(t *testing.T) {
	folder := t.TempDir()
	path := func(name string) string { return filepath.Join(folder, name, "out", "sorted.csv") }
	for _, name := range []string{"want", "each"} {
		require.NoError(t, os.MkdirAll(filepath.Dir(path(name)), 0o700))
	}
	calls, want := callsOfSorted(t, path("want"))
	const kills = 20
	for turn, call := range calls[:min(kills, len(calls))] {
		old := []byte("old\n")
		if turn%2 == 1 { // without an earlier file
			old = nil
			require.NoError(t, os.RemoveAll(path("each")))
		} else {
			require.NoError(t, os.WriteFile(path("each"), old, 0o600))
		}
		line, status := sortedTo(path("each")), -1
		ofOne := strings.Contains(call, "part-") || strings.HasSuffix(call, ", 1") // process
		if turn%4 == 3 && ofOne {
			line, status = append(line, "--procs", "3"), 128+9
		}
		r := process(t, []string{killAt + "=" + call}, line...)
		require.Equal(t, status, r.Status, "%s: %s", call, r.Stderr)
		require.Equal(t, status > 0, strings.Contains(r.Stderr, "was killed by signal 9"), call)
		got, err := os.ReadFile(path("each"))
		if err != nil {
			require.ErrorIs(t, err, os.ErrNotExist, call)
			require.Nil(t, old, "%s: the old file is gone", call)
			continue
		}
		require.True(t, bytes.Equal(got, want) || bytes.Equal(got, old), "%s: %d bytes", call, len(got))
	}
	require.Zero(t, process(t, nil, sortedTo(path("each"), "--procs", "3")...).Status)
	got, err := os.ReadFile(path("each"))
	require.NoError(t, err)
	require.True(t, bytes.Equal(got, want), "%d bytes", len(got))
}

// TestOutputOfProcesses requires one file from a rank, and from processes over shared memory and TCP, in every format.
func TestOutputOfProcesses(t *testing.T) {
	folder := t.TempDir()
	for _, extension := range []string{".csv", ".tsv", ".jsonl"} {
		var want []byte
		for i, flags := range []string{
			"--ranks 1", "--ranks 4 --procs 2 --transport shm", "--ranks 7 --procs 2 --transport tcp",
		} {
			path := filepath.Join(folder, fmt.Sprint(i, extension))
			line := append(strings.Fields("kcore --kronecker 8 --quiet --output "+path), strings.Fields(flags)...)
			r := process(t, nil, line...)
			require.Zero(t, r.Status, r.Stderr)
			got, err := os.ReadFile(path)
			require.NoError(t, err)
			if i == 0 {
				want = got
			}
			require.Equal(t, string(want), string(got), line)
		}
	}
}

// TestOutputThatHasNoRoom requires that a job that cannot write fails with cause and remedy, and leaves nothing.
func TestOutputThatHasNoRoom(t *testing.T) {
	folder := t.TempDir()
	taken := filepath.Join(folder, "taken.csv")
	require.NoError(t, os.WriteFile(taken, []byte("mine\n"), 0o600))
	fails(t, 1, scored(taken), "write "+taken, "it exists already")
	fails(t, 1, scored(filepath.Join(folder, "no", "a.csv")), "create the folder that contains it")
	if shell, err := exec.LookPath("sh"); err == nil {
		line := append([]string{"-c", `ulimit -f 2; exec "$0" "$@"`, binary}, scored(filepath.Join(folder, "a.csv"))...)
		out, err := exec.Command(shell, append(line, "--kronecker", "12")...).CombinedOutput()
		require.Error(t, err, string(out))
		require.Contains(t, string(out), "file too large")
	}
	left, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Len(t, left, 1)
	content, err := os.ReadFile(taken)
	require.NoError(t, err)
	require.Equal(t, "mine\n", string(content))
}

// Files of contagion and nbody are published as other outputs are: one that exists is refused before the work, unless
// it is replaced.
func TestFilesOfSimulations(t *testing.T) {
	folder := t.TempDir()
	for _, line := range []string{"contagion --people 300 --days 4 --curve",
		"contagion --people 300 --days 4 --infections", "nbody --particles 300 --steps 1 --output"} {
		path := filepath.Join(folder, "a.csv")
		require.NoError(t, os.WriteFile(path, []byte("mine\n"), 0o600))
		run := append(strings.Fields(line), path)
		fails(t, 1, run, "write "+path, "it exists already")
		got, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, "mine\n", string(got))
		succeeds(t, append(run, "--replace", "--quiet")...)
		got, err = os.ReadFile(path)
		require.NoError(t, err)
		require.Contains(t, string(got), ",")
		fails(t, 1, append(strings.Fields(line), filepath.Join(folder, "no", "a.csv")), "create the folder")
	}
	left, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Len(t, left, 1)
}
