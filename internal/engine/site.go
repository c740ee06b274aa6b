package engine

import (
	"fmt"
	"hash/crc32"
	"math"

	"github.com/activepebbles/pebbles/coalesce"
	"github.com/activepebbles/pebbles/route"
	"github.com/activepebbles/pebbles/termination"
)

// detection is how a rank finds that an epoch has ended.
type detection struct {
	rank        *Rank
	detector    termination.Detector
	detectorFor detectorFor
	stager      termination.Stager // the detector, when it is one
	awaiting    bool               // the detector asks whether all frames are back
	phases      uint32             // that a link can have in an epoch, when there is a ledger
	rounds      uint64             // of detectors before this one
	processed   uint64             // data frames handled
	limit       int                // declared depth of this epoch; 0 for none
	beyond      int                // how much longer chains of targets may be that answer for the runtime
}

// detect makes sure that the rank's detector fits the epoch and the targets that are registered.
func (e *detection) detect(p Plan) error {
	made := detectorFor{changes: e.rank.changes, depth: p.Depth, ofEpoch: p.Detector != nil}
	if e.detector != nil && e.detectorFor == made && !made.ofEpoch {
		return nil
	}
	maker := p.Detector
	if maker == nil {
		maker = e.rank.job.config.Termination
	}
	if e.detector != nil {
		e.rounds += e.detector.Rounds()
	}
	d, err := maker(e.site(p.Depth, nil))
	if err != nil {
		return fmt.Errorf("pebble: epoch: %w", err)
	}
	e.detector, e.detectorFor = d, made
	e.rank.networks[quiescence].variant = variant(d.Name(), p.Depth)
	e.stager, _ = d.(termination.Stager)
	_, e.awaiting = d.(termination.Awaiter)
	e.rank.Ledger = nil
	if _, ok := d.(termination.Keeper); ok {
		site := e.site(p.Depth, nil)
		e.rank.Ledger, e.phases = termination.NewLedger(), uint32(max(site.Depth*site.Hops, site.Depth))
		if p.Depth == 0 {
			e.phases = math.MaxUint32 // a detector of the program's own
		}
	}
	return nil
}

// detectorFor is what a detector was made for.
type detectorFor struct {
	changes int // of targets
	depth   int
	ofEpoch bool // by an option of that epoch alone
}

// variant tells ways to end an epoch apart.
func variant(name string, depth int) uint32 {
	return crc32.ChecksumIEEE(fmt.Appendf(nil, "%s %d", name, depth)) >> purposeBits
}

// ending says in words which way to end an epoch a variant is.
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

// site describes this rank's place to a detector, as it is or, when that is not nil, with another topology for the
// targets that can take one.
func (e *detection) site(depth int, other route.Topology) termination.Site {
	if depth > 0 {
		depth += e.beyond
	}
	s := termination.Site{Rank: e.rank.id, Ranks: e.rank.Size(), Depth: depth, Hops: 1}
	moving := false // pebbles follow their keys, by no topology
	for i, d := range e.rank.targets {
		t := d.description.Topology
		if other != nil && d.description.Tunes.Topology {
			t = other
		}
		hops, known := route.Hops(t)
		switch {
		case d.description.Moving || !known:
			s.Hops = 0
		case s.Hops > 0:
			s.Hops = max(s.Hops, hops)
		}
		switch {
		case d.description.Moving:
			s.Topology, moving = nil, true
		case moving:
		case i == 0:
			s.Topology = t
		case s.Topology != nil && s.Topology.Name() != t.Name():
			s.Topology = nil
		}
	}
	if len(e.rank.targets) == 0 {
		s.Topology = route.Direct(e.rank.Size())
	}
	return s
}

// chains is the depth that this epoch's handlers are held to. Keys that move send pebbles of their own.
func (e *detection) chains(depth int) int {
	for _, d := range e.rank.targets {
		if d.description.Moving {
			return 0
		}
	}
	return depth
}

// stage is up to which stage buffers are sent when there is nothing else to do.
func (d *detection) stage() int {
	if d.stager == nil {
		return coalesce.AllStages
	}
	return d.stager.Stage()
}

// Detection is the name of the running detector, and how many messages an epoch of a depth costs a rank at the least.
func (d *detection) Detection(depth int) (name string, messages int) {
	name = d.detector.Name()
	if n, err := termination.Messages(name, d.site(depth, nil)); err == nil {
		messages = n
	}
	return name, messages
}
