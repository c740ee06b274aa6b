package engine

import (
	"context"
	"runtime/pprof"

	"github.com/activepebbles/pebbles/internal/stacks"
)

// Labels are labels for Go's profiles that a goroutine of the rank carries while it runs a handler or a task. nil is
// none.
type Labels struct{ with, without context.Context }

// LabelsFor makes labels of a key and a name. It returns nil if the job takes no profiles.
func (p *publisher) LabelsFor(key, name string) *Labels {
	if !p.caller.Job.config.Labels {
		return nil
	}
	bare := stacks.WithRank(context.Background(), p.caller.InJob(p.caller.id))
	return &Labels{pprof.WithLabels(bare, pprof.Labels(key, name)), bare}
}

// Put labels the calling goroutine, which is one of the rank's, until Drop.
func (l *Labels) Put() {
	if l != nil {
		pprof.SetGoroutineLabels(l.with)
	}
}

// Drop restores the label of the rank on the calling goroutine.
func (l *Labels) Drop() {
	if l != nil {
		pprof.SetGoroutineLabels(l.without)
	}
}
