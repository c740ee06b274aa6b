package engine

import (
	"context"
	"runtime/pprof"

	"github.com/activepebbles/pebbles/internal/stacks"
)

// Labels are what a goroutine of the rank carries while it runs something, for Go's profiles. nil is none.
type Labels struct{ with, without context.Context }

// LabelsFor makes labels that tell what is run, by a key and a name; nil where nobody wants profiles.
func (p *publisher) LabelsFor(key, name string) *Labels {
	if !p.rank.job.config.Labels {
		return nil
	}
	bare := stacks.WithRank(context.Background(), p.rank.id)
	return &Labels{pprof.WithLabels(bare, pprof.Labels(key, name)), bare}
}

// Put has the calling goroutine, which is one of the rank's, carry the labels, until Drop.
func (l *Labels) Put() {
	if l != nil {
		pprof.SetGoroutineLabels(l.with)
	}
}

// Drop has the calling goroutine carry its rank alone.
func (l *Labels) Drop() {
	if l != nil {
		pprof.SetGoroutineLabels(l.without)
	}
}
