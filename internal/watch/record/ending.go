package record

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/activepebbles/pebbles/internal/watch/state"
)

// Kind classifies the end of a job.
type Kind string

// The kinds of ends.
const (
	InOrder Kind = "ended in order"
	Failed  Kind = "failed"
	Killed  Kind = "was killed" // or still runs, if no process has an end
)

// Ending describes the end of a job and its cause.
type Ending struct {
	Kind    Kind
	Process int       // process that failed first; -1 if none did, or all at once
	At      time.Time // of the end of that process
	Cause   string    // in one sentence
	Facts   []string  // about the cause
}

// atOnce is the greatest difference between the last lines of processes killed together: each writes once a second.
const atOnce = 2500 * time.Millisecond

// ending finds the end of the job. The launcher's observations have priority, then the reports of processes, then the
// process whose record breaks off first.
func (k *Record) ending() Ending {
	for _, find := range []func() *Ending{k.byLauncher, k.byFailure, k.byLoss, k.byError, k.byBreak} {
		if e := find(); e != nil {
			e.Facts = append(e.Facts, k.facts(e)...)
			return *e
		}
	}
	cause := fmt.Sprintf("The job ended in order after %s.", state.Lasting(k.Seconds()))
	return Ending{Kind: InOrder, Process: noProcess, At: k.Job.Ended, Cause: cause}
}

// byLauncher uses the launcher's file. The last process that it marks as first counts, since the launcher may identify
// that process late.
func (k *Record) byLauncher() *Ending {
	for _, exit := range slices.Backward(k.Exits) {
		if !exit.First {
			continue
		}
		e := &Ending{Kind: Failed, Process: exit.Process, At: exit.At}
		e.Cause = fmt.Sprintf("%s fell first: %s.", k.name(exit.Process), exit.How)
		if f := k.firstFailure(func(f Failure) bool { return f.By == exit.Process && f.Of == f.By }); f != nil {
			e.At = f.At
			e.Cause = fmt.Sprintf("%s failed: %s", k.name(f.By), f.Cause)
			e.Facts = []string{"The launcher saw it end: " + exit.How + "."}
		}
		return e
	}
	if k.Launched == nil || k.Launched.How == "" {
		return nil
	}
	for _, find := range []func() *Ending{k.byFailure, k.byLoss, k.byError} {
		if e := find(); e != nil {
			e.Facts = append(e.Facts, "The launcher says: "+k.Launched.How+".")
			return e
		}
	}
	return &Ending{Kind: Failed, Process: noProcess, At: k.Job.Ended, Cause: "The launcher says: " + k.Launched.How}
}

// byFailure finds a process that reports its own failure.
func (k *Record) byFailure() *Ending {
	f := k.firstFailure(func(f Failure) bool { return f.Of == f.By })
	if f == nil {
		return nil
	}
	return &Ending{Kind: Failed, Process: f.By, At: f.At, Cause: fmt.Sprintf("%s failed: %s", k.name(f.By), f.Cause)}
}

// byLoss finds the process that most others blame.
func (k *Record) byLoss() *Ending {
	votes := map[int]int{}
	for _, p := range k.Processes {
		if len(p.Failures) > 0 {
			votes[p.Failures[0].Of]++
		}
	}
	var most *Failure
	for of := range votes {
		f := k.firstFailure(func(f Failure) bool { return f.Of == of })
		if most == nil ||
			cmp.Or(cmp.Compare(votes[of], votes[most.Of]), most.At.Compare(f.At), cmp.Compare(most.Of, of)) > 0 {
			most = f
		}
	}
	if most == nil {
		return nil
	}
	e := &Ending{Kind: Failed, Process: most.Of, At: most.At}
	e.Cause = fmt.Sprintf("%s says: %s", k.name(most.By), most.Cause)
	p := k.process(most.Of)
	switch {
	case most.Of < 0:
		e.Process = noProcess
	case p == nil:
		e.Cause = fmt.Sprintf("%s fell first. %s", k.name(most.Of), e.Cause)
		e.Facts = []string{"It has no record here."}
	case !p.Ended && len(p.Failures) == 0:
		e.Kind = Killed
		e.Cause = fmt.Sprintf("%s fell first: %s. %s", k.name(most.Of), k.brokeOff(p), e.Cause)
	}
	return e
}

// byError finds the first process that ended with an error.
func (k *Record) byError() *Ending {
	var first *Process
	for _, p := range k.Processes {
		if p.Ended && p.How != "" && (first == nil || p.Heard.Before(first.Heard)) {
			first = p
		}
	}
	if first == nil {
		return nil
	}
	return &Ending{Kind: Failed, Process: first.Process, At: first.Heard,
		Cause: fmt.Sprintf("%s ended with an error: %s", k.name(first.Process), first.How)}
}

// byBreak finds the process whose record breaks off first, without an end.
func (k *Record) byBreak() *Ending {
	var broken []*Process
	for _, p := range k.Processes {
		if !p.Ended {
			broken = append(broken, p)
		}
	}
	if len(broken) == 0 {
		return nil
	}
	slices.SortStableFunc(broken, func(a, b *Process) int { return a.Heard.Compare(b.Heard) })
	first, last := broken[0], broken[len(broken)-1]
	e := &Ending{Kind: Killed, Process: first.Process, At: first.Heard}
	switch {
	case len(k.Processes) == 1:
		e.Cause = fmt.Sprintf("%s was killed, or still runs: %s.", k.name(first.Process), k.brokeOff(first))
	case len(broken) == len(k.Processes) && last.Heard.Sub(first.Heard) <= atOnce:
		e.Process = noProcess
		e.Cause = fmt.Sprintf("All %d processes were killed at once, or the job still runs: their records break off %s "+
			"after its start, none with a word of its end.", len(broken), state.Lasting(k.after(last.Heard)))
	default:
		e.Cause = fmt.Sprintf("%s was killed: %s.", k.name(first.Process), k.brokeOff(first))
		if last.Heard.Sub(first.Heard) > 0 && len(broken) > 1 {
			e.Facts = []string{fmt.Sprintf("%d more %s off, the last %s later.", len(broken)-1,
				plural(len(broken)-1, "record breaks", "records break"), state.Lasting(last.Heard.Sub(first.Heard).Seconds()))}
		}
	}
	return e
}

// firstFailure returns the earliest failure that of accepts, by the clocks of the hosts.
func (k *Record) firstFailure(of func(Failure) bool) (first *Failure) {
	for _, p := range k.Processes {
		for i, f := range p.Failures {
			if of(f) && (first == nil || f.At.Before(first.At)) {
				first = &p.Failures[i]
			}
		}
	}
	return first
}

// after returns the seconds from the start of the job to a time.
func (k *Record) after(at time.Time) float64 {
	if at.IsZero() {
		return 0
	}
	return at.Sub(k.Job.Started).Seconds()
}

// brokeOff describes a record without an end.
func (k *Record) brokeOff(p *Process) string {
	return fmt.Sprintf("its record breaks off %s after the job's start, without a word of its end",
		state.Lasting(k.after(p.Heard)))
}

// name returns the name of a process for sentences.
func (k *Record) name(process int) string {
	p := k.process(process)
	if p == nil {
		return fmt.Sprintf("Process %d", process)
	}
	text := fmt.Sprintf("Process %d (", process)
	switch p.Last - p.First {
	case 0:
	case 1:
		text += fmt.Sprintf("rank %d, ", p.First)
	default:
		text += fmt.Sprintf("ranks %d-%d, ", p.First, p.Last-1)
	}
	return text + fmt.Sprintf("host %s, pid %d)", p.Host, p.PID)
}
