package apps

import (
	"fmt"
	"slices"

	"github.com/activepebbles/pebbles/pebble"
)

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
