package state

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/scenario"
)

var relax = Call{Number: 7, Kind: "epoch", Name: "relax", Site: "bfs.go:88", Open: true}

// standing returns a job that stands still. All its ranks wait for the end of an epoch, except as change says.
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

// TestScenarios runs the files of testdata: jobs of ranks in epoch relax that stand still, and their culprits.
func TestScenarios(t *testing.T) {
	scenario.Run(t, func(_ *testing.T, l *scenario.Log) scenario.Verbs {
		var j *Job
		return scenario.Verbs{
			"job": func(c *scenario.Command) {
				j = &Job{}
				if n := c.Int("ranks", 0); n > 0 {
					j = standing(n, nil)
				}
				j.StillSeconds = float64(c.Int("still", 41))
			},
			"rank":    func(c *scenario.Command) { change(c, &j.Processes[0].Ranks[c.Number("rank")]) },
			"process": func(c *scenario.Command) { process(c, j) },
			"conclude": func(*scenario.Command) {
				verdict, culprits := j.Conclude()
				for _, part := range strings.Split(verdict, "; ") {
					l.Say("%s", part)
				}
				for _, r := range culprits {
					l.Say("culprit: rank %d", r.Rank)
				}
			},
		}
	})
}

// change sets the activity of a rank instead of the wait for the end of the epoch.
func change(c *scenario.Command, r *Rank) {
	r.Call = map[string]Call{
		"relax": relax, "count": {Number: 7, Kind: "epoch", Name: "count", Site: "bfs.go:99", Open: true},
		"barrier": {Number: 6, Kind: "barrier", Site: "bfs.go:40", Open: !c.Has("after")},
	}[c.Text("call", "relax")]
	r.Call.Team = c.Text("team", "")
	r.Call.Number = uint64(c.Int("number", int(r.Call.Number)))
	target, to := c.Text("target", ""), c.Int("to", 0)
	switch {
	case c.Has("handles"):
		r.Doing, r.Target, r.Wait = Handling, target, ""
	case c.Has("computes"):
		r.Doing, r.Wait = Computing, ""
	case c.Has("waits-for-others"):
		r.Wait = WaitOthers
	case c.Has("waits-for-credit"):
		r.Wait, r.Target, r.For = "credit of a link", target, to
	case c.Has("has-sent"):
		flight, waiting := int64(c.Int("flight", 0)), int64(c.Int("waiting", 0))
		r.Links = []Link{{Target: target, To: to, Flight: flight, Waiting: waiting, AgeSeconds: float64(c.Int("age", 0))}}
	case c.Has("tasks"):
		r.Tasks = []Tasks{{Call: c.Text("in", ""), Count: c.Int("count", 0)}}
	}
}

// process adds another process with a report from its host.
func process(c *scenario.Command, j *Job) {
	j.Processes = append(j.Processes, Process{
		Process: 1, Host: "b", PID: 99, First: j.Ranks, Last: 2 * j.Ranks, SilentSeconds: float64(c.Int("silent", 0)),
		Stopped: c.Has("stopped"), Ended: strings.ReplaceAll(c.Text("ended", ""), "-", " "),
	})
}

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

// The processes that are asked for stacks have the ranks apart from the others, and one rank at each place.
func TestWitnesses(t *testing.T) {
	j := standing(100, map[int]func(r *Rank){
		70: func(r *Rank) { r.Doing = Handling },
		80: func(r *Rank) { r.Doing, r.Call = Ended, Call{} },
		81: func(r *Rank) { r.Doing, r.Call = Ended, Call{} },
	})
	all := j.Processes[0].Ranks
	j.Processes = nil
	for i := range 50 {
		j.Processes = append(j.Processes, Process{Process: i, First: 2 * i, Last: 2*i + 2, Ranks: all[2*i : 2*i+2]})
	}
	require.Equal(t, []int{0, 35, 40}, j.Witnesses())
	j.Processes[20].Stopped = true
	require.Equal(t, []int{0, 35, 40}, j.Witnesses(), "nobody but the silent one is apart")
	require.Empty(t, (&Job{}).Witnesses())
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
