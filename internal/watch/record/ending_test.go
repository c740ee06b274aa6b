package record

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// ended runs the processes of a job of three. They write for the given numbers of seconds each and then end as given.
func ended(t *testing.T, dir string, seconds [3]float64, ends ...func(w []*Writer)) {
	t.Helper()
	job := jobOf("j1", 3, 2)
	var all []*Writer
	for i := range job.Processes {
		w := create(t, dir, job, i, 0)
		all = append(all, w)
		for s := 1.0; s <= seconds[i]; s++ {
			second(t, w, s, &job.Processes[i])
		}
	}
	for _, end := range ends {
		end(all)
	}
	for _, w := range all {
		if !w.closed { // like the death of the process
			w.closed = true
			require.NoError(t, w.sink.close(closeWait))
		}
	}
}

func failed(process int, at float64, cause string, of int) func([]*Writer) {
	return func(w []*Writer) { w[process].Failed(after(at), cause, of) }
}

func closed(process int, at float64, how string) func([]*Writer) {
	return func(w []*Writer) { w[process].Close(after(at), how) }
}

func TestEndings(t *testing.T) {
	lost := "lost process 2 (ranks 4-5): connection reset"
	for name, c := range map[string]struct {
		seconds [3]float64
		ends    []func([]*Writer)
		kind    Kind
		process int
		says    string
		fact    string
	}{
		"in order": {[3]float64{9, 9, 9}, []func([]*Writer){closed(0, 9.5, ""), closed(1, 9.5, ""), closed(2, 9.5, "")},
			InOrder, -1, "The job ended in order after 9.5s.", ""},
		"says so itself, after others": {[3]float64{9, 9, 9}, []func([]*Writer){
			failed(0, 9.1, "process 1 ended the job: bad key", 1), failed(1, 9.2, "bad key", 1), closed(1, 9.3, "bad key")},
			Failed, 1, "Process 1 (ranks 2-3, host host0, pid 1001) failed: bad key",
			"Process 0 says, after 9.1s: process 1 ended the job: bad key"},
		"others say so": {[3]float64{9, 9, 8}, []func([]*Writer){failed(0, 9.2, lost, 2), failed(1, 9.1, lost, 2)},
			Killed, 2, "Process 2 (ranks 4-5, host host1, pid 1002) fell first: its record breaks off 8s after the " +
				"job's start, without a word of its end. Process 1 (ranks 2-3, host host0, pid 1001) says: " +
				lost, "of 64 MiB for pebbles"},
		"others say so of one without a record": {[3]float64{9, 9, 9}, []func([]*Writer){failed(0, 9.2, "lost process 7", 7)},
			Failed, 7, "Process 7 fell first. Process 0", "It has no record here."},
		"nobody's fault": {[3]float64{9, 9, 9}, []func([]*Writer){failed(0, 9.2, "interrupted", -1)},
			Failed, -1, "says: interrupted", ""},
		"ends with an error": {[3]float64{9, 9, 9}, []func([]*Writer){closed(2, 9.2, "exit 3"), closed(1, 9.4, "exit 75")},
			Failed, 2, "Process 2 (ranks 4-5, host host1, pid 1002) ended with an error: exit 3", ""},
		"breaks off": {[3]float64{20, 5, 20}, []func([]*Writer){closed(0, 20, "")},
			Killed, 1, "was killed: its record breaks off 5s after", "1 more record breaks off, the last 15s later."},
		"all at once": {[3]float64{20, 19, 18}, nil,
			Killed, -1, "All 3 processes were killed at once, or the job still runs: their records break off 20s after", ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			ended(t, dir, c.seconds, c.ends...)
			e := read(t, dir).Ending
			require.Equal(t, c.kind, e.Kind, e.Cause)
			require.Equal(t, c.process, e.Process, e.Cause)
			require.Contains(t, e.Cause, c.says)
			require.Contains(t, strings.Join(e.Facts, "\n"), c.fact)
		})
	}
}

// TestLauncherSays requires that the launcher's report has priority over the processes', and is joined with them.
func TestLauncherSays(t *testing.T) {
	launcher := func(t *testing.T, how string, exits ...Exit) string {
		dir := t.TempDir()
		l := createLauncher(t, dir, "j1", "bfs", 3, began)
		for _, e := range exits {
			require.NoError(t, l.Ended(after(9), e.Process, e.How, e.First))
		}
		require.NoError(t, l.Close(after(10), how))
		return dir
	}
	killed := Exit{Process: 2, How: "killed by signal 9 (killed)", First: true}

	dir := launcher(t, "failed", Exit{Process: 1, How: "ended with status 75"}, killed)
	ended(t, dir, [3]float64{9, 9, 9}, failed(1, 9.1, "lost process 2", 2))
	e := read(t, dir).Ending
	require.Equal(t, 2, e.Process)
	require.Contains(t, e.Cause, "Process 2 (ranks 4-5, host host1, pid 1002) fell first: killed by signal 9 (killed).")
	require.Contains(t, strings.Join(e.Facts, "\n"), "Process 1 says, after 9.1s: lost process 2")

	dir = launcher(t, "failed", killed, Exit{Process: 0, How: "ended with status 1", First: true})
	ended(t, dir, [3]float64{9, 9, 9}, failed(0, 8.9, "bad key", 0))
	e = read(t, dir).Ending
	require.Equal(t, 0, e.Process)
	require.Contains(t, e.Cause, "failed: bad key")
	require.Contains(t, e.Facts, "The launcher saw it end: ended with status 1.")

	record := reread(t, launcher(t, "interrupted"))
	require.Equal(t, "The launcher says: interrupted", record.Ending.Cause)
	record = reread(t, launcher(t, ""))
	require.Equal(t, InOrder, record.Ending.Kind)
}

// TestApart requires that ranks apart from the others, and the verdict of a standstill, are among the facts.
func TestApart(t *testing.T) {
	o := newOne(t, 6, 0)
	step(o.random, o.p, 6, 1)
	o.p.Ranks[2].Call.Number, o.p.Ranks[2].Call.Open = 5, false
	o.p.Ranks[5].Call.Number = 5
	require.NoError(t, o.Second(after(1), o.p, 42, "rank 2 has not come to the barrier"))
	require.NoError(t, o.Close(after(1), "interrupted"))
	record := read(t, o.dir)
	require.Len(t, record.Groups, 2)
	require.Equal(t, []int{0, 1, 3, 4}, record.Groups[0].Ranks)
	require.Equal(t, []int{2, 5}, record.Groups[1].Ranks)
	facts := strings.Join(record.Ending.Facts, "\n")
	require.Contains(t, facts, `ranks 0-1, 3-4: in call 7, epoch "level" (bfs.go:88)`)
	require.Contains(t, facts, `ranks 2, 5: after call 5`)
	require.Contains(t, facts, "Nothing had moved for 42s: rank 2 has not come to the barrier")
	require.Len(t, record.apart(1), 1)
}

func TestNumbers(t *testing.T) {
	for n, want := range map[float64]string{
		0: "0", 999: "999", 1234: "1.234 thousand", 5e6: "5 million", 1e13: "10 trillion",
	} {
		require.Equal(t, want, countText(n))
	}
}
