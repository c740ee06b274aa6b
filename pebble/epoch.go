package pebble

import (
	"github.com/activepebbles/pebbles/internal/engine"
	"github.com/activepebbles/pebbles/termination"
)

// Epoch runs f, and returns when every pebble that any rank sent in this epoch, and every pebble those caused, has been
// handled (Active Pebbles, section 3.6): everywhere under the detectors skr and nbx; under the others, which need a
// declared depth, all that are for this rank, while other ranks may still handle theirs. All ranks call Epoch the same
// number of times, each with a function of its own. Handlers of this rank run inside the sends of f and after f has
// returned, never outside of Epoch.
//
// An error of f, or any other failure of the job, makes Epoch return an error on every rank. Targets that were
// registered since the last epoch are compared across ranks first; a difference is a [RegistrationError].
//
// An epoch ends by a detector (Config.Termination); for handlers that may send without limit it costs at least two
// all-reductions of 16 bytes. [Depth] lets it cost less.
func (r *Rank) Epoch(f func() error, options ...EpochOption) error {
	var p plan
	for _, o := range options {
		p = o.apply(p)
	}
	return r.engine.Epoch(f, p)
}

// EpochOption sets something for one epoch. [Named], [Depth], [EndBy] and [Idle] make it. All ranks give the same. An
// option may be kept, and given to many epochs.
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

// Named names an epoch for those who watch the job: in reports, on the page, in records and traces. Ranks that give
// different names are told of, when the job stands still, and nothing more. Names are few: a name for each level of a
// search would fill a table, so give one to each phase.
func Named(name string) EpochOption { return epochName(name) }

// Depth declares the longest chain of pebbles of an epoch: 1 when no handler sends, 2 when the handlers of pebbles that
// the main function sent may send, and so on (Active Pebbles, section 3.6.1). It lets the epoch end by a cheaper
// detector. All ranks declare the same. A handler that sends beyond it ends the job with a [DepthError].
//
// From 2 on, pebbles of different depths travel in different frames, which costs coalescing: declare it where epochs
// are short.
func Depth(n int) EpochOption { return depth(n) }

// EndBy ends this epoch by another detector than Config.Termination.
func EndBy(detector termination.Maker) EpochOption { return endingBy{detector} }

// Idle gives an epoch idle work: a part of the main function that runs after the body has returned, whenever there is
// nothing to handle, until it has nothing left. work does a piece of what is to be done, as the body might, and reports
// whether it has done anything. An epoch ends when no rank has any left and every pebble has been handled; work is
// asked again after handlers have run, which may have found more for it. So a queue of this rank that handlers fill is
// worked off while nobody waits for this rank: what asynchronous label-correcting codes need. Keep pieces short, since
// what arrives is handled between them. A declared depth is refused beside it.
func Idle(work func() bool) EpochOption { return idle(work) }
