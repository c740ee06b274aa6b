package pebble

import (
	"github.com/activepebbles/pebbles/internal/engine"
	"github.com/activepebbles/pebbles/termination"
)

// Epoch runs f. It returns when every pebble that any rank sent in this epoch, and every pebble those caused, has been
// handled (Active Pebbles, section 3.6). Under the detectors skr and nbx, that holds for all ranks. The others need a
// declared depth; under them it holds for the pebbles of this rank, while other ranks may still handle theirs. All
// ranks call Epoch the same number of times, each with its own function. Handlers of this rank run inside the sends of
// f and after f has returned, never outside of Epoch.
//
// An error of f, or any other failure of the job, makes Epoch return an error on every rank. Targets registered since
// the last epoch are compared across ranks first; a difference is a [RegistrationError].
//
// A detector (Config.Termination) ends the epoch; for handlers that may send without limit it costs at least two
// all-reductions of 16 bytes. [Depth] reduces the cost.
func (r *Rank) Epoch(f func() error, options ...EpochOption) error {
	var p plan
	for _, o := range options {
		p = o.apply(p)
	}
	return r.engine.Epoch(f, p)
}

// EpochOption is a setting of one epoch. [Named], [Depth], [EndBy] and [Idle] make one. All ranks give the same
// options. A program may keep an option and use it in many epochs.
type EpochOption interface{ apply(plan) plan }

type (
	plan      = engine.Plan
	epochName string
	depth     int
	endingBy  struct{ detector termination.Maker }
	idle      func() bool
)

func (o epochName) apply(p plan) plan { p.Name = string(o); return p }
func (o depth) apply(p plan) plan     { p.Depth, p.Declared = int(o), true; return p }
func (o endingBy) apply(p plan) plan  { p.Detector = o.detector; return p }
func (o idle) apply(p plan) plan      { p.Idle = o; return p }

// Named names an epoch in reports, on the page, in records and in traces. If ranks give different names, only the
// report of a stalled job says so. Use few names, one for each phase: a name for each level of a search would fill a
// table.
func Named(name string) EpochOption { return epochName(name) }

// Depth declares the longest chain of pebbles of an epoch: 1 if no handler sends, 2 if the handlers of pebbles from the
// main function may send, and so on (Active Pebbles, section 3.6.1). The epoch then ends by a cheaper detector. All
// ranks declare the same depth. A handler that sends beyond it ends the job with a [DepthError].
//
// From 2 on, pebbles of different depths travel in different frames, which reduces coalescing: declare a depth if
// epochs are short.
func Depth(n int) EpochOption { return depth(n) }

// EndBy ends this epoch by the given detector instead of Config.Termination.
func EndBy(detector termination.Maker) EpochOption { return endingBy{detector} }

// Idle gives an epoch idle work. After the body has returned, work runs whenever the rank has nothing to handle, until
// it reports false. Each call does a piece of the work, as the body might, and reports whether it did anything. The
// epoch ends when no rank has any left and every pebble has been handled; after handlers have run, work is called
// again, since they may have added to it. So a rank works off a queue that its handlers fill while no other rank waits
// for it, as asynchronous label-correcting codes need. Keep pieces short: pebbles that arrive are handled between them.
// Idle with a declared depth is refused.
func Idle(work func() bool) EpochOption { return idle(work) }
