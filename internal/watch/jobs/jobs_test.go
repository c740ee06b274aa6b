package jobs

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

// TestMain also serves as a job that announces itself, and ends when it is killed.
func TestMain(m *testing.M) {
	if os.Getenv("ANNOUNCE") == "" {
		goleak.VerifyTestMain(m)
		return
	}
	_, err := Announce(Entry{Program: "child"})
	fmt.Println(err)
	time.Sleep(time.Hour) // Go ends a process whose goroutines all block
}

// fresh puts the list into empty folders.
func fresh(t *testing.T) (runtime, temporary string) {
	t.Helper()
	runtime, temporary = t.TempDir(), t.TempDir()
	require.NoError(t, os.Chmod(runtime, 0o700))
	t.Setenv("XDG_RUNTIME_DIR", runtime)
	t.Setenv("XDG_CACHE_HOME", temporary)
	require.NoError(t, os.Mkdir(filepath.Join(temporary, "pebbles"), 0o700))
	return filepath.Join(runtime, "pebbles"), filepath.Join(temporary, "pebbles", "jobs")
}

// list returns the list, which must have no errors.
func list(t *testing.T) []Entry {
	t.Helper()
	all, err := List()
	require.NoError(t, err)
	return all
}

func announce(t *testing.T, e Entry) (forget func()) {
	t.Helper()
	forget, err := Announce(e)
	require.NoError(t, err)
	t.Cleanup(forget)
	return forget
}

func names(t *testing.T, dir string) (all []string) {
	t.Helper()
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, f := range files {
		all = append(all, f.Name())
	}
	return all
}

func TestTwoJobs(t *testing.T) {
	dir, _ := fresh(t)
	require.Empty(t, list(t), "there is no folder yet")
	require.NoDirExists(t, dir, "a list makes no folder")
	second := Entry{Program: "sssp", Job: "b", Started: time.Date(2026, 11, 26, 8, 0, 0, 0, time.UTC)}
	first := Entry{Program: "bfs", Job: "a", Ranks: 64, Processes: 16, URL: "http://127.0.0.1:1/?token=secret",
		Started: second.Started.Add(-time.Hour)}
	forgetSecond, forgetFirst := announce(t, second), announce(t, first)
	first.PID, second.PID = os.Getpid(), os.Getpid()
	require.Equal(t, []Entry{first, second}, list(t))

	info, err := os.Stat(dir)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o700), info.Mode().Perm())
	for _, name := range names(t, dir) {
		info, err := os.Stat(filepath.Join(dir, name))
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	}
	forgetFirst()
	require.Equal(t, []Entry{second}, list(t))
	forgetFirst()
	forgetSecond()
	require.Empty(t, list(t))
	require.Empty(t, names(t, dir))
}

func TestBothPlaces(t *testing.T) {
	byRuntime, byTemporary := fresh(t)
	announce(t, Entry{Job: "of a session"})
	runtime := os.Getenv("XDG_RUNTIME_DIR")
	for _, unfit := range []string{"", "relative", filepath.Join(runtime, "absent")} {
		t.Setenv("XDG_RUNTIME_DIR", unfit)
		announce(t, Entry{Job: "of cron"})
	}
	require.NoError(t, os.Chmod(runtime, 0o755))
	t.Setenv("XDG_RUNTIME_DIR", runtime)
	announce(t, Entry{Job: "of cron"})
	require.Len(t, names(t, byRuntime), 1)
	require.Len(t, names(t, byTemporary), 4)
	require.NoError(t, os.Chmod(runtime, 0o700))
	require.Len(t, list(t), 5)
}

// TestKilledProcess kills a job, which then removes no file.
func TestKilledProcess(t *testing.T) {
	dir, _ := fresh(t)
	child := exec.Command(os.Args[0])
	child.Env, child.Stderr = append(os.Environ(), "ANNOUNCE=1"), os.Stderr
	out, err := child.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, child.Start())
	said, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "<nil>\n", said)
	announce(t, Entry{Program: "parent", Started: time.Now()})
	all := list(t)
	require.Len(t, all, 2)
	require.Equal(t, child.Process.Pid, all[0].PID)

	require.NoError(t, child.Process.Kill())
	// Until its parent waits for it, its number is taken.
	require.Eventually(t, func() bool { return len(list(t)) == 1 }, time.Minute, time.Millisecond)
	require.Error(t, child.Wait())
	require.Equal(t, "parent", list(t)[0].Program)
	require.Len(t, names(t, dir), 1, "the file of the killed one is gone")
}

// put writes a file as another process would.
func put(t *testing.T, dir, name string, f file) {
	t.Helper()
	text, err := json.Marshal(f)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, name), text, 0o600))
}

func TestReusedNumber(t *testing.T) {
	dir, _ := fresh(t)
	announce(t, Entry{Job: "this"})
	own, err := identify(os.Getpid())
	require.NoError(t, err)
	earlier, boot, other := own, own, own
	earlier.Start = own.Start[:strings.LastIndex(own.Start, " ")] + " 1"
	boot.Start = "another-boot" + own.Start[strings.LastIndex(own.Start, " "):]
	other.Where = "another-host pid:[1]"
	put(t, dir, "job-earlier.json", file{Entry{PID: os.Getpid()}, earlier})
	put(t, dir, "job-boot.json", file{Entry{PID: os.Getpid()}, boot})
	put(t, dir, "job-other.json", file{Entry{PID: os.Getpid()}, other})
	put(t, dir, "job-again.json", file{Entry{PID: os.Getpid(), Job: "again"}, own})
	require.Len(t, list(t), 2)
	require.NoFileExists(t, filepath.Join(dir, "job-earlier.json"))
	require.NoFileExists(t, filepath.Join(dir, "job-boot.json"))
	require.FileExists(t, filepath.Join(dir, "job-other.json"), "nobody here knows whether it runs")
}

func TestNoSuchProcess(t *testing.T) {
	fresh(t)
	_, err := Announce(Entry{PID: 1 << 30})
	require.ErrorContains(t, err, "no process 1073741824")
}
