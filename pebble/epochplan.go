package pebble

import (
	"fmt"

	"github.com/activepebbles/pebbles/termination"
)

// EpochOption says something of one epoch. [Depth] and [EndBy] make it. All ranks give the same.
type EpochOption func(*epochPlan)

// epochPlan is what options say of an epoch.
type epochPlan struct {
	depth    int
	declared bool
	maker    termination.Maker // nil for that of the job
}

// EndBy ends this epoch by another detector than Config.Termination.
func EndBy(detector termination.Maker) EpochOption {
	return func(p *epochPlan) { p.maker = detector }
}

func planEpoch(options []EpochOption) (p epochPlan, err error) {
	for _, o := range options {
		o(&p)
	}
	if p.declared && (p.depth < 1 || p.depth > depthMax) {
		return p, fmt.Errorf("pebble: epoch: depth %d: the shortest chain is 1 pebble, the longest that can be declared %d; "+
			"leave it out for chains of any length", p.depth, depthMax)
	}
	return p, nil
}
