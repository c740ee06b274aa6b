package model

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/activepebbles/pebbles/route"
)

// Crossover is the first of some numbers of ranks, in growing order, from which on b is predicted to be faster than a for all that
// follow; 0 when there is none. Numbers that one of the two can't connect are left out.
func (p *Parameters) Crossover(j Job, a, b route.Constructor, ranks []int) (first int, err error) {
	for _, n := range ranks {
		j.Ranks = n
		j.Topology = a
		one, errA := p.Predict(j)
		j.Topology = b
		other, errB := p.Predict(j)
		switch {
		case errA != nil || errB != nil:
			err = cmp.Or(errA, errB)
			continue
		case other.Seconds >= one.Seconds:
			first = 0
		case first == 0:
			first = n
		}
		err = nil
	}
	return first, err
}

// Choice is a setting and its prediction.
type Choice struct {
	Topology string // the word that was asked for
	Coalesce int
	Prediction
}

// Best predicts a job over topologies, by their names, and coalescing factors, and sorts the predictions, the fastest first.
// Settings of equal times keep their order. Topologies that can't connect so many ranks are left out; the error is theirs when none
// is left. Cost: a [Survey] a topology.
func (p *Parameters) Best(j Job, topologies []string, factors []int) (all []Choice, err error) {
	for _, name := range topologies {
		constructor, fault := route.ByName(name)
		if fault != nil {
			return nil, fault
		}
		shape, fault := Survey(constructor, j.Ranks, j.Layout)
		if fault != nil {
			err = fault
			continue
		}
		for _, factor := range factors {
			j.Topology, j.Coalesce = constructor, factor
			r, fault := p.PredictOn(shape, j)
			if fault != nil {
				return nil, fault
			}
			all = append(all, Choice{name, factor, r})
		}
	}
	if len(all) == 0 {
		return nil, cmp.Or(err, fmt.Errorf("model: nothing to choose from: give topologies and coalescing factors"))
	}
	slices.SortStableFunc(all, func(a, b Choice) int { return cmp.Compare(a.Seconds, b.Seconds) })
	return all, nil
}
