package termination

import "github.com/activepebbles/pebbles/internal/collective"

// pcx takes a round for each level. In round k, counted from 0, an idle rank ends phase k on all its links and counts
// the frames that it has created for each rank so far; a reduce-scatter adds them up; the round ends when that number
// of frames of phases up to k has been processed here.
//
// This is enough. Claim: when a rank ends phase k, it has created all its frames of levels up to k+1. For k=0: it is
// idle, and frames of level 1 depend only on its body. For k>0: its round k-1 has ended. That round counted exactly the
// frames for this rank of phases up to k-1, and by the claim they include every frame of a level up to k for it. They
// have all been processed, and since the rank is now idle, it has created all frames that they cause: all of levels up
// to k+1.
//
// So when the last phase has ended everywhere, no more frames will be created, and when those for this rank have been
// processed, it has processed all that will ever arrive. The frames that it processed in the last round alone were of
// the highest level, and cause nothing.
//
// Phases are needed because ranks are not in step: one that has ended phase k may create a frame of a higher level and
// have it processed here before this rank's round k has ended. If that frame were counted, it would replace a frame of
// phase k that is still in flight.
type pcx struct {
	steps    []collective.Step
	machine  collective.Machine
	links    []int  // the ranks that this rank may create frames for
	created  []byte // by collective.Index
	round    int
	rounds   int // of an epoch
	at       pcxState
	expected uint64 // frames for this rank of phases up to this round's
	total    uint64
}

type pcxState uint8

const (
	working   pcxState = iota // until the rank is idle
	adding                    // until the reduce-scatter has ended
	receiving                 // until the frames have been processed
)

var _ Keeper = (*pcx)(nil)

// PCX counts frames for each rank by reduce-scatter (Active Pebbles, section 3.6.1; the personalised census of Hoefler,
// Siebert and Lumsdaine 2010). It needs a known depth and routes of known length. Its verdict is about its rank alone.
//
// An epoch has Depth × Hops rounds. A round costs each rank at most ⌈log2 P⌉ messages, of at most 8P bytes in total,
// and time and memory for P numbers.
func PCX(s Site) (Detector, error) {
	rounds, err := s.levels("pcx")
	if err != nil {
		return nil, err
	}
	return &pcx{
		steps:   collective.ReduceScatter(s.Rank, s.Ranks, numberSize),
		links:   s.links(),
		created: make([]byte, s.Ranks*numberSize),
		rounds:  rounds,
	}, nil
}

// links returns the ranks that may get frames: the neighbours if all targets share a topology, or else all others.
func (s Site) links() (all []int) {
	if s.Topology != nil {
		return s.Topology.Neighbors(s.Rank)
	}
	for r := range s.Ranks {
		if r != s.Rank {
			all = append(all, r)
		}
	}
	return all
}

// pcxMessages counts the messages: a reduce-scatter costs as many as an all-reduction.
func pcxMessages(s Site, _ int) (int, error) {
	rounds, err := s.levels("pcx")
	return rounds * s.log(), err
}

func (d *pcx) Name() string   { return "pcx" }
func (d *pcx) KeepsLedger()   {}
func (d *pcx) Rounds() uint64 { return d.total }
func (d *pcx) Begin()         { d.round, d.at = 0, working }

func (d *pcx) Step(n Network, s State) bool {
	for d.round < d.rounds {
		switch d.at {
		case working:
			if !s.Idle {
				return false
			}
			d.count(s.Ledger)
			d.machine.Start(d.steps, n.Open(), d.created, addNumbers)
			d.at = adding
		case adding:
			if !d.machine.Advance(n) {
				return false
			}
			d.expected = getNumber(d.machine.Value)
			d.at = receiving
		case receiving:
			if s.Ledger.ProcessedAll(uint32(d.round)) != d.expected {
				return false
			}
			d.round++
			d.total++
			d.at = working
		}
	}
	return true
}

// count ends the phase on all links, and records the number of frames of each.
func (d *pcx) count(l *Ledger) {
	ranks := len(d.created) / numberSize
	for _, to := range d.links {
		putNumber(d.created[collective.Index(to, ranks)*numberSize:], l.Close(to))
	}
}
