package termination

import "github.com/activepebbles/pebbles/internal/collective"

// skr ends an epoch when two successive all-reductions give the same sums, and the numbers of processed and created
// frames are equal.
//
// This is enough. A rank gives its counts only while it is idle, and begins a round only after the previous round has
// ended for it, so after every rank has given its counts to that round. Equal sums mean that no rank's counts changed
// between its two readings. So at a moment between the last first reading and the first second reading, every rank was
// idle, and all created frames had been processed: nothing was in flight that could make a rank active. Both counts
// matter: a frame that is created in one round and processed in the next leaves their difference unchanged.
type skr struct {
	steps   []collective.Step
	machine collective.Machine
	running bool
	last    Counts // sums of the round before, if any
	seen    bool
	rounds  uint64
	value   [2 * numberSize]byte
}

var _ Detector = (*skr)(nil)

// SKR is the general detector: it holds for handlers that send without limit, and for routes that change. Its verdict
// is about the whole job. An epoch costs at least two rounds, each an all-reduction of 16 bytes: at least 2⌈log2 P⌉
// messages of the rank that sends most, and as many again for every two rounds that came too early (Active Pebbles,
// section 3.6; Sinha, Kalé and Ramkumar 1993; the four-counter method of Mattern 1987).
func SKR(s Site) (Detector, error) {
	if err := s.check("skr"); err != nil {
		return nil, err
	}
	return &skr{steps: collective.AllReduce(s.Rank, s.Ranks)}, nil
}

// skrMessages counts the messages: an all-reduction costs a rank with a partner beyond the largest power of two ⌊log2
// P⌋+1; if no rank has one, ⌊log2 P⌋ = ⌈log2 P⌉.
func skrMessages(s Site, _ int) (int, error) { return 2 * s.log(), s.check("skr") }

func (d *skr) Name() string   { return "skr" }
func (d *skr) Rounds() uint64 { return d.rounds }
func (d *skr) Begin()         { d.seen = false }

func (d *skr) Step(n Network, s State) bool {
	for {
		if !d.running {
			if !s.Idle {
				return false
			}
			d.begin(n, s.Counts)
		}
		if !d.machine.Advance(n) {
			return false
		}
		d.running = false
		d.rounds++
		sums := decode(d.machine.Value)
		if d.seen && sums == d.last && sums.Created == sums.Processed {
			return true
		}
		d.last, d.seen = sums, true
		if sums.Created != sums.Processed {
			return false // frames are in flight: the caller decides when to call again
		}
	}
}

func (d *skr) begin(n Network, c Counts) {
	putNumber(d.value[:], c.Created)
	putNumber(d.value[numberSize:], c.Processed)
	d.machine.Start(d.steps, n.Open(), d.value[:], addNumbers)
	d.running = true
}

func decode(value []byte) Counts {
	return Counts{Created: getNumber(value), Processed: getNumber(value[numberSize:])}
}
