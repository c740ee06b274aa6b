package trace

import (
	"fmt"
	"math"
	"strings"
	"text/tabwriter"
	"time"
)

// Summary is what [Merge] has found in the files of a job.
type Summary struct {
	Program   string
	Job       string
	Processes int           // of the job
	Files     int           // that were read
	Kinds     [kinds]Count  // by Kind
	Span      time.Duration // from the first event to the end of the last
	Apart     time.Duration // from the first start of a process's clock to the last
	Dropped   uint64        // events that a full ring did not take
	LeftOut   uint64        // events that were left out since a file was full
	Refused   uint64        // events that a disk refused
	Crossed   uint64        // slices that were left out since they crossed others
	Problems  []string      // what could not be read, and what else is wrong
}

// Count counts events of a kind.
type Count struct {
	Events uint64 // in the files
	Stand  uint64 // about so many there were, as the events' weights say
}

// String is the summary for people, some lines.
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

// left adds what a file says of the events that it does not have.
func (sum *Summary) left(said map[string]uint64) {
	sum.Dropped += said[saidRing]
	sum.LeftOut += said[saidFile]
	sum.Refused += said[saidDisk]
	sum.Crossed += said[saidLanes]
}

// span is from when to when there are events.
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
