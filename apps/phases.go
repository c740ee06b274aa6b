package apps

import (
	"fmt"
	"slices"

	"github.com/activepebbles/pebbles/pebble"
)

// Phases are what an application does on one rank, in this order. Those that are nil are left out.
type Phases struct {
	Load   func() error                       // makes or loads the data; its time is SetUp
	Kernel func() error                       // what the report is about; its time is Seconds
	Sum    func() error                       // adds up what the ranks have counted in the kernel
	Rate   func()                             // works out rates
	Verify func() error                       // checks the result; its time is Verify
	Wrong  func() (count uint64, what string) // what this rank has found wrong: see Found
	Free   func() error                       // releases the data
	Steps  *Steps                             // of the kernel; nil: it has none
	Tally  *Tally                             // this rank's of the kernel; nil: the runtime alone has counted
}

// RunPhases runs the phases, each of which the ranks begin together, and finishes the report. All ranks call it. It
// ends at the first error.
func (p *Report) RunPhases(r *pebble.Rank, s Phases) (err error) {
	if s.Load != nil {
		if p.SetUp, err = Timed(r, s.Load); err != nil {
			return err
		}
	}
	if err := p.Kernel(r, s.Kernel); err != nil {
		return err
	}
	if s.Steps != nil {
		p.Seconds += s.Steps.Before()
	}
	if s.Sum != nil {
		if err := s.Sum(); err != nil {
			return err
		}
	}
	if s.Rate != nil {
		s.Rate()
	}
	if s.Verify != nil {
		if p.Verify, err = Timed(r, s.Verify); err != nil {
			return err
		}
	}
	if s.Wrong != nil {
		count, what := s.Wrong()
		if err := p.Found(r, count, what); err != nil {
			return err
		}
	}
	if s.Free != nil {
		if err := s.Free(); err != nil {
			return err
		}
	}
	if s.Tally == nil {
		return p.FinishCounted(r)
	}
	return p.Finish(r, *s.Tally)
}

// Common is the part of a configuration that all applications share. Each embeds it.
type Common struct {
	Seed           uint64            // names the data, and reaches the report
	SkipValidation bool              // leave the result unchecked; applications on graphs alone have a use for it
	Progress       Progress          // see each application for what it counts
	Output         Output            // where the rows of the result go
	Phase          func(what string) // called on rank 0 when a phase begins whose progress counts something else
}

// Shared returns c, so that a caller of any application can set it.
func (c *Common) Shared() *Common { return c }

// Progress is called on rank 0 now and then with how much of a total is done. It may be nil.
type Progress func(done, total uint64)

// Passed reports progress on rank 0 when done has reached or passed a multiple of every since before.
func (p Progress) Passed(r *pebble.Rank, every, before, done, total uint64) {
	if p != nil && r.ID() == 0 && done%every < done-before {
		p(done, total)
	}
}

// Mix is a bijection that spreads every bit over all: the finalizer of SplitMix64.
func Mix(v uint64) uint64 {
	v += 0x9E3779B97F4A7C15
	v = (v ^ v>>30) * 0xBF58476D1CE4E5B9
	v = (v ^ v>>27) * 0x94D049BB133111EB
	return v ^ v>>31
}

// Repeat is Kernel for one of several runs of what the report is about: it adds to Seconds and Counters, and returns
// the time of this one.
func (p *Report) Repeat(r *pebble.Rank, phase func() error) (seconds float64, err error) {
	var one Report
	if err := one.Kernel(r, phase); err != nil {
		return 0, err
	}
	p.Seconds += one.Seconds
	p.Termination = one.Termination
	rounds, epochs := p.Counters.Rounds+one.Counters.Rounds, p.Counters.Epochs+one.Counters.Epochs
	p.Counters = p.Counters.Add(one.Counters)
	p.Counters.Rounds, p.Counters.Epochs = rounds, epochs
	return one.Seconds, nil
}

// Rate is how much was done a second; 0 when no time has passed: a coarse clock may not have moved, and JSON has no
// infinity.
func Rate(done, seconds float64) float64 {
	if seconds > 0 {
		return done / seconds
	}
	return 0
}

// HarmonicMean is 0 when one of the rates is.
func HarmonicMean(rates []float64) float64 {
	if len(rates) == 0 || slices.Min(rates) <= 0 {
		return 0
	}
	sum := 0.0
	for _, rate := range rates {
		sum += 1 / rate
	}
	return float64(len(rates)) / sum
}

// Span shows the range of some values.
func Span[N int64 | uint64 | float64](of []N) string {
	if len(of) == 0 {
		return "none"
	}
	least, most := slices.Min(of), slices.Max(of)
	if least == most {
		return fmt.Sprint(least)
	}
	return fmt.Sprintf("%v to %v", least, most)
}

// Verdict says in words what a verifier has found, if it ran.
func Verdict(validated bool, errors uint64, of string) string {
	switch {
	case !validated:
		return "not checked"
	case errors > 0:
		return fmt.Sprintf("WRONG: %d %s", errors, of)
	default:
		return "valid"
	}
}
