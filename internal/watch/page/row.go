package page

import (
	"fmt"

	"github.com/activepebbles/pebbles/internal/watch/state"
)

// Row is a process, or several neighbouring ones if the job has more than 64.
type Row struct {
	First       int     `json:"first"` // the processes are First to Last-1
	Last        int     `json:"last"`
	Host        string  `json:"host"`  // of the first
	PID         int     `json:"pid"`   // of the first
	Ranks       [2]int  `json:"ranks"` // first, and one past the last
	Held        int64   `json:"held"`  // bytes
	Peak        int64   `json:"peak"`  // bytes: sum of the ranks' peaks
	Bound       int64   `json:"bound"` // bytes
	Resident    int64   `json:"resident"`
	Connections int     `json:"connections"`
	Silent      float64 `json:"silent"` // seconds, of the process silent for longest
	State       string  `json:"state"`  // description of the worst process
	Bad         bool    `json:"bad"`    // that state is a fault
}

func rows(j *state.Job) []Row {
	each := span(len(j.Processes))
	all := make([]Row, 0, rowsMost)
	for i := range j.Processes {
		p := &j.Processes[i]
		if i%each == 0 {
			all = append(all, Row{First: i, Host: clip(p.Host), PID: p.PID, Ranks: [2]int{p.First, p.Last}, State: "runs"})
		}
		all[len(all)-1].add(i, p)
	}
	return all
}

func (w *Row) add(i int, p *state.Process) {
	w.Last = i + 1
	w.Ranks[1] = max(w.Ranks[1], p.Last)
	w.Bound += p.Bound
	w.Resident += p.Resident
	w.Connections += p.Connections
	w.Silent = max(w.Silent, p.SilentSeconds)
	for k := range p.Ranks {
		w.Held += p.Ranks[k].Memory.Held
		w.Peak += p.Ranks[k].Memory.Peak
	}
	if state, bad := condition(p); state != "runs" && (bad || !w.Bad) {
		w.State, w.Bad = clip(state), bad
	}
}

// condition describes a process, and reports whether it is at fault.
func condition(p *state.Process) (text string, bad bool) {
	switch {
	case p.Ended != "":
		return fmt.Sprintf("process %d has ended: %s", p.Process, p.Ended), !finished(p)
	case p.Stopped:
		return fmt.Sprintf("process %d is stopped by a signal", p.Process), true
	case p.SilentSeconds >= silentAfter:
		return fmt.Sprintf("process %d has told nothing for %.0f s", p.Process, p.SilentSeconds), true
	case finished(p):
		return "its ranks have returned", false
	}
	return "runs", false
}
