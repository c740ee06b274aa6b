package page

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/watch/state"
)

// madeUp is an invented job. It changes with the clock.
type madeUp struct {
	ranks   int
	kind    string // "running", "stalled" or "died"
	status  string
	started time.Time
	asked   atomic.Int64 // calls of Job
	reports atomic.Int64
}

func newMadeUp(ranks int, kind string) *madeUp {
	const status = "level 7 of about 12: 4,194,304 vertices reached"
	return &madeUp{ranks: ranks, kind: kind, status: status, started: time.Now()}
}

// The made-up job began before the test, so that it has a history.
const ago = 95 * time.Second

func (m *madeUp) Job() *state.Job {
	m.asked.Add(1)
	return m.at(time.Since(m.started) + ago)
}

func (m *madeUp) at(elapsed time.Duration) *state.Job {
	now := m.started.Add(elapsed - ago)
	s := elapsed.Seconds()
	j := &state.Job{Program: "bfs", ID: "3f9c2a", Ranks: m.ranks, Transport: "shm",
		Started: m.started.Add(-ago), Taken: now,
		Settings: map[string]string{"topology": "hypercube", "coalesce": "512", "credit": "4", "memory-limit": "64 MiB"}}
	switch m.kind {
	case "running":
		j.Verdict = fmt.Sprintf("All %d ranks make progress in epoch 7 (relax), begun at bfs.go:88.", m.ranks)
	case "stalled":
		j.StillSeconds = s - 60
		j.Verdict = fmt.Sprintf("No rank has made progress for %.0f s: "+
			"%d ranks wait for rank 0, which computes at bfs.go:131.", j.StillSeconds, m.ranks-1)
	case "died":
		j.StillSeconds = s - 60
		j.Verdict = "Process 0 on node-01 has ended (signal: killed) while its ranks were in epoch 7 (relax)."
	}
	each := max(1, m.ranks/16)
	for first := 0; first < m.ranks; first += each {
		j.Processes = append(j.Processes, m.process(first/each, first, min(first+each, m.ranks), s))
	}
	return j
}

func (m *madeUp) process(number, first, last int, s float64) state.Process {
	p := state.Process{Process: number, Host: fmt.Sprintf("node-%02d", number/4+1), PID: 4000 + number,
		First: first, Last: last,
		Bound: int64(last-first) << 26, Resident: int64(last-first)<<26 + 80<<20, SilentSeconds: 0.4}
	if m.kind == "died" && number == 0 {
		p.Ended, p.SilentSeconds = "signal: killed", s-60
	}
	for r := first; r < last; r++ {
		p.Ranks = append(p.Ranks, m.rank(r, s))
	}
	return p
}

func (m *madeUp) rank(rank int, s float64) state.Rank {
	random := rand.New(rand.NewPCG(uint64(rank), 1))
	if m.kind != "running" {
		s = 60
	}
	share := 0.3 + 0.3*random.Float64()
	sent := uint64((1 + 0.3*random.Float64()) * 1e6 * s)
	r := state.Rank{Rank: rank, Doing: state.Handling, Target: "relax", For: -1, Moved: sent,
		Call:    state.Call{Number: 7, Kind: "epoch", Name: "relax", Site: "bfs.go:88", Open: true},
		Seconds: state.Seconds{Compute: 0.25 * s, Handle: share * s, Credit: 0.1 * s, Served: 0.02 * s, Epochs: 0.9 * s},
		Counters: state.Counters{PebblesSent: sent, PebblesHandled: sent, FramesSent: sent / 500, BytesSent: sent * 12,
			FlushFull: sent / 600, FlushDue: sent / 9000, FlushIdle: sent / 7000, Epochs: 6},
		Memory: state.Memory{Held: int64(20+40*random.Float64()) << 20, Peak: 60 << 20, Limit: 64 << 20},
		Targets: []state.Target{
			{Name: "relax", Handled: sent - 100, Sent: sent / 500}, {Name: "count", Handled: 100, Sent: 4},
		},
	}
	r.Seconds.Idle = s - r.Seconds.Compute - r.Seconds.Handle - r.Seconds.Credit - r.Seconds.Served
	for k := 1; k < m.ranks && len(r.Links) < state.LinksMost; k *= 2 {
		to := rank ^ k
		if to >= m.ranks {
			continue
		}
		held := int64(random.ExpFloat64() * 20000)
		r.Links = append(r.Links, state.Link{Target: "relax", To: to, Filling: held / 3, Bytes: held,
			Flight: held / 4096, Waiting: held / 16384, Sent: sent / 5000, AgeSeconds: random.Float64() / 10})
	}
	if rank == 0 {
		r.Status, r.Events = m.status, events(s)
	}
	m.stand(&r)
	return r
}

// stand makes a rank wait for rank 0 if the job stands still.
func (m *madeUp) stand(r *state.Rank) {
	if m.kind == "running" {
		return
	}
	r.StillSeconds = time.Since(m.started).Seconds() + ago.Seconds() - 60
	r.Doing, r.Wait, r.For = state.Waiting, "the end of the epoch: rank 0 is not idle", 0
	if r.Rank == 0 {
		r.Doing, r.Wait, r.For = state.Computing, "", -1
		r.Stack = []string{"main.expand bfs.go:131", "main.run.func1 bfs.go:92", "main.run bfs.go:88", "main.main bfs.go:40"}
	}
}

func events(s float64) (all []state.Event) {
	for n := range 6 {
		at := float64(n) * 9
		all = append(all,
			state.Event{At: at, End: at + 8, Kind: "epoch", Name: "relax", Site: "bfs.go:88", Number: uint64(2*n + 1)},
			state.Event{At: at + 2, End: at + 2.6, Kind: "wait", Name: "credit of rank 1", Number: 12},
			state.Event{At: at + 8, End: at + 8.7, Kind: "all-reduction", Site: "bfs.go:97", Number: uint64(2*n + 2)})
	}
	return append(all, state.Event{At: min(54, s), Kind: "epoch", Name: "relax", Site: "bfs.go:88", Number: 13})
}

func (m *madeUp) Report() *state.Report {
	m.reports.Add(1)
	j := m.at(time.Since(m.started) + ago)
	return &state.Report{Verdict: j.Verdict, Program: j.Program, ID: j.ID, Ranks: j.Ranks,
		Taken:    j.Taken.Format(time.RFC3339),
		Culprits: j.Processes[0].Ranks[:1], More: 1, Processes: j.Processes[:1],
		Groups: []state.Group{{Ranks: "1-3", Count: 3, Place: "wait for the end of epoch 7"}},
		Links:  []state.Held{{From: 1, Link: state.Link{To: 0, Target: "relax", Bytes: 4096, Flight: 1}}},
		Stacks: []state.Stack{{Depth: 0, Ranks: "0-3", Call: "main.main bfs.go:40"},
			{Depth: 1, Ranks: "0", Call: "main.expand bfs.go:131", Moves: true}}}
}

var show = flag.String("show", "", `serve made-up jobs until interrupted, such as "64/stalled,4/running"`)

// TestShow serves made-up jobs, for work on the page: go test -run TestShow -show 64/stalled -timeout 0 -v
func TestShow(t *testing.T) {
	if *show == "" {
		t.Skip("flag -show serves made-up jobs to look at")
	}
	for i, which := range strings.Split(*show, ",") {
		var ranks int
		count, kind, _ := strings.Cut(which, "/")
		_, err := fmt.Sscan(count, &ranks)
		require.NoError(t, err)
		s, err := Listen(Config{Addr: fmt.Sprint(8100 + i), Token: "show", Pprof: true, Source: newMadeUp(ranks, kind)})
		require.NoError(t, err)
		defer s.Close()
		t.Log(which, s.URL())
	}
	interrupt := make(chan os.Signal, 1)
	signal.Notify(interrupt, os.Interrupt)
	defer signal.Stop(interrupt)
	<-interrupt
}

// hostileSource puts a text into all texts of a job.
type hostileSource struct {
	*madeUp
	text string
}

func (h hostileSource) Job() *state.Job {
	j := h.madeUp.Job()
	j.Program, j.ID, j.Transport, j.Verdict = h.text, h.text, h.text, h.text
	j.Settings = map[string]string{h.text: h.text}
	for i := range j.Processes {
		p := &j.Processes[i]
		p.Host = h.text
		for k := range p.Ranks {
			h.spoil(&p.Ranks[k])
		}
	}
	return j
}

func (h hostileSource) spoil(r *state.Rank) {
	r.Status, r.Wait, r.Target = h.text, h.text, h.text
	r.Call.Name, r.Call.Site, r.Call.Kind = h.text, h.text, h.text
	r.Stack = []string{h.text}
	for i := range r.Links {
		r.Links[i].Target = h.text
	}
	for i := range r.Events {
		r.Events[i].Name, r.Events[i].Site = h.text, h.text
	}
	for i := range r.Targets {
		r.Targets[i].Name = h.text
	}
}
