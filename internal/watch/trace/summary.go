package trace

import (
	"fmt"
	"math"
	"strings"
	"text/tabwriter"
	"time"
)

// Summary describes the files of a job, as [Merge] has read them.
type Summary struct {
	Program   string
	Job       string
	Processes int           // of the job
	Files     int           // files read
	Kinds     [kinds]Count  // by Kind
	Span      time.Duration // from the first event to the end of the last
	Apart     time.Duration // from the first start of a process's clock to the last
	Dropped   uint64        // events dropped by a full ring
	LeftOut   uint64        // events left out of a full file
	Refused   uint64        // events refused by a disk
	Crossed   uint64        // slices left out because they crossed others
	Problems  []string      // unreadable parts and other faults
}

// Count counts events of a kind.
type Count struct {
	Events uint64 // in the files
	Stand  uint64 // estimated number of original events, by weight
}

// String returns the summary as some lines of text.
func (sum *Summary) String() string {
	var b strings.Builder
	span := sum.Span.Round(time.Millisecond)
	fmt.Fprintf(&b, "%s: %d of %d processes, %v\n", sum.Program, sum.Files, sum.Processes, span)
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	for k, c := range sum.Kinds {
		switch {
		case c.Events == 0:
		case c.Stand == c.Events:
			fmt.Fprintf(w, "%d\t%v\t\t\n", c.Events, Kind(k))
		default:
			fmt.Fprintf(w, "%d\t%v\tof about %d\t\n", c.Events, Kind(k), c.Stand)
		}
	}
	_ = w.Flush() // to memory
	for _, left := range []struct {
		events uint64
		why    string
	}{
		{sum.Dropped, "dropped, since a rank's ring was full"},
		{sum.LeftOut, "left out, since a file was full"},
		{sum.Refused, "refused by a disk"},
		{sum.Crossed, "left out, since they crossed others"},
	} {
		if left.events > 0 {
			fmt.Fprintf(&b, "%d events were %s\n", left.events, left.why)
		}
	}
	for _, p := range sum.Problems {
		fmt.Fprintln(&b, p)
	}
	return b.String()
}

func (sum *Summary) problem(format string, of ...any) {
	sum.Problems = append(sum.Problems, fmt.Sprintf(format, of...))
}

// count counts the event of a packet.
func (sum *Summary) count(s *seen, span *span) {
	if s.said != "" || s.what == 0 || s.what == typeCounter {
		return
	}
	span.add(s.time)
	if s.what != typeEnd && s.category >= 1 && s.category <= uint64(kinds) {
		c := &sum.Kinds[s.category-1]
		c.Events++
		c.Stand += s.weight
	}
}

// left adds a file's counts of its missing events.
func (sum *Summary) left(said map[string]uint64) {
	sum.Dropped += said[saidRing]
	sum.LeftOut += said[saidFile]
	sum.Refused += said[saidDisk]
	sum.Crossed += said[saidLanes]
}

// span is the time from the first event to the last.
type span struct {
	from, to int64
	any      bool
}

func (s *span) add(time int64) {
	if !s.any {
		s.from, s.to, s.any = math.MaxInt64, 0, true
	}
	s.from, s.to = min(s.from, time), max(s.to, time)
}

func (s *span) length() time.Duration { return time.Duration(s.to - s.from) }
