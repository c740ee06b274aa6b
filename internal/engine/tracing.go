package engine

import (
	"strings"
	"time"

	"github.com/activepebbles/pebbles/coalesce"
	"github.com/activepebbles/pebbles/internal/watch/board"
	"github.com/activepebbles/pebbles/internal/watch/trace"
)

// traced begins the trace of the rank; to is nil for none.
func (p *publisher) traced(to *trace.Rank) {
	if to == nil {
		return
	}
	p.trace = to
	reasons := [...]board.Name{
		coalesce.Full: p.board.Named("full"), coalesce.Due: p.board.Named("due"),
		coalesce.Explicit: p.board.Named("explicit"), coalesce.Idle: p.board.Named("idle"),
		coalesce.Periodic: p.board.Named("periodic"), coalesce.Deep: p.board.Named("deep"),
	}
	p.sender.Sealed = func(to, bytes int, why coalesce.Reason) {
		if p.trace.Sampled() {
			p.trace.Instant(trace.Flush, trace.Name(reasons[why]), p.sender.Port.Now(), uint64(bytes),
				uint64(p.caller.InJob(to)))
		}
	}
}

// traceCall traces a call that has returned.
func (p *publisher) traceCall() {
	kind, name, number := p.board.LastCall()
	if kind == board.Epoch {
		p.trace.Slice(trace.Epoch, trace.Name(name), p.begun, p.board.Now(), number, p.sender.Count.PebblesHandled-p.handled)
		return
	}
	p.trace.Slice(trace.Collective, trace.Name(p.board.Named(kind.String())), p.begun, p.board.Now(), number, trace.None)
}

// Sampled returns the start of an event, and whether to trace it.
func (p *publisher) Sampled() (began time.Duration, is bool) {
	if p.trace == nil || !p.trace.Sampled() {
		return 0, false
	}
	return p.sender.Port.Now(), true
}

// slice traces an event that has just ended.
func (p *publisher) slice(kind trace.Kind, name string, began time.Duration, a, b uint64) {
	p.trace.Slice(kind, trace.Name(p.board.Named(name)), began, p.sender.Port.Now(), a, b)
}

// TraceAwait traces a call that had to wait: for a lock, or for memory or an answer.
func (p *publisher) TraceAwait(call string, began time.Duration) {
	kind := trace.Access
	if strings.HasPrefix(call, "Lock") {
		kind = trace.Lock
	}
	p.slice(kind, call, began, trace.None, trace.None)
}
