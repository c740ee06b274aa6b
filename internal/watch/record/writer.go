package record

import (
	"errors"
	"fmt"
	"time"

	"github.com/activepebbles/pebbles/internal/watch/state"
)

// BytesDefault is the default limit of the record of a process, in bytes.
const BytesDefault = 64 << 20

// bytesLeast is the least limit for each rank of a process, in bytes.
const bytesLeast = 128 << 10

// Limits of waits for the disk at the end of a job.
const (
	failedWait = time.Second
	closeWait  = 2 * time.Second
)

// failedMost bounds the failures that a process reports.
const failedMost = 16

// framesMost bounds the stack of a rank in a line.
const framesMost = 8

// linksMost bounds the links of a rank in a line.
const linksMost = 3

var errClosed = errors.New("the record is closed")

// Writer writes the record of one process. It is for one goroutine at a time. Its own goroutine ends with Close.
type Writer struct {
	sink   *sink
	events map[int]*eventsSeen

	skipped uint64 // seconds since the last one that was accepted
	lost    uint64 // batches since then that the disk refused
	failed  int
	why     error // last reason
	told    bool  // it was returned
	closed  bool
}

// Create begins the record of one process of a job, with the given limit in bytes; 0 is [BytesDefault]. It makes the
// folder if necessary. The folder may hold files of other processes of the job; the record of another job is an error.
// First describes the job and, among its processes, this one; it is not kept. Create waits for the disk.
func Create(dir string, first *state.Job, process int, bytes int64) (*Writer, error) {
	head := headOf(first, process)
	token := tokenOf(first.ID, first.Started, head.PID)
	text, err := appendLine(nil, line{Job: &head})
	if err != nil {
		return nil, err
	}
	file, err := claim(dir, token, segmentName(token, process, 0))
	if err != nil {
		return nil, err
	}
	if bytes <= 0 {
		bytes = BytesDefault
	}
	bytes = max(bytes, int64(head.Last-head.First)*bytesLeast)
	w := newWriter(newSegments(dir, token, process, file, text, bytes))
	w.sink.offer(batch{}) // the head is written before the first second
	return w, nil
}

func newWriter(to store) *Writer {
	return &Writer{sink: newSink(to), events: map[int]*eventsSeen{}}
}

// headOf returns the line that describes a job and one of its processes.
func headOf(job *state.Job, process int) jobLine {
	head := jobLine{
		Version:   version,
		Program:   job.Program,
		ID:        job.ID,
		Ranks:     job.Ranks,
		Transport: job.Transport,
		Settings:  job.Settings,
		Started:   stamp(job.Started),
		Process:   process,
	}
	for _, p := range job.Processes {
		if p.Process == process {
			head.Host, head.PID, head.First, head.Last = p.Host, p.PID, p.First, p.Last
		}
	}
	return head
}

// Second writes the state of the process and its ranks. Call it about once a second. It does not wait for the disk: if
// the disk is behind, it skips the second. It returns the first error of the disk, once. The record continues as soon
// as the disk accepts writes again. A call takes about 10 µs per rank.
func (w *Writer) Second(at time.Time, p *state.Process, stillSeconds float64, verdict string) error {
	switch {
	case w.closed:
		return errClosed
	case w.sink.full():
		w.skipped++
		return nil
	}
	told := w.tell()
	lines, err := w.lines(at, p, stillSeconds, verdict)
	if err != nil {
		return err
	}
	w.skipped, w.lost = 0, 0
	w.sink.offer(batch{lines: lines})
	return told
}

// lines returns the line of a second and those of the ranks.
func (w *Writer) lines(at time.Time, p *state.Process, still float64, verdict string) ([]byte, error) {
	second := secondLine{
		At:       stamp(at),
		Still:    still,
		Verdict:  verdict,
		Resident: p.Resident,
		Bound:    p.Bound,
		Skipped:  w.skipped,
		Lost:     w.lost,
	}
	if w.lost > 0 {
		second.Why = w.why.Error()
	}
	for i := range p.Ranks {
		second.Held += p.Ranks[i].Memory.Held
	}
	lines, err := appendLine(nil, line{Second: &second})
	for i := range p.Ranks {
		if err == nil {
			lines, err = appendLine(lines, line{Rank: w.rank(&p.Ranks[i])})
		}
	}
	return lines, err
}

// rank returns the line of a rank.
func (w *Writer) rank(r *state.Rank) *rankLine {
	seen := w.events[r.Rank]
	if seen == nil {
		seen = new(eventsSeen)
		w.events[r.Rank] = seen
	}
	l := &rankLine{Rank: *r}
	fresh, overrun := seen.news(r.Events)
	l.Events = choose(fresh)
	l.Dropped = len(fresh) - len(l.Events)
	if overrun {
		l.Dropped++
	}
	l.Links = l.Links[:min(len(l.Links), linksMost)]
	l.Stack = l.Stack[:min(len(l.Stack), framesMost)]
	l.Targets, l.Tasks = nil, nil
	return l
}

// tell returns the error of a disk that refuses writes, the first time.
func (w *Writer) tell() error {
	lost, why := w.sink.look()
	if lost == 0 {
		return nil
	}
	w.lost += lost
	w.why = why
	if w.told {
		return nil
	}
	w.told = true
	return fmt.Errorf("the record has a gap: %w: the job goes on, and the record is tried again every second", why)
}

// Failed records the failure of the job as this process has noticed it, and its cause. Of is the process that caused
// it: this one, one that was lost or has ended the job, or -1. Only the first 16 failures are written. Failed waits for
// the disk for at most 1 second. After an error the record may lack the line.
func (w *Writer) Failed(at time.Time, cause string, of int) error {
	if w.closed {
		return errClosed
	}
	if w.failed++; w.failed > failedMost {
		return nil
	}
	return w.await(line{Failed: &failedLine{stamp(at), of, shortened(cause)}}, failedWait)
}

// await writes a line and waits for the disk.
func (w *Writer) await(l line, most time.Duration) error {
	text, err := appendLine(nil, l)
	if err == nil {
		err = w.sink.await(text, most)
	}
	return errors.Join(err, w.tell())
}

// Close ends the record: the process ends in order if how is empty, else with the error how. It waits for the disk for
// at most 2 seconds. A disk that has not answered by then keeps one goroutine and one file until it does.
func (w *Writer) Close(at time.Time, how string) error {
	if w.closed {
		return errClosed
	}
	w.closed = true
	err := w.await(line{End: &endLine{stamp(at), shortened(how)}}, closeWait)
	if err == nil {
		err = w.sink.close(closeWait)
	} else {
		close(w.sink.queue)
	}
	return errors.Join(err, w.tell())
}
