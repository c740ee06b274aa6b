package page

import "github.com/activepebbles/pebbles/internal/watch/state"

// Grade is the condition of a job, in one word.
type Grade string

// The grades. The first grade that applies counts.
const (
	Died    Grade = "died"    // a process has ended before its ranks
	Stopped Grade = "stopped" // a process is stopped by a signal
	Stalled Grade = "stalled" // no rank has made progress for a long time
	Silent  Grade = "silent"  // a process has sent nothing for a long time
	Ended   Grade = "ended"   // all ranks have returned
	Waits   Grade = "waits"   // no rank makes progress now
	Runs    Grade = "runs"
)

// Limits in seconds. Beyond them a job no longer counts as healthy.
const (
	waitsAfter   = 2
	stalledAfter = 10
	silentAfter  = 10
)

func gradeOf(j *state.Job) Grade {
	var died, stopped, silent bool
	done := len(j.Processes) > 0
	for i := range j.Processes {
		p := &j.Processes[i]
		finished := finished(p)
		died = died || p.Ended != "" && !finished
		stopped = stopped || p.Stopped
		silent = silent || p.SilentSeconds >= silentAfter && p.Ended == "" && !finished
		done = done && finished
	}
	switch {
	case died:
		return Died
	case stopped:
		return Stopped
	case j.Stalled || j.StillSeconds >= stalledAfter:
		return Stalled
	case silent:
		return Silent
	case done:
		return Ended
	case j.StillSeconds >= waitsAfter:
		return Waits
	}
	return Runs
}

// finished reports whether all ranks of a process have returned.
func finished(p *state.Process) bool {
	for i := range p.Ranks {
		if p.Ranks[i].Doing != state.Ended {
			return false
		}
	}
	return len(p.Ranks) > 0 && len(p.Ranks) >= p.Last-p.First
}
