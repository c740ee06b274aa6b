package command

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/cmd/internal/commandtest"
	"github.com/activepebbles/pebbles/internal/launch"
	"github.com/activepebbles/pebbles/internal/scripttest"
)

// TestRun starts this command as the program of a job. Any program built on the library would do.
func TestRun(t *testing.T) {
	for _, c := range []struct{ flags, ranks, procs, transport string }{
		{"-n 1 --ranks 1", "1", "1", "tcp"},
		{"-n 1", "2", "1", "tcp"},
		{"-n 3", "3", "3", "shm"},
		{"-n 2 --ranks 5", "5", "2", "shm"},
		{"-n 2 --ranks 2 --bind lo", "2", "2", "shm"},
		{"-n 2 --ranks 2 --transport tcp", "2", "2", "tcp"},
		{"-n 2 --ranks 2 --transport shm", "2", "2", "shm"},
	} {
		t.Run(c.flags, func(t *testing.T) {
			line := append(append([]string{"run"}, strings.Fields(c.flags)...), "--", binary)
			stdout := succeeds(t, with(line, with(small["randomaccess"], "--json")...)...)
			require.Zero(t, commandtest.Object(t, stdout)["errors"], "it is the program's output, as it is")
			require.Contains(t, stdout, `"ranks":`+c.ranks+`,"procs":`+c.procs+`,"transport":"`+c.transport+`"`)
		})
	}
}

func TestRunForwards(t *testing.T) {
	shell := func(flags string, script string) ran {
		return pebbles(append(append([]string{"run"}, strings.Fields(flags)...), "--", "sh", "-c", script)...)
	}
	alone := func(stderr string) (lines []string, told bool) { // their output; none has joined
		for line := range strings.Lines(stderr) {
			if strings.HasPrefix(line, "pebbles run: no process has joined the job: each of the ") {
				told = true
				continue
			}
			lines = append(lines, strings.TrimSpace(line))
		}
		slices.Sort(lines)
		return lines, told
	}
	for flags, want := range map[string]struct{ stdout, stderr []string }{
		"-n 1":                    {[]string{"out"}, []string{"err"}},
		"-n 1 --ranks 1 --prefix": {[]string{"[0] out"}, []string{"[0] err"}},
		"-n 3 --ranks 5": {[]string{"out"}, []string{"[0-1] err", "[2-3] err", "[2-3] out", "[4] err",
			"[4] out"}},
		"-n 3 --ranks 5 --prefix": {[]string{"[0-1] out", "[2-3] out", "[4] out"}, []string{"[0-1] err",
			"[2-3] err", "[4] err"}},
		"-n 3 --ranks 5 --no-prefix":         {[]string{"out", "out", "out"}, []string{"err", "err", "err"}},
		"-n 1 --no-prefix":                   {[]string{"out"}, []string{"err"}},
		"-n 1 -q --log-format json":          {[]string{"out"}, []string{"err"}},
		"-n 2 -q --no-prefix --prefix=false": {[]string{"out", "out"}, []string{"err", "err"}},
	} {
		t.Run("output "+flags, func(t *testing.T) {
			r := shell(flags, "echo out; echo err >&2")
			require.Equal(t, want.stdout, sorted(r.Stdout))
			lines, told := alone(r.Stderr)
			require.Equal(t, want.stderr, lines)
			require.True(t, told, "programs that never join were run as if they were a job")
			require.Equal(t, 1, r.Status)
		})
	}
	t.Run("long line", func(t *testing.T) {
		r := shell("-n 2 --prefix", "head -c 3000000 /dev/zero | tr '\\0' x; echo")
		long := strings.Repeat("x", 3_000_000)
		require.True(t, slices.Equal([]string{"[0] " + long, "[1] " + long}, sorted(r.Stdout)))
	})
	t.Run("status", func(t *testing.T) {
		r := shell("-n 2", `test "$PEBBLES_PROCESS" = 0 || exit 7`)
		require.Equal(t, 7, r.Status)
		require.Contains(t, r.Stderr, "pebbles run: process 1 (rank 1) ended with status 7")
	})
	t.Run("arguments", func(t *testing.T) {
		r := pebbles("run", "-n", "1", "echo", "--ranks", "two words", "-n")
		require.Equal(t, "--ranks two words -n\n", r.Stdout)
	})
}

// sorted returns the lines of a text, which have no order, sorted.
func sorted(text string) []string {
	return slices.Sorted(strings.SplitSeq(strings.TrimSpace(text), "\n"))
}

func TestRunMismatch(t *testing.T) {
	for flags, says := range map[string]string{"--ranks 5": "started with 2", "--procs 3": "started with 2 processes"} {
		line := append([]string{"run", "-n", "2", "--", binary}, small["randomaccess"]...)
		fails(t, 1, with(line, strings.Fields(flags)...), says)
	}
	fails(t, 2, []string{"run", "-n", "2", "--", binary, "randomaccess", "--transport", "mem"}, "--transport mem")
}

// TestOtherLaunchers starts several processes of this command like another launcher.
func TestOtherLaunchers(t *testing.T) {
	t.Setenv("OMPI_COMM_WORLD_SIZE", "2")
	for _, c := range []struct {
		line []string
		says string
	}{
		{small["randomaccess"], "mpirun of Open MPI seems to have started this process, but OMPI_COMM_WORLD_RANK is missing"},
		{with(small["randomaccess"], "--procs", "2"), "OMPI_COMM_WORLD_RANK is missing"},
		{with([]string{"run", "-n", "2", "--", binary}, small["randomaccess"]...),
			"another launcher has started this process as one of 2 (OMPI_COMM_WORLD_SIZE=2)"},
	} {
		r := fails(t, 1, c.line, c.says)
		require.Equal(t, 1, strings.Count(r.Stderr, "\n"), r.Stderr)
	}
	succeeds(t, with(small["randomaccess"], "--alone")...)
	succeeds(t, with(small["randomaccess"], "--alone", "--procs", "2")...)
	succeeds(t, with([]string{"run", "-n", "2", "--alone", "--", binary}, small["randomaccess"]...)...)
	t.Setenv("PEBBLES_ALONE", "1")
	succeeds(t, small["randomaccess"]...)
	succeeds(t, with(small["randomaccess"], "--procs", "2")...)
}

// TestTasks joins two tasks of another launcher to one job.
func TestTasks(t *testing.T) {
	t.Setenv("PEBBLES_PROCESSES", "2")
	t.Setenv("PEBBLES_RENDEZVOUS_DIR", t.TempDir())
	t.Setenv("PEBBLES_BIND", "127.0.0.1")
	both := func(args ...string) (all [2]ran) {
		var ended sync.WaitGroup
		for i := range all {
			ended.Go(func() { all[i] = process(t, []string{"PEBBLES_PROCESS=" + strconv.Itoa(i)}, args...) })
		}
		ended.Wait()
		return all
	}
	all := both(with(small["randomaccess"], "--json", "--ranks", "4")...)
	for _, r := range all {
		require.Zero(t, r.Status, r.Stderr)
	}
	require.Empty(t, all[1].Stdout)
	o := commandtest.Object(t, all[0].Stdout)
	require.EqualValues(t, 2, o["procs"])
	require.EqualValues(t, 4, o["ranks"])
	all = both(with(small["randomaccess"], "--procs", "3")...)
	require.Contains(t, all[0].Stderr, "--procs 3, but the job was started with 2 processes: leave out --procs")
	require.Equal(t, 1, all[0].Status)
	require.NotZero(t, all[1].Status)
}

func TestLimitsOfARun(t *testing.T) {
	fails(t, 1, strings.Fields("run -n 2 --start-limit 50ms sleep 1000"), "not all processes have joined within 50ms")
	r := pebbles("run", "-n", "1", "--silence-limit", "1h", "--start-limit", "2h", "--",
		"sh", "-c", "echo $PEBBLES_SILENCE_LIMIT $PEBBLES_START_LIMIT")
	require.Equal(t, "1h0m0s 2h0m0s\n", r.Stdout)
}

// TestHosts reaches "hosts" by a command that replaces ssh and runs its argument here.
func TestHosts(t *testing.T) {
	fake := filepath.Join(t.TempDir(), "fakessh")
	scripttest.Write(t, fake, "for last; do :; done\nexec sh -c \"$last\"")
	line := with(small["randomaccess"], "--hosts", "alpha,beta", "--bind", "127.0.0.1", "--ssh", fake)
	require.EqualValues(t, 2, object(t, line...)["procs"])
	o := object(t, with(line, "--procs", "3", "--ranks", "4")...)
	require.EqualValues(t, 3, o["procs"])
	require.EqualValues(t, 4, o["ranks"])

	file := filepath.Join(t.TempDir(), "hosts")
	require.NoError(t, os.WriteFile(file, []byte("node[1-2] slots=2 # two\n"), 0o600))
	line = with(small["randomaccess"], "--hostfile", file, "--bind", "127.0.0.1", "--ssh", fake)
	require.EqualValues(t, 4, object(t, line...)["procs"])
	require.EqualValues(t, 3, object(t, with(line, "--procs", "3")...)["procs"])

	here := filepath.Join(t.TempDir(), "here") // this host alone, without an address and without ssh
	require.NoError(t, os.WriteFile(here, []byte("localhost slots=2\n"), 0o600))
	line = with(small["randomaccess"], "--hostfile", here, "--ssh", "/no/such")
	require.EqualValues(t, 2, object(t, line...)["procs"])
	require.Contains(t, pebbles("run", "--hostfile", here, "-n", "3", "true").Stderr, "2 slots on 1 host")
	for _, c := range []struct{ flags, says string }{
		{"--hostfile " + file + " --bind lo -n 5", "there are 4 slots on 2 hosts for 5 processes"},
		{"--hostfile " + file + " --hosts a --bind lo", "don't go together"},
		{"--hostfile " + file, "--hostfile needs --bind"},
		{"--hostfile /no/such --bind lo", "read hostfile: open /no/such"},
		{"--hosts a[4-1] --bind lo", "ends before it begins"},
	} {
		r := pebbles(append(append([]string{"run"}, strings.Fields(c.flags)...), "true")...)
		require.NotZero(t, r.Status)
		require.Contains(t, r.Stderr, c.says)
	}
}

// TestManyRanks runs more ranks than a test machine must have cores.
func TestManyRanks(t *testing.T) {
	for _, flags := range []string{"--ranks 8", "--procs 8", "--procs 2 --ranks 16 --topology hypercube"} {
		t.Run(flags, func(t *testing.T) {
			line := []string{"randomaccess", "--log2-words", "14"}
			require.EqualValues(t, 0, object(t, with(line, strings.Fields(flags)...)...)["errors"])
		})
	}
}

var secretOf = regexp.MustCompile(`(?m)^  secret: "([0-9a-f]{64})"$`)

func TestK8s(t *testing.T) {
	line := strings.Fields("k8s --name words --image example.org/words:v1 -n 3")
	first := succeeds(t, line...)
	for _, has := range []string{
		"\nkind: Job\n", "completions: 3\n", "parallelism: 3\n", `image: "example.org/words:v1"`,
		`value: "words-%d.words:7473"`,
		"terminationGracePeriodSeconds: 30\n", "PEBBLES_START_LIMIT\n              value: \"5m0s\"\n",
	} {
		require.Contains(t, first, has)
	}
	for _, absent := range []string{"namespace:", "command:", "args:", "PEBBLES_RANKS", "resources:"} {
		require.NotContains(t, first, absent)
	}
	second := succeeds(t, line...)
	one, other := secretOf.FindStringSubmatch(first), secretOf.FindStringSubmatch(second)
	require.Len(t, one, 2, first)
	require.Len(t, other, 2, second)
	require.NotEqual(t, one[1], other[1], "each job has a secret of its own")
	require.Equal(t, 1, strings.Count(first, one[1]), "the secret stands in the Secret alone")

	all := succeeds(t, with(line,
		strings.Fields("--ranks 12 --namespace team --cpu 4 --memory 8Gi --port 9000 --start-limit 10m --grace-period 1m "+
			"-- /program -n two")...)...)
	for _, has := range []string{
		"PEBBLES_RANKS\n              value: \"12\"\n", `namespace: "team"`, `cpu: "4"`, `memory: "8Gi"`, "port: 9000\n",
		"containerPort: 9000\n",
		`value: "words-%d.words:9000"`, "PEBBLES_START_LIMIT\n              value: \"10m0s\"\n",
		"terminationGracePeriodSeconds: 60\n",
		"command: [\"/program\"]\n          args:\n            - \"-n\"\n            - \"two\"\n",
	} {
		require.Contains(t, all, has)
	}
	onlyArguments := succeeds(t, with(line, "--", "-v", "file")...)
	require.Contains(t, onlyArguments, "args:\n            - \"-v\"\n            - \"file\"\n")
	require.NotContains(t, onlyArguments, "command:")
}

func TestK8sDockerfile(t *testing.T) {
	out := succeeds(t, "k8s", "--dockerfile", "./cmd/words")
	require.Contains(t, out, `"-o", "/program", "./cmd/words"]`)
	require.Contains(t, out, "\nFROM scratch\n")
	require.NotContains(t, out, "kind:")
}

func doctor(t *testing.T, args ...string) (status int, printed string) {
	r := pebbles(append([]string{"doctor"}, args...)...)
	require.Empty(t, r.Stderr)
	return r.Status, r.Stdout
}

func TestDoctor(t *testing.T) {
	status, printed := doctor(t)
	require.Zero(t, status)
	require.Regexp(t, `(?m)^launcher +none: this process has a job of its own$`, printed)

	t.Setenv("PMI_FD", "9")
	t.Setenv("PMI_RANK", "3")
	t.Setenv("PMI_SIZE", "4")
	t.Setenv("MPI_LOCALNRANKS", "4")
	status, printed = doctor(t)
	require.Zero(t, status)
	require.Regexp(t, `(?m)^process +3 of 4$`, printed)
	status, printed = doctor(t, "--json")
	require.Zero(t, status)
	var f launch.Finding
	require.NoError(t, json.Unmarshal([]byte(printed), &f))
	require.Equal(t, 4, f.Processes)
	_, printed = doctor(t, "--alone")
	require.Contains(t, printed, "none: this process has a job of its own")

	t.Setenv("PMI_RANK", "4")
	status, printed = doctor(t)
	require.Equal(t, launch.ExitError, status)
	require.Regexp(t, `(?m)^problem +mpiexec or srun \(PMI-1\) seems to have started this process, but PMI_RANK="4"`,
		printed)
}

// A job of an application whose process is killed starts again, goes on from its checkpoint, and leaves the rows of one
// that nobody disturbed. A job that ends ahead of the kill is run again.
func TestKilledApplicationsGoOn(t *testing.T) {
	application := func(more ...string) []string {
		line := []string{"pagerank", "--erdos-renyi", "7", "--tolerance", "0", "--iterations", "80", "--quiet"}
		return append(line, more...)
	}
	const script = `if mkdir "$0/killed" 2>/dev/null
		then (until ls "$0/saved" 2>/dev/null | grep -q 'pagerank-0000[1-9]'; do sleep 0.01; done; kill -9 $$) &
		fi
		exec "$@"`
	for restarted := false; !restarted; {
		folder := t.TempDir()
		path := func(name string) string { return filepath.Join(folder, name) }
		succeeds(t, application("--ranks", "3", "--output", path("want.csv"))...)
		line := []string{"run", "-n", "2", "--ranks", "3", "--restart", "1", "--", "sh", "-c", script, folder, binary}
		r := pebbles(append(line, application("--checkpoint", path("saved"), "--checkpoint-every", "1us", "--output",
			path("got.csv"))...)...)
		require.Zero(t, r.Status, r.Stderr)
		restarted = strings.Contains(r.Stderr, "job starts again")
		want, err := os.ReadFile(path("want.csv"))
		require.NoError(t, err)
		got, err := os.ReadFile(path("got.csv"))
		require.NoError(t, err)
		require.Equal(t, string(want), string(got))
	}
}
