package state

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var relax = Call{Number: 7, Kind: "epoch", Name: "relax", Site: "bfs.go:88", Open: true}

// standing is a job of so many ranks that stands still, in which all wait for the end of an epoch but those that change
// says.
func standing(ranks int, change map[int]func(r *Rank)) *Job {
	j := &Job{Ranks: ranks, StillSeconds: 41, Processes: []Process{{Host: "a", PID: 12, Last: ranks}}}
	for n := range ranks {
		r := Rank{Rank: n, Doing: Waiting, Wait: WaitEnd, For: -1, Call: relax, StillSeconds: 41}
		if c := change[n]; c != nil {
			c(&r)
		}
		j.Processes[0].Ranks = append(j.Processes[0].Ranks, r)
	}
	return j
}

func handles(target string) func(r *Rank) {
	return func(r *Rank) { r.Doing, r.Target, r.Wait = Handling, target, "" }
}

func TestConclude(t *testing.T) {
	barrier := Call{Number: 6, Kind: "barrier", Site: "bfs.go:40", Open: true}
	for name, c := range map[string]struct {
		job      *Job
		verdict  string
		culprits []int
	}{
		"a handler": {standing(64, map[int]func(r *Rank){17: handles("visit")}),
			`ranks 0-16, 18-63 wait for the end of epoch "relax" (bfs.go:88), for 41s; rank 17 runs the handler of "visit", ` +
				`in epoch "relax" (bfs.go:88), for 41s`, []int{17}},
		"between epochs": {standing(3, map[int]func(r *Rank){1: func(r *Rank) {
			r.Doing, r.Wait, r.Call = Computing, "", Call{Number: 6, Kind: "barrier", Site: "bfs.go:40"}
		}}), `ranks 0, 2 wait for the end of epoch "relax" (bfs.go:88), for 41s; rank 1 runs its function, after barrier ` +
			`(bfs.go:40), for 41s`, []int{1}},
		"a rank that is behind": {standing(3, map[int]func(r *Rank){0: func(r *Rank) {
			r.Wait, r.Call = WaitOthers, barrier
		}}), `ranks 1-2 wait for the end of epoch "relax" (bfs.go:88), for 41s; rank 0 waits for the others in barrier ` +
			`(bfs.go:40), for 41s`, []int{0}},
		"another call": {standing(3, map[int]func(r *Rank){2: func(r *Rank) {
			r.Call = Call{Number: 7, Kind: "epoch", Name: "count", Site: "bfs.go:99", Open: true}
		}}), `ranks 0-1 wait for the end of epoch "relax" (bfs.go:88), for 41s; rank 2 waits for the end of epoch "count" ` +
			`(bfs.go:99), for 41s`, []int{2}},
		"credit": {standing(3, map[int]func(r *Rank){2: func(r *Rank) {
			r.Wait, r.Target, r.For = "credit of a link", "visit", 0
		}}), `ranks 0-1 wait for the end of epoch "relax" (bfs.go:88), for 41s; rank 2 waits for credit of "visit" to rank 0, ` +
			`in epoch "relax" (bfs.go:88), for 41s`, []int{2}},
		"frames that were not handled": {standing(2, map[int]func(r *Rank){1: func(r *Rank) {
			r.Links = []Link{{Target: "visit", To: 0, Flight: 2, Waiting: 1, AgeSeconds: 40}}
		}}), `ranks 0-1 wait for the end of epoch "relax" (bfs.go:88), for 41s; 3 frames of "visit" from rank 1 to rank 0 ` +
			`have not been handled for 40s`, nil},
		"tasks": {standing(2, map[int]func(r *Rank){1: func(r *Rank) {
			r.Tasks = []Tasks{{Call: "Gate.Wait", Count: 5}}
		}}), `ranks 0-1 wait for the end of epoch "relax" (bfs.go:88), for 41s; 5 tasks wait in Gate.Wait`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			verdict, culprits := c.job.Conclude()
			require.Equal(t, c.verdict, verdict)
			var ranks []int
			for _, r := range culprits {
				ranks = append(ranks, r.Rank)
			}
			require.Equal(t, c.culprits, ranks)
		})
	}
}

// Processes that are gone come before all that ranks say.
func TestConcludeProcesses(t *testing.T) {
	j := standing(4, map[int]func(r *Rank){1: handles("visit")})
	j.Processes = append(j.Processes, Process{Process: 1, Host: "b", PID: 99, First: 4, Last: 8, SilentSeconds: 31})
	verdict, _ := j.Conclude()
	require.True(t, strings.HasPrefix(verdict, "process 1 (pid 99 on b) has told nothing for 31s; its ranks are 4-7; "), verdict)
	j.Processes[1].Stopped = true
	verdict, _ = j.Conclude()
	require.Contains(t, verdict, "process 1 (pid 99 on b) is stopped by a signal")
	j.Processes[1].Ended = "killed by signal 9"
	verdict, _ = j.Conclude()
	require.Contains(t, verdict, "process 1 (pid 99 on b) has ended: killed by signal 9")
}

// A job that moves, or that only computes, is not accused.
func TestConcludeMoves(t *testing.T) {
	j := standing(2, map[int]func(r *Rank){1: handles("visit")})
	j.StillSeconds = 0
	verdict, culprits := j.Conclude()
	require.Equal(t, `the job moves: ranks 0-1 are in epoch "relax" (bfs.go:88)`, verdict)
	require.Empty(t, culprits)
	compute := func(r *Rank) { r.Doing, r.Wait = Computing, "" }
	_, culprits = standing(2, map[int]func(r *Rank){0: compute, 1: compute}).Conclude()
	require.Empty(t, culprits)
	verdict, _ = (&Job{}).Conclude()
	require.Equal(t, "the job starts", verdict)
}

// A report is short, however many ranks there are and whatever they are at.
func TestReportIsBounded(t *testing.T) {
	const most = 4096
	change := map[int]func(r *Rank){}
	var stacks []Calls
	for n := range most {
		change[n] = func(r *Rank) {
			r.Doing, r.Target, r.Wait = Handling, fmt.Sprintf("target %d", n), ""
			r.Status = strings.Repeat("s", 100)
			for l := range LinksMost {
				r.Links = append(r.Links, Link{Target: "visit", To: l, Bytes: int64(n * l)})
			}
			r.Events = make([]Event, 256)
		}
		stacks = append(stacks, Calls{Ranks: []int{n}, Calls: []string{fmt.Sprintf("inner%d a.go:1", n), "outer a.go:2"}})
	}
	change[5] = nil
	r := MakeReport(standing(most, change), stacks)
	text, err := json.Marshal(r)
	require.NoError(t, err)
	require.Less(t, len(text), 1<<20)
	var b bytes.Buffer
	require.NoError(t, r.Write(&b))
	require.Less(t, b.Len(), 1<<20)
	require.Len(t, r.Culprits, CulpritsMost)
	require.Equal(t, most-1-CulpritsMost, r.More)
	total := 0
	for _, g := range r.Groups {
		total += g.Count
	}
	require.Equal(t, most, total)
	require.Equal(t, "outer a.go:2", r.Stacks[0].Call)
}

func TestTree(t *testing.T) {
	all := tree([]Calls{
		{Ranks: []int{0, 1, 3}, Calls: []string{"wait w.go:1", "epoch e.go:2", "main m.go:3"}},
		{Ranks: []int{2}, Calls: []string{"sleep s.go:1", "visit v.go:9", "epoch e.go:2", "main m.go:3"}, Moves: true},
	})
	require.Equal(t, []Stack{
		{0, "0-3", "main m.go:3", true}, {0, "0-3", "epoch e.go:2", true},
		{1, "2", "visit v.go:9", true}, {1, "2", "sleep s.go:1", true}, {1, "0-1, 3", "wait w.go:1", false},
	}, all)
}

func TestSpans(t *testing.T) {
	require.Equal(t, "0-2, 4, 6-7", Spans([]int{0, 1, 2, 4, 6, 7}))
	require.Equal(t, "5", Spans([]int{5}))
	require.Empty(t, Spans(nil))
}
