package lab

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/activepebbles/pebbles/internal/machine"
)

// Limit is the default time limit of a run.
const Limit = 2 * time.Minute

// Options control the measurement of a suite.
type Options struct {
	Repeats  int                  // counted runs of each case; at least 1
	WarmUp   int                  // earlier runs of each case
	Tries    int                  // runs of each of a case's choices; 0: the first choice is taken
	Limit    time.Duration        // of one run; 0 is [Limit]
	Command  string               // as the user typed it, for the results
	Progress func(Step)           // if not nil, called after every run
	Probe    func() time.Duration // measures the machine's state; nil is Probe
}

// Step is a successful run.
type Step struct {
	Case        Case
	Repeat      int // from 1; 0 in the warm-up
	Sample      Sample
	Done, Total int // runs of the whole suite
}

// Alternate measures a suite: each group separately, its cases in turn, Options.Repeats times. Before that it
// chooses among the choices of each case. Every second round has
// the opposite order, so that no case always follows the same other. The machine's state is probed before and after
// each run. Alternate stops with an error at the first run that fails, prints no result, is wrong, or differs where it
// must not. When ctx ends, the error is its cause. The results beside an error are those of the complete groups.
func Alternate(ctx context.Context, groups []Group, o Options) (Results, error) {
	if o.Repeats < 1 || o.WarmUp < 0 {
		return Results{}, fmt.Errorf("%d repeats after %d warm-up runs: give at least one repeat", o.Repeats, o.WarmUp)
	}
	if err := Check(groups); err != nil {
		return Results{}, err
	}
	if o.Limit == 0 {
		o.Limit = Limit
	}
	if o.Probe == nil {
		o.Probe = Probe
	}
	a := alternation{Options: o}
	for _, g := range groups {
		a.total += len(g.Cases) * (o.Repeats + o.WarmUp)
		for _, c := range g.Cases {
			a.total += len(c.Choices) * o.Tries
		}
	}
	results := NewResults(o.Command)
	results.Repeats, results.WarmUp = o.Repeats, o.WarmUp
	for _, g := range groups {
		measured, err := a.group(ctx, g)
		if err != nil {
			return results, err
		}
		results.Groups = append(results.Groups, measured)
	}
	return results, nil
}

// alternation is a running measurement.
type alternation struct {
	Options
	done, total int
}

func (a *alternation) group(ctx context.Context, g Group) (GroupResult, error) {
	measured := GroupResult{Name: g.Name, Title: g.Title, About: g.About}
	for _, c := range g.Cases {
		r := &Result{Case: c.typed()}
		measured.Results = append(measured.Results, r)
		if err := a.choose(ctx, r); err != nil {
			return measured, fmt.Errorf("%s: %s: %w", r.Name, r.Line, err)
		}
	}
	for round := 1 - a.WarmUp; round <= a.Repeats; round++ {
		order := slices.Clone(measured.Results)
		if round%2 == 0 {
			slices.Reverse(order)
		}
		for _, r := range order {
			if err := a.step(ctx, r, max(0, round)); err != nil {
				return measured, fmt.Errorf("%s: %s: %w", r.Name, r.Line, err)
			}
		}
		if err := measured.agree(); err != nil {
			return measured, err
		}
	}
	return measured, nil
}

// step runs a case once, and keeps the sample unless repeat is 0.
func (a *alternation) step(ctx context.Context, r *Result, repeat int) error {
	sample, err := a.run(ctx, r.Case, repeat)
	if err != nil || repeat == 0 {
		return err
	}
	return r.addSample(sample)
}

func (a *alternation) run(ctx context.Context, c Case, repeat int) (Sample, error) {
	sample, err := c.run(ctx, a.Limit, a.Probe)
	if err != nil {
		return sample, err
	}
	a.done++
	if a.Progress != nil {
		a.Progress(Step{Case: c, Repeat: repeat, Sample: sample, Done: a.done, Total: a.total})
	}
	return sample, nil
}

// run runs the command once.
func (c Case) run(ctx context.Context, limit time.Duration, probe func() time.Duration) (Sample, error) {
	sample := Sample{Before: probe()}
	out, err := machine.Run(ctx, limit, c.Env, c.Args...)
	if err != nil {
		return sample, err
	}
	sample.Seconds, sample.CPU = out.Took.Seconds(), out.CPU.Seconds()
	sample.After = probe()
	sample.State = stateOf(sample.Before, sample.After)
	o, err := machine.Parse(out.Text)
	if err != nil {
		return sample, err
	}
	return sample, sample.read(c, o)
}
