package command

import (
	"fmt"
	"sync/atomic"
	"time"

	"github.com/activepebbles/pebbles/internal/watch/page"
	"github.com/activepebbles/pebbles/internal/watch/state"
)

// madeUpJob is an invented job. It is a second older at each look.
type madeUpJob struct {
	ranks  int
	kind   string // "running", "stalled" or "died"
	status string
	target string
	looks  atomic.Int64
	none   atomic.Bool // it has no state
}

func (m *madeUpJob) Report() *state.Report { return nil }

func (m *madeUpJob) Job() *state.Job {
	n := m.looks.Add(1)
	if m.none.Load() {
		return nil
	}
	return m.at(n)
}

var madeUpStart = time.Date(2026, 11, 26, 8, 0, 0, 0, time.UTC)

// at returns the job after the given number of seconds.
func (m *madeUpJob) at(second int64) *state.Job {
	j := &state.Job{Program: "bfs", ID: "3f9c2a", Ranks: m.ranks, Transport: "shm", Started: madeUpStart,
		Taken:   madeUpStart.Add(time.Duration(second) * time.Second),
		Verdict: fmt.Sprintf("the job makes progress: %d ranks are in epoch %q (bfs.go:88)", m.ranks, "relax")}
	if m.kind != "running" {
		j.StillSeconds = float64(second)
		j.Verdict = fmt.Sprintf("%d ranks wait for the end of epoch %q (bfs.go:88); rank 0 runs the body of it (bfs.go:131)",
			m.ranks-1, "relax")
	}
	each := max(1, m.ranks/4)
	for first := 0; first < m.ranks; first += each {
		p := state.Process{Process: first / each, Host: "node", PID: 4000, First: first, Last: min(first+each, m.ranks),
			Bound: 1 << 30}
		for r := first; r < p.Last; r++ {
			p.Ranks = append(p.Ranks, m.rank(r, second))
		}
		j.Processes = append(j.Processes, p)
	}
	if m.kind == "died" {
		j.Processes[0].Ended = "signal: killed"
		j.Verdict = "process 0 (pid 4000 on node) has ended: signal: killed"
	}
	return j
}

func (m *madeUpJob) rank(rank int, second int64) state.Rank {
	s, moved := float64(second), uint64(second)*uint64(1000*(rank+1))
	r := state.Rank{Rank: rank, Doing: state.Handling, Target: m.target, For: -1,
		Call:     state.Call{Number: 7, Kind: "epoch", Name: "relax", Site: "bfs.go:88", Open: true},
		Counters: state.Counters{PebblesHandled: moved, BytesSent: 10 * moved},
		Memory:   state.Memory{Held: int64(rank+1) << 20},
		Seconds:  state.Seconds{Compute: s / 2, Handle: s / 4, Credit: s / 8, Idle: s / 16, Served: s / 16},
	}
	if m.kind != "running" && rank > 0 {
		r.Doing, r.Target, r.Wait, r.StillSeconds = state.Waiting, "", state.WaitEnd, s
	}
	if rank == 0 {
		r.Status = m.status
	}
	for k := 1; k < m.ranks && len(r.Links) < state.LinksMost; k *= 2 {
		if to := rank ^ k; to < m.ranks {
			r.Links = append(r.Links, state.Link{Target: m.target, To: to, Bytes: int64(1000*rank + k), Flight: int64(k),
				Waiting: int64(rank), AgeSeconds: float64(k) / 10})
		}
	}
	return r
}

// sightingAt returns the sighting after the given number of seconds.
func (m *madeUpJob) sightingAt(second int64) *sighting {
	return sightingFrom(m.at(second))
}

func sightingFrom(j *state.Job) *sighting {
	v := page.ViewOf(j)
	if j.Ranks > wholeMost {
		return ofView(&v)
	}
	return ofJob(&v, j)
}

func newMadeUpJob(ranks int, kind string) *madeUpJob {
	return &madeUpJob{ranks: ranks, kind: kind, status: "level 7, frontier 1,000,000", target: "relax"}
}
