package trace

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/activepebbles/pebbles/internal/watch/state"
)

// apartMost is the greatest distance between starts of clocks that a Summary does not report.
const apartMost = time.Minute

// Merge joins the files of one job. The output is also a trace, with all whole packets of all files, but no valid input
// for Merge. Unreadable and partly readable files, and processes without a file, are among the Summary's problems.
// Merge returns an error, and writes nothing, if no file is readable, if files belong to different jobs, or if two
// belong to the same process. It takes little memory, however long the files are.
func Merge(out io.Writer, paths []string) (Summary, error) {
	var sum Summary
	var sources []source
	var bad []error
	for _, path := range paths {
		s, err := look(path)
		if err != nil {
			bad = append(bad, err)
			sum.problem("%v", err)
			continue
		}
		sources = append(sources, s)
	}
	if len(sources) == 0 {
		return sum, fmt.Errorf("no trace to read: %w", errors.Join(append(bad, errors.New("give the files of a job"))...))
	}
	slices.SortFunc(sources, func(a, b source) int {
		return cmp.Or(cmp.Compare(a.started, b.started), cmp.Compare(a.process, b.process))
	})
	if err := sum.of(sources); err != nil {
		return sum, err
	}
	buffered := bufio.NewWriterSize(out, chunk)
	var span span
	for _, s := range sources {
		if err := sum.add(buffered, s, &span); err != nil {
			return sum, fmt.Errorf("write the merged trace: %w", err)
		}
	}
	sum.Span = span.length()
	if err := buffered.Flush(); err != nil {
		return sum, fmt.Errorf("write the merged trace: %w", err)
	}
	return sum, nil
}

// of sets the description of the job, and checks that all sources agree on it.
func (sum *Summary) of(sources []source) error {
	first := sources[0]
	sum.Program, sum.Job, sum.Processes = first.program, first.job, first.processes
	paths := map[int]string{}
	for _, s := range sources {
		if s.job != first.job || s.program != first.program || s.processes != first.processes {
			return fmt.Errorf("%s is of %s, and %s is of %s: give the files of one job",
				first.path, first.words(), s.path, s.words())
		}
		if other, is := paths[s.process]; is {
			return fmt.Errorf("%s and %s are both of process %d: give one of them", other, s.path, s.process)
		}
		paths[s.process] = s.path
	}
	last := sources[len(sources)-1]
	if sum.Apart = time.Duration(last.started - first.started); sum.Apart > apartMost {
		sum.problem("the clock of process %d on %s began %v after that of process %d on %s: unless it was started so "+
			"late, the hosts' clocks differ, and so do times here",
			last.process, last.host, sum.Apart.Round(time.Second), first.process, first.host)
	}
	var missing []int
	for p := range first.processes {
		if _, is := paths[p]; !is {
			missing = append(missing, p)
		}
	}
	if len(missing) > 0 {
		sum.problem("there is no file of process %s", state.Spans(missing))
	}
	return nil
}

// words describes the job of a file.
func (s *source) words() string {
	return fmt.Sprintf("job %q of %s with %d processes", s.job, s.program, s.processes)
}

// add copies a file and counts its contents. The error is of the copy.
func (sum *Summary) add(out io.Writer, s source, span *span) error {
	file, err := os.Open(s.path)
	if err != nil {
		sum.problem("%v", err)
		return nil
	}
	defer file.Close()
	sum.Files++
	var said map[string]uint64
	var damaged int
	r := newReader(file)
	for {
		whole, inside, err := r.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			sum.problem("%s: from byte %d on it cannot be read: %v", s.path, r.at, err)
			break
		}
		packet, ok := see(inside)
		if !ok || packet.sequence != uint64(s.process)+1 {
			damaged++
			continue
		}
		if packet.said == categoryLeft {
			said = packet.numbers
		}
		sum.count(&packet, span)
		if _, err := out.Write(whole); err != nil {
			return err
		}
	}
	if damaged > 0 {
		sum.problem("%s: %d packets are damaged, and left out", s.path, damaged)
	}
	sum.left(said)
	return nil
}
