package engine

import (
	"fmt"
	"hash/crc32"
	"math"

	"github.com/activepebbles/pebbles/coalesce"
	"github.com/activepebbles/pebbles/route"
	"github.com/activepebbles/pebbles/termination"
)

// detection detects the end of an epoch.
type detection struct {
	caller      *caller
	sender      *coalesce.Sender
	targets     *targets
	network     *network
	arrivals    *arrivals
	detector    termination.Detector
	detectorFor detectorFor
	stager      termination.Stager // the detector, if it is one
	awaiting    bool               // the detector needs to know whether all frames are back
	rounds      uint64             // of detectors before this one
}

// detect makes the rank's detector, unless it already fits the epoch and the registered targets.
func (d *detection) detect(p Plan) error {
	made := detectorFor{changes: d.targets.changes, depth: p.Depth, ofEpoch: p.Detector != nil}
	if d.detector != nil && d.detectorFor == made && !made.ofEpoch {
		return nil
	}
	if d.detector != nil {
		d.rounds += d.detector.Rounds()
	}
	site := d.site(p.Depth, nil)
	detector, err := d.maker(p)(site)
	if err != nil {
		return fmt.Errorf("pebble: epoch: %w", err)
	}
	d.detector, d.detectorFor = detector, made
	d.network.variant = variant(detector.Name(), p.Depth)
	d.stager, _ = detector.(termination.Stager)
	_, d.awaiting = detector.(termination.Awaiter)
	d.sender.Ledger = nil
	if _, ok := detector.(termination.Keeper); ok {
		d.sender.Ledger, d.arrivals.phases = termination.NewLedger(), uint32(max(site.Depth*site.Hops, site.Depth))
		if p.Depth == 0 {
			d.arrivals.phases = math.MaxUint32 // the program's own detector
		}
	}
	return nil
}

// maker makes the detector of an epoch.
func (d *detection) maker(p Plan) termination.Maker {
	if p.Detector != nil {
		return p.Detector
	}
	return d.caller.Job.config.Termination
}

// detectorFor holds the properties that a detector was made for.
type detectorFor struct {
	changes int // of targets
	depth   int
	ofEpoch bool // set by an option of that epoch
}

// variant distinguishes ways to end an epoch.
func variant(name string, depth int) uint32 {
	return crc32.ChecksumIEEE(fmt.Appendf(nil, "%s %d", name, depth)) >> purposeBits
}

// ending describes the way to end an epoch that a variant stands for.
func ending(of uint32) string {
	for _, name := range termination.Names() {
		for depth := range depthMax + 1 {
			switch {
			case variant(name, depth) != of:
			case depth == 0:
				return name + " without a declared depth"
			default:
				return fmt.Sprintf("%s at depth %d", name, depth)
			}
		}
	}
	return "a detector of its own"
}

// site describes this rank's place to a detector. If other is not nil, it replaces the topology of targets that support
// another one.
func (d *detection) site(depth int, other route.Topology) termination.Site {
	if depth > 0 {
		depth += d.targets.beyond
	}
	s := termination.Site{Rank: d.caller.id, Ranks: d.caller.Size(), Depth: depth, Hops: 1}
	moving := false // pebbles follow their keys, over no topology
	for i, registered := range d.targets.all {
		t := registered.description.Topology
		if other != nil && registered.description.Tunes.Topology {
			t = other
		}
		hops, known := route.Hops(t)
		switch {
		case registered.description.Moving || !known:
			s.Hops = 0
		case s.Hops > 0:
			s.Hops = max(s.Hops, hops)
		}
		switch {
		case registered.description.Moving:
			s.Topology, moving = nil, true
		case moving:
		case i == 0:
			s.Topology = t
		case s.Topology != nil && s.Topology.Name() != t.Name():
			s.Topology = nil
		}
	}
	if len(d.targets.all) == 0 {
		s.Topology = route.Direct(d.caller.Size())
	}
	return s
}

// chains returns the depth limit of this epoch's handlers; 0 if keys move, since moves send pebbles of the runtime.
func (d *detection) chains(depth int) int {
	if d.targets.moving() {
		return 0
	}
	return depth
}

// stage returns the last stage whose buffers an idle rank sends.
func (d *detection) stage() int {
	if d.stager == nil {
		return coalesce.AllStages
	}
	return d.stager.Stage()
}

// Cost returns the name of the detector, and the minimum number of messages per rank of an epoch of a depth.
func (d *detection) Cost(depth int) (name string, messages int) {
	name = d.detector.Name()
	if n, err := termination.Messages(name, d.site(depth, nil)); err == nil {
		messages = n
	}
	return name, messages
}

// state returns the state of the rank for the detector.
func (d *detection) state(atRest bool) termination.State {
	s := termination.State{
		Counts: termination.Counts{Created: d.sender.Created, Processed: d.arrivals.processed},
		Idle:   atRest,
		Ledger: d.sender.Ledger,
	}
	s.Back = d.awaiting && s.Idle && d.targets.allReleased()
	return s
}

// DeclaresDepth reports whether the epoch declares a depth.
func (d *detection) DeclaresDepth() bool { return d.detectorFor.depth > 0 }

// Termination returns the name of the detector that ended the last epoch, or "" before the first.
func (d *detection) Termination() string {
	d.caller.owned("Termination was called")
	if d.detector == nil {
		return ""
	}
	return d.detector.Name()
}
