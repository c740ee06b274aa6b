package lab

import (
	"context"
	"slices"
	"strings"
)

// Tried is a choice of a case's further arguments, and the median of its runs in the case's unit.
type Tried struct {
	Arguments string  `json:"arguments"`
	Value     float64 `json:"value"`
}

// choose runs a case with each of its choices in turn, [Options.Tries] times, and keeps the fastest for the case. It
// records all of them.
func (a *alternation) choose(ctx context.Context, r *Result) error {
	if len(r.Choices) == 0 {
		return nil
	}
	best := 0
	if a.Tries > 0 {
		values := make([][]float64, len(r.Choices))
		for range a.Tries {
			for i, choice := range r.Choices {
				sample, err := a.run(ctx, r.with(choice), 0)
				if err != nil {
					return err
				}
				values[i] = append(values[i], sample.Value)
			}
		}
		for i, choice := range r.Choices {
			r.Tried = append(r.Tried, Tried{choice, median(values[i])})
			if r.speed(r.Tried[i].Value, r.Tried[best].Value) > 1 {
				best = i
			}
		}
	}
	r.Case = r.with(r.Choices[best])
	return nil
}

// with returns the case with further arguments.
func (c Case) with(arguments string) Case {
	c.Args = append(slices.Clone(c.Args), strings.Fields(arguments)...)
	c.Line = strings.TrimSpace(c.Line + " " + arguments)
	return c
}
