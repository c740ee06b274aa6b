package sim

import (
	"fmt"

	"github.com/activepebbles/pebbles/netio/internal/inflight"
)

// Ends are a frame's costs at both ranks beyond the overheads, by class of link. The zero value costs nothing.
type Ends struct {
	Process End `json:"within_process"`
	Host    End `json:"within_host"`
	Between End `json:"between_hosts"`
}

// End is a frame's cost at either rank beyond o. It takes time of the rank's processor, where G takes only the wire.
// Frames that leave one after the other, without a pause or wait of their sender, form a batch: they share a system
// call, as over TCP.
type End struct {
	// PerByte is the time per byte of a payload, in seconds: the O of LogGOPS (Hoefler, Schneider and Lumsdaine 2010).
	PerByte float64 `json:"per_byte"`
	// Batch is the time per batch of frames or of acks, in seconds.
	Batch float64 `json:"batch"`
}

// A batch has at most batchBytes and leaves at most batchTime after its first frame, as in netio/tcp.
const (
	batchBytes = 64 << 10
	batchTime  = instant(inflight.DelayMax) * nanosecond
)

// batches are a rank's open batches.
type batches struct {
	room map[*Process]int // bytes left in the open batch to a process
	ends instant          // departure of all batches
}

// closeAll closes all batches.
func (b *batches) closeAll() { clear(b.room) }

func (e Ends) check() error {
	for class, end := range []End{e.Process, e.Host, e.Between} {
		for name, t := range map[string]float64{"per_byte": end.PerByte, "batch": end.Batch} {
			if !(t >= 0 && t <= spanMax) {
				return fmt.Errorf("sim: network: %s of the ends %s is %v: times are seconds, from 0 to %d",
					name, classNames[class], t, spanMax)
			}
		}
	}
	return nil
}

// ofEnd returns a frame's cost at either end. opens marks the first frame of a batch.
func (c *charges) ofEnd(k class, bytes uint32, opens bool) instant {
	takes := c.overhead[k] + instant(c.endByte[k]*float64(bytes))
	if opens {
		takes += c.batch[k]
	}
	return takes
}

// open reports whether a frame for a process joins an open batch.
func (b *batches) open(at instant, to *Process) bool { return at <= b.ends && b.room[to] > 0 }

// opens reports whether a frame begins a batch. It reports false where batches are free.
func (r *rank) opens(k class, to *rank, bytes uint32) bool {
	if r.world.charges.batch[k] == 0 {
		return false
	}
	b := &r.batches
	if b.room == nil {
		b.room = map[*Process]int{}
	}
	first := !b.open(r.clock, to.process)
	if r.clock > b.ends {
		b.closeAll()
	}
	if len(b.room) == 0 {
		b.ends = r.clock + batchTime
	}
	room := b.room[to.process]
	if first {
		room = batchBytes
	}
	b.room[to.process] = room - headBytes - int(bytes)
	return first
}
