package record

import (
	"encoding/json"
	"time"
)

// Bounds of what a record may say of itself.
const (
	rankLimit    = 1 << 20
	exitsMost    = 1 << 16
	eventsKept   = 32
	failuresKept = failedMost
)

// fold is one process while its files are read.
type fold struct {
	process *Process
	empty   bool // nothing was read of it
	segment int  // the number of the next file
	second  uint64
	at      time.Time
	gauges  *series
	// Where the file's counters and seconds are among ours; nil: they are ours.
	counters, seconds []int
}

func newFold(process int) *fold {
	return &fold{process: &Process{Process: process}, empty: true, gauges: newSeries()}
}

// rankFold is one rank while its process's files are read.
type rankFold struct {
	rank              *Rank
	counters, seconds []int64
	at                time.Time
}

// line takes in a line of a file.
func (r *reading) line(f fileName, kind string, says []byte) {
	r.lines++
	var err error
	if f.process == noProcess {
		err = r.launcherLine(kind, says)
	} else {
		r.now.empty = false
		err = r.processLine(kind, says)
	}
	if err != nil {
		r.problems.add("%s: a %.20q line is not understood: %v", f.name, kind, err)
	}
}

// take decodes a line, and has it taken in.
func take[T any](says []byte, in func(*T)) error {
	var line T
	if err := json.Unmarshal(says, &line); err != nil {
		return err
	}
	in(&line)
	return nil
}

// processLine takes in a line of a process. Those of kinds that come with later versions are passed over.
func (r *reading) processLine(kind string, says []byte) error {
	switch kind {
	case jobKind:
		return take(says, r.job)
	case secondKind:
		return take(says, r.second)
	case rankKind:
		return take(says, r.rank)
	case failedKind:
		return take(says, r.failed)
	case endKind:
		return take(says, r.end)
	}
	return nil
}

func (r *reading) job(l *jobLine) {
	if l.Version > version {
		r.problems.add("process %d: a later version of pebbles has written its record: use that to read all of it", l.Process)
	}
	p := r.now.process
	p.Host, p.PID = words(l.Host, valueMax), l.PID
	if l.First >= 0 && l.First <= l.Last && l.Last <= rankLimit {
		p.First, p.Last = l.First, l.Last
	}
	r.now.counters, r.now.seconds = places(l.Counters, counterNames), places(l.Seconds, secondNames)
	if r.known {
		return
	}
	r.known = true
	r.record.Job.Program, r.record.Job.ID = words(l.Program, valueMax), words(l.ID, valueMax)
	r.record.Job.Ranks, r.record.Job.Transport = min(max(l.Ranks, 0), rankLimit), words(l.Transport, nameMax)
	r.record.Job.Started, r.record.Job.Settings = l.Started, map[string]string{}
	for name, value := range l.Settings {
		r.record.Job.Settings[words(name, nameMax)] = words(value, valueMax)
	}
	if l.LeftOut > 0 {
		r.problems.add("%d settings had no room in the record", l.LeftOut)
	}
}

func (r *reading) second(l *secondLine) {
	f, p := r.now, r.now.process
	f.second, f.at = l.N, l.At
	r.heard(l.At)
	p.Seconds++
	p.Still, p.Resident, p.Held, p.Bound = l.Still, l.Resident, l.Held, l.Bound
	if l.Verdict != "" {
		p.Verdict = words(l.Verdict, verdictMax)
	}
	p.skipped += l.Skipped
	p.lost += l.Lost
	if l.Why != "" {
		p.why = words(l.Why, valueMax)
	}
	if r.record.Job.Started.IsZero() {
		r.record.Job.Started = l.At // what the job was is lost
	}
	b := f.gauges.at(r.since(l.At))
	b[heldMost] = max(b[heldMost], float64(l.Held))
	b[residentMost] = max(b[residentMost], float64(l.Resident))
	b[boundMost] = max(b[boundMost], float64(l.Bound))
}

// heard notes when the process wrote.
func (r *reading) heard(at time.Time) {
	if at.After(r.now.process.Heard) {
		r.now.process.Heard = at
	}
	r.ended(at)
}

func (r *reading) ended(at time.Time) {
	if at.After(r.record.Job.Ended) {
		r.record.Job.Ended = at
	}
}

func (r *reading) failed(l *failedLine) {
	r.heard(l.At)
	p := r.now.process
	if len(p.Failures) < failuresKept {
		p.Failures = append(p.Failures, Failure{l.At, p.Process, l.Of, words(l.Cause, causeMax)})
	}
}

func (r *reading) end(l *endLine) {
	r.heard(l.At)
	r.now.process.Ended, r.now.process.How = true, words(l.How, causeMax)
}

// launcherLine takes in a line of the launcher.
func (r *reading) launcherLine(kind string, says []byte) error {
	launched := func() *Launched {
		if r.record.Launched == nil {
			r.record.Launched = &Launched{}
		}
		return r.record.Launched
	}
	switch kind {
	case launchKind:
		return take(says, func(l *launchLine) {
			launched().Processes = l.Processes
			r.record.Job.Program, r.record.Job.ID = words(l.Program, valueMax), words(l.ID, valueMax)
			r.record.Job.Started = l.At
			r.ended(l.At)
		})
	case endedKind:
		return take(says, func(l *endedLine) {
			launched()
			r.ended(l.At)
			if len(r.record.Exits) < exitsMost {
				r.record.Exits = append(r.record.Exits, Exit{l.At, l.Process, words(l.How, causeMax), l.First})
			}
		})
	case endKind:
		return take(says, func(l *endLine) {
			launched().Closed, launched().How = true, words(l.How, causeMax)
			r.ended(l.At)
		})
	}
	return nil
}
