package termination

import "github.com/activepebbles/pebbles/internal/collective"

// pcx takes a round for each level. In round k, counted from 0, a rank that is idle ends phase k on all its links and
// counts the frames that it has created for each rank up to then; a reduce-scatter adds them up; and the round ends
// when as many frames of phases up to k have been processed here.
//
// Why that is enough. Claim: when a rank ends phase k, it has created all its frames of levels up to k+1. For k=0: it
// is idle, and frames of level 1 need nothing but its body. For k>0: its round k-1 has ended. What was counted there is
// exactly the frames for this rank of phases up to k-1, and by the claim every frame of a level up to k for it is among
// them; they have all been processed, and now that the rank is idle it has created what they cause, which is all of
// levels up to k+1.
//
// So after the last phase has been ended everywhere there are no more frames to create, and when those for this rank
// have been processed it has processed all that will ever arrive. What it processed in the last round alone were frames
// of the highest level, which cause nothing.
//
// Phases are needed because ranks are not in step: one that has ended phase k may create a frame of a higher level and
// have it processed here before this rank's round k has ended. If that were counted, it would stand in for a frame of
// phase k that is still in flight.
type pcx struct {
	steps    []collective.Step
	machine  collective.Machine
	links    []int // the ranks that this rank may create frames for
	created  []byte
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
// Siebert and Lumsdaine 2010). It needs a known depth and routes of a known length. Its verdict is about its rank
// alone.
//
// An epoch has Depth × Hops rounds. A round costs every rank ⌈log2 P⌉ messages of 8(P-1) bytes in all, and time and
// memory for P numbers.
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

// links are the ranks that frames may be created for: the neighbours where there is one topology, or else all others.
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

// pcxMessages: a reduce-scatter costs every rank ⌈log2 P⌉ messages.
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

// count ends the phase on all links, and records the frames that each has had.
func (d *pcx) count(l *Ledger) {
	for _, to := range d.links {
		putNumber(d.created[to*numberSize:], l.Close(to))
	}
}
