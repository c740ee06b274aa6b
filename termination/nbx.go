package termination

import "github.com/activepebbles/pebbles/internal/collective"

// nbx takes a round for each level. A rank that is idle, and whose frames have all been processed by their receivers,
// begins a barrier; the round ends with it. Meanwhile the rank continues processing.
//
// This is enough. Claim: when a rank begins barrier k, counted from 0, all its frames of levels up to k+1 have been
// created and processed. For k=0: it is idle, and frames of level 1 depend only on its body; and all that it created is
// released. For k>0: barrier k-1 has ended, so every rank had begun it, and by the claim all frames of levels up to k
// have been processed everywhere. Since the rank is now idle, it has created all of levels up to k+1, and they are
// released.
//
// So when the last barrier ends, all frames of all levels have been processed everywhere. Those of the highest level
// cause nothing, and every rank had been idle after it had processed the others.
type nbx struct {
	steps   []collective.Step
	machine collective.Machine
	running bool
	round   int
	rounds  int // of an epoch
	total   uint64
}

var _ Detector = (*nbx)(nil)

// NBX ends rounds by nonblocking barriers over frames that have been processed (Active Pebbles, section 3.6.1; Hoefler,
// Siebert and Lumsdaine 2010). It needs a known depth, routes of known length, and a transport that reports every
// processed frame. Its verdict is about the whole job.
//
// An epoch has Depth × Hops rounds, each of at most ⌈log2 P⌉ empty messages from each rank.
func NBX(s Site) (Detector, error) {
	rounds, err := s.levels("nbx")
	if err != nil {
		return nil, err
	}
	return &nbx{steps: collective.Barrier(s.Rank, s.Ranks), rounds: rounds}, nil
}

// nbxMessages counts the messages: a barrier costs as many as an all-reduction.
func nbxMessages(s Site, _ int) (int, error) {
	rounds, err := s.levels("nbx")
	return rounds * s.log(), err
}

func (d *nbx) Name() string   { return "nbx" }
func (d *nbx) Rounds() uint64 { return d.total }

// AwaitsReceivers implements [Awaiter].
func (d *nbx) AwaitsReceivers() {}

func (d *nbx) Begin() { d.round = 0 }

func (d *nbx) Step(n Network, s State) bool {
	for d.round < d.rounds {
		if !d.running {
			if !s.Idle || !s.Back {
				return false
			}
			d.machine.Start(d.steps, n.Open(), nil, nil)
			d.running = true
		}
		if !d.machine.Advance(n) {
			return false
		}
		d.running = false
		d.round++
		d.total++
	}
	return true
}
