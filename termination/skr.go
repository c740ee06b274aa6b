package termination

import (
	"encoding/binary"

	"github.com/activepebbles/pebbles/internal/collective"
)

// skr ends an epoch when two successive all-reductions give the same sums, and as many frames were processed as created.
//
// Why that is enough: a rank gives its counts only while it is idle, and begins a round only after the round before has
// ended for it, which is after every rank has given its counts to that one. Equal sums mean that no rank's counts moved
// between its two looks. So at a moment between the last first look and the first second look every rank was idle, and
// all that was created had been processed: nothing was under way that could wake anybody. Both counts must be watched: a
// frame that is created in one round and processed in the next leaves their difference as it was.
type skr struct {
	steps   []collective.Step
	machine collective.Machine
	running bool
	last    Counts // sums of the round before, if any
	seen    bool
	rounds  uint64
	value   [16]byte
}

var _ Detector = (*skr)(nil)

// SKR is the general detector: it holds for handlers that send without limit. An epoch costs at least two rounds, each an
// all-reduction of 16 bytes: 2⌈log2 P⌉ messages a rank at the least (Active Pebbles, section 3.6; Sinha, Kalé and Ramkumar
// 1993; the four-counter method of Mattern 1987).
func SKR(rank, ranks int) Detector {
	return &skr{steps: collective.AllReduce(rank, ranks)}
}

func (d *skr) Name() string   { return "skr" }
func (d *skr) Rounds() uint64 { return d.rounds }
func (d *skr) Begin()         { d.seen = false }

func (d *skr) Step(n Network, idle bool, c Counts) bool {
	for {
		if !d.running {
			if !idle {
				return false
			}
			d.begin(n, c)
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
			return false // frames are under way: the caller knows better when to look again
		}
	}
}

func (d *skr) begin(n Network, c Counts) {
	binary.LittleEndian.PutUint64(d.value[:8], c.Created)
	binary.LittleEndian.PutUint64(d.value[8:], c.Processed)
	d.machine.Start(d.steps, n.Open(), d.value[:], addCounts)
	d.running = true
}

func decode(value []byte) Counts {
	return Counts{
		Created:   binary.LittleEndian.Uint64(value),
		Processed: binary.LittleEndian.Uint64(value[8:]),
	}
}

func addCounts(into, from []byte) {
	a, b := decode(into), decode(from)
	binary.LittleEndian.PutUint64(into, a.Created+b.Created)
	binary.LittleEndian.PutUint64(into[8:], a.Processed+b.Processed)
}
