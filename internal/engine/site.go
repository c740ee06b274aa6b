package engine

import (
	"fmt"
	"hash/crc32"
	"iter"
	"math"

	"github.com/activepebbles/pebbles/coalesce"
	"github.com/activepebbles/pebbles/route"
	"github.com/activepebbles/pebbles/termination"
)

// detect makes sure that the rank's detector fits the epoch and the targets that are registered.
func (r *Rank) detect(p Plan) error {
	made := detectorFor{targets: len(r.targets), depth: p.Depth, ofEpoch: p.Detector != nil}
	if r.detector != nil && r.detectorFor == made && !made.ofEpoch {
		return nil
	}
	maker := p.Detector
	if maker == nil {
		maker = r.job.config.Termination
	}
	if r.detector != nil {
		r.rounds += r.detector.Rounds()
	}
	d, err := maker(r.site(p.Depth, nil))
	if err != nil {
		return fmt.Errorf("pebble: epoch: %w", err)
	}
	r.detector, r.detectorFor = d, made
	r.networks[quiescence].variant = variant(d.Name(), p.Depth)
	r.stager, _ = d.(termination.Stager)
	_, r.awaiting = d.(termination.Awaiter)
	r.Ledger = nil
	if _, ok := d.(termination.Keeper); ok {
		site := r.site(p.Depth, nil)
		r.Ledger, r.phases = termination.NewLedger(), uint32(max(site.Depth*site.Hops, site.Depth))
		if p.Depth == 0 {
			r.phases = math.MaxUint32 // a detector of the program's own
		}
	}
	return nil
}

// detectorFor is what a detector was made for.
type detectorFor struct {
	targets int // targets
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
func (r *Rank) site(depth int, other route.Topology) termination.Site {
	if depth > 0 {
		depth += r.beyond
	}
	s := termination.Site{Rank: r.id, Ranks: r.Size(), Depth: depth, Hops: 1, Mixed: r.Shares()}
	moving := false // pebbles follow their keys, by no topology
	for i, d := range r.targets {
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
	if len(r.targets) == 0 {
		s.Topology = route.Direct(r.Size())
	}
	return s
}

// Shares reports whether any buffers of this job are shared.
func (r *Rank) Shares() bool {
	return r.job.config.Shared && r.Place().Processes > 1
}

// chains is the depth that this epoch's handlers are held to. Keys that move send pebbles of their own.
func (r *Rank) chains(depth int) int {
	for _, d := range r.targets {
		if d.description.Moving {
			return 0
		}
	}
	return depth
}

// stage is up to which stage buffers are sent when there is nothing else to do.
func (r *Rank) stage() int {
	if r.stager == nil {
		return coalesce.AllStages
	}
	return r.stager.Stage()
}

// Detection is the name of the running detector, and how many messages an epoch of a depth costs a rank at the least.
func (r *Rank) Detection(depth int) (name string, messages int) {
	name = r.detector.Name()
	if n, err := termination.Messages(name, r.site(depth, nil)); err == nil {
		messages = n
	}
	return name, messages
}

// Descriptions are those of all targets.
func (r *Rank) Descriptions() iter.Seq[Description] {
	return func(yield func(Description) bool) {
		for _, t := range r.targets {
			if !yield(t.description) {
				return
			}
		}
	}
}
