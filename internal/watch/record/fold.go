package record

import (
	"encoding/json"
	"time"

	"github.com/activepebbles/pebbles/internal/watch/state"
)

// Bounds of a record for readers.
const (
	rankLimit  = 1 << 20
	exitsMost  = 1 << 16
	eventsKept = 32
)

// fold is one process while its files are read.
type fold struct {
	process *Process
	empty   bool // none of its lines has been read
	segment int  // number of the next file
	at      time.Time
	gauges  *series
}

func newFold(process int) *fold {
	return &fold{process: &Process{Process: process}, empty: true, gauges: newSeries()}
}

// rankFold is one rank while its process's files are read.
type rankFold struct {
	rank *Rank
	at   time.Time // of its last line
}

// line handles a line of a file. A line of a later version may have none of its fields.
func (r *reading) line(f fileName, text []byte) error {
	var l line
	if err := json.Unmarshal(text, &l); err != nil {
		return err
	}
	r.lines++
	if f.process == noProcess {
		r.launcherLine(&l)
		return nil
	}
	r.now.empty = false
	switch {
	case l.Job != nil:
		r.job(l.Job)
	case l.Second != nil:
		r.second(l.Second)
	case l.Rank != nil:
		r.rank(l.Rank)
	case l.Failed != nil:
		r.failed(l.Failed)
	case l.End != nil:
		r.heard(l.End.At)
		r.now.process.Ended, r.now.process.How = true, l.End.How
	}
	return nil
}

// launcherLine handles a line of the launcher.
func (r *reading) launcherLine(l *line) {
	if r.record.Launched == nil {
		r.record.Launched = &Launched{}
	}
	launched := r.record.Launched
	switch {
	case l.Launch != nil:
		launched.Processes = l.Launch.Processes
		r.record.Job.Program, r.record.Job.ID, r.record.Job.Started = l.Launch.Program, l.Launch.ID, l.Launch.At
		r.ended(l.Launch.At)
	case l.Ended != nil:
		r.ended(l.Ended.At)
		if len(r.record.Exits) < exitsMost {
			r.record.Exits = append(r.record.Exits, Exit{l.Ended.At, l.Ended.Process, l.Ended.How, l.Ended.First})
		}
	case l.End != nil:
		launched.Closed, launched.How = true, l.End.How
		r.ended(l.End.At)
	}
}

func (r *reading) job(l *jobLine) {
	if l.Version > version {
		r.problems.add("process %d: a later version of pebbles has written its record: use that to read all of it", l.Process)
	}
	p := r.now.process
	p.Host, p.PID = l.Host, l.PID
	if l.First >= 0 && l.First <= l.Last && l.Last <= rankLimit {
		p.First, p.Last = l.First, l.Last
	}
	if r.known {
		return
	}
	r.known = true
	r.record.Job = Job{
		Program:   l.Program,
		ID:        l.ID,
		Ranks:     min(max(l.Ranks, 0), rankLimit),
		Transport: l.Transport,
		Settings:  l.Settings,
		Started:   l.Started,
		Ended:     r.record.Job.Ended,
	}
}

func (r *reading) second(l *secondLine) {
	f, p := r.now, r.now.process
	f.at = l.At
	r.heard(l.At)
	p.Seconds++
	p.Still, p.Verdict, p.Resident, p.Held, p.Bound = l.Still, l.Verdict, l.Resident, l.Held, l.Bound
	p.skipped += l.Skipped
	p.lost += l.Lost
	if l.Why != "" {
		p.why = l.Why
	}
	if r.record.Job.Started.IsZero() {
		r.record.Job.Started = l.At // the first line is lost
	}
	b := f.gauges.at(r.since(l.At))
	b[heldMost] = max(b[heldMost], float64(l.Held))
	b[residentMost] = max(b[residentMost], float64(l.Resident))
	b[boundMost] = max(b[boundMost], float64(l.Bound))
}

// since returns the time since the start of the job, in seconds.
func (r *reading) since(at time.Time) float64 { return at.Sub(r.record.Job.Started).Seconds() }

// heard records the time of the process's last line.
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
	if len(p.Failures) < failedMost {
		p.Failures = append(p.Failures, Failure{l.At, p.Process, l.Of, l.Cause})
	}
}

// rank handles the state of a rank.
func (r *reading) rank(l *rankLine) {
	p, n := r.now.process, l.Rank.Rank
	if n < 0 || n >= rankLimit || p.Last > 0 && (n < p.First || n >= p.Last) {
		r.problems.add("process %d: a line of rank %d, which is not its own", p.Process, n)
		return
	}
	f := r.ranks[n]
	if f == nil {
		f = &rankFold{&Rank{}, r.record.Job.Started}
		r.ranks[n] = f
	}
	r.counts(f, l)
	k := f.rank
	events := k.Events
	k.Rank, k.Process = l.Rank, p.Process
	k.Events = events
	k.StillMost = max(k.StillMost, l.StillSeconds)
	k.Dropped += uint64(max(l.Dropped, 0))
	for _, e := range l.Events {
		r.epochs.note(e)
		k.event(e)
	}
}

// counts spreads the growth of a rank's counters over the time since its previous line.
func (r *reading) counts(f *rankFold, l *rankLine) {
	was, is := &f.rank.Seconds, &l.Seconds
	r.now.gauges.spread(r.since(f.at), r.since(r.now.at), &[heldMost]float64{
		grown(f.rank.Counters.PebblesHandled, l.Counters.PebblesHandled),
		grown(f.rank.Counters.BytesSent, l.Counters.BytesSent),
		is.Compute - was.Compute, is.Handle - was.Handle, is.Credit - was.Credit, is.Idle - was.Idle,
	})
	f.at = r.now.at
}

// grown returns the growth of a counter, or 0 if a damaged record lets it fall.
func grown(from, to uint64) float64 { return float64(max(int64(to-from), 0)) }

// event keeps an event among the last ones of a rank. It replaces its earlier copy, which has no end.
func (k *Rank) event(e state.Event) {
	all := k.Events
	for i := range all {
		if keyOf(all[i]) == keyOf(e) {
			all[i] = e
			return
		}
	}
	if len(all) == eventsKept {
		all = all[:copy(all, all[1:])]
	}
	k.Events = append(all, e)
}
