package record

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/activepebbles/pebbles/internal/watch/state"
)

// BytesDefault is how many bytes the record of a process has at most, unless [Create] is told.
const BytesDefault = 64 << 20

// bytesLeast is how many bytes the record of a process has for each of its ranks, whatever it is told.
const bytesLeast = 32 << 10

// How long the disk may take for what is said at the end.
const (
	failedWait = time.Second
	closeWait  = 2 * time.Second
)

// failedMost bounds the failures that a process tells of.
const failedMost = 16

// settingsMost bounds the settings of a job, in bytes.
const settingsMost = 8 << 10

var errClosed = errors.New("the record is closed")

// Writer writes the record of one process. It is for one goroutine. It has one of its own, which ends with Close.
type Writer struct {
	sink  *sink
	bytes int64

	second  uint64 // the number of the last
	ranks   map[int]*seen
	verdict string
	size    int64 // of the current segment, when all has been written
	segment int

	skipped uint64 // seconds since the last that was taken
	lost    uint64 // batches that the disk refused since then
	failed  int
	why     error // the last reason
	told    bool  // it has been returned
	closed  bool
}

// Create begins the record of one process of a job, of at most so many bytes; 0 is [BytesDefault]. The folder is made
// if need be. It may be empty, or have what other processes of the same job have written; the record of another job in
// it is an error. First tells what the job is, and the process is among its processes; it is not kept. Create waits for
// the disk; the other methods hardly do.
func Create(dir string, first *state.Job, process int, bytes int64) (*Writer, error) {
	head := headOf(first, process)
	token := tokenOf(first.ID, first.Started, head.PID)
	file, err := claim(dir, token, segmentName(token, process, 0))
	if err != nil {
		return nil, err
	}
	if bytes <= 0 {
		bytes = BytesDefault
	}
	bytes = max(bytes, int64(head.Last-head.First)*bytesLeast)
	line := appendLine(nil, jobKind, head)
	w := &Writer{
		sink:  newSink(newSegments(dir, token, process, file, line, bytes)),
		bytes: bytes,
		ranks: map[int]*seen{},
		size:  int64(len(line)),
	}
	w.sink.offer(batch{}) // the head is there before the first second
	return w, nil
}

// headOf is the line that tells what a job and one of its processes are.
func headOf(job *state.Job, process int) jobLine {
	head := jobLine{
		Version:   version,
		Program:   words(job.Program, valueMax),
		ID:        words(job.ID, valueMax),
		Ranks:     job.Ranks,
		Transport: words(job.Transport, nameMax),
		Settings:  map[string]string{},
		Started:   stamp(job.Started),
		Process:   process,
		Counters:  counterNames,
		Seconds:   secondNames,
	}
	size := 0
	for _, name := range slices.Sorted(maps.Keys(job.Settings)) {
		key, value := words(name, nameMax), words(job.Settings[name], valueMax)
		if size += len(key) + len(value); size > settingsMost {
			head.LeftOut = len(job.Settings) - len(head.Settings)
			break
		}
		head.Settings[key] = value
	}
	for _, p := range job.Processes {
		if p.Process == process {
			head.Host, head.PID, head.First, head.Last = words(p.Host, valueMax), p.PID, p.First, p.Last
		}
	}
	return head
}

// Second writes what is new of a process and its ranks since the last call. It is called about once a second. A second
// for which the disk has no time is skipped, and the next one covers it. An error of the disk is returned once, in
// words: the job goes on, and so does the record when the disk takes something again. It takes some microseconds a
// rank, and does not wait.
func (w *Writer) Second(at time.Time, p *state.Process, stillSeconds float64, verdict string) error {
	switch {
	case w.closed:
		return errClosed
	case w.sink.full():
		w.skipped++
		return nil
	}
	told := w.tell()
	fresh := w.size+int64(len(p.Ranks))*rankMax > segmentMax(w.bytes, w.segment)
	if fresh {
		w.segment++
		w.size = 0
	}
	w.second++
	whole := fresh || w.lost > 0 || w.second == 1
	line := w.line(at, p, stillSeconds)
	if said := words(verdict, verdictMax); whole || said != w.verdict {
		line.Verdict, w.verdict = said, said
	}
	lines := w.lines(line, p.Ranks, whole)
	w.size += int64(len(lines))
	w.skipped, w.lost = 0, 0
	w.sink.offer(batch{lines: lines, fresh: fresh})
	return told
}

// line is a second's line, without a verdict.
func (w *Writer) line(at time.Time, p *state.Process, stillSeconds float64) secondLine {
	line := secondLine{
		N:        w.second,
		At:       stamp(at),
		Still:    rounded(stillSeconds),
		Resident: p.Resident,
		Bound:    p.Bound,
		Skipped:  w.skipped,
		Lost:     w.lost,
	}
	if w.lost > 0 {
		line.Why = words(w.why.Error(), valueMax)
	}
	for i := range p.Ranks {
		line.Held += p.Ranks[i].Memory.Held
	}
	return line
}

// lines are a second's line and those of the ranks. If whole is false, a rank's line is whole when it is its turn.
func (w *Writer) lines(second secondLine, ranks []state.Rank, whole bool) []byte {
	lines := appendLine(nil, secondKind, second)
	most := rankMax - len(lines)/max(len(ranks), 1)
	for i := range ranks {
		r := &ranks[i]
		s, known := w.ranks[r.Rank]
		if !known {
			s = new(seen)
			w.ranks[r.Rank] = s
		}
		turn := (second.N+uint64(r.Rank))%wholeEvery == 0
		lines = append(lines, s.news(r, second.N, whole || turn || !known, most)...)
	}
	return lines
}

// tell is the error of a disk that refuses, the first time.
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

// Failed writes at once that the job fails, as this process has learned, and why. Of is the process whose fault it is:
// this one, one that is lost or has ended the job, or -1. A process tells of 16 failures at most. Failed waits until
// the system has the line, for at most 1 second; the error says that it may not have it.
func (w *Writer) Failed(at time.Time, cause string, of int) error {
	if w.closed {
		return errClosed
	}
	if w.failed++; w.failed > failedMost {
		return nil
	}
	err := w.sink.await(appendLine(nil, failedKind, failedLine{stamp(at), of, words(cause, causeMax)}), failedWait)
	return errors.Join(err, w.tell())
}

// Close ends the record: the process ends in order, or, when how is not empty, with this error. It waits for the disk
// for at most 2 seconds. A disk that has not answered by then keeps one goroutine and one file until it does.
func (w *Writer) Close(at time.Time, how string) error {
	if w.closed {
		return errClosed
	}
	w.closed = true
	err := w.sink.await(appendLine(nil, endKind, endLine{stamp(at), words(how, causeMax)}), closeWait)
	if err == nil {
		err = w.sink.close(closeWait)
	} else {
		close(w.sink.queue)
	}
	return errors.Join(err, w.tell())
}
