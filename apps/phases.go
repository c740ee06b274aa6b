package apps

import (
	"fmt"
	"slices"

	"github.com/activepebbles/pebbles/pebble"
)

// Phases are the phases of an application on one rank, in this order. nil phases are skipped.
type Phases struct {
	Load   func() error                       // makes or loads the data; its time is SetUp
	Kernel func() error                       // subject of the report; its time is Seconds
	Sum    func() error                       // sums the ranks' counts of the kernel
	Rate   func()                             // computes rates
	Verify func() error                       // checks the result; its time is Verify
	Wrong  func() (count uint64, what string) // mistakes that this rank has found: see Found
	Free   func() error                       // releases the data
	Steps  *Steps                             // of the kernel; nil: none
	Tally  *Tally                             // this rank's tally of the kernel; nil: only the runtime has counted
}

// RunPhases runs the phases and finishes the report. All ranks begin each phase together. All ranks call RunPhases. It
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
	Seed           uint64            // determines the data, and appears in the report
	SkipValidation bool              // do not check the result; only applications on graphs use it
	Progress       Progress          // unit: see each application
	Output         Output            // destination of the result's rows
	Phase          func(what string) // called on rank 0 at the beginning of a phase with another unit of progress
}

// Shared returns c, so that code for any application can set it.
func (c *Common) Shared() *Common { return c }

// Progress is called on rank 0 from time to time with the part of a total that is done. It may be nil.
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

// Repeat is Kernel for one of several runs of the timed phase. It adds to Seconds and Counters, and returns the seconds
// of this run.
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

// Rate returns done per second, or 0 if no time has passed: a coarse clock may not have moved, and JSON has no
// infinity.
func Rate(done, seconds float64) float64 {
	if seconds > 0 {
		return done / seconds
	}
	return 0
}

// HarmonicMean returns the harmonic mean of rates, or 0 if one of them is 0.
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

// Span formats the range of some values.
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

// Verdict returns a verifier's result as text, or "not checked".
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
