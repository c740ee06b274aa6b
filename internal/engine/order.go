package engine

import (
	"encoding/binary"
	"fmt"
	"math"
	"time"

	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/tune"
)

// order is what rank 0 tells all others to run the next epochs with; or, within an epoch, to take another coalescing
// factor. Those are told by messages that nobody waits for: ranks need not have the same factor at the same time.
type order struct {
	epochs  int // that it is for; within an epoch, which one
	setting tune.Setting
}

func (o order) bytes() []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(o.epochs))
	b = binary.LittleEndian.AppendUint64(b, uint64(o.setting.Coalesce))
	b = binary.LittleEndian.AppendUint64(b, uint64(o.setting.Cache))
	return append(b, o.setting.Topology...)
}

// orderBytes is the length of an order that leaves the topology as it is.
const orderBytes = 24

// orderOf takes an order from bytes, at least orderBytes of them.
func orderOf(b []byte) order {
	number := func(i int) int { return int(binary.LittleEndian.Uint64(b[8*i:])) }
	return order{number(0), tune.Setting{Topology: string(b[orderBytes:]), Coalesce: number(1), Cache: number(2)}}
}

// wrong tells in words why an order that another process sent can't be followed; "" when it can.
func (o order) wrong() string {
	switch {
	case o.epochs < 0 || o.epochs > math.MaxUint32:
		return fmt.Sprintf("its order is for epoch, or epochs, %d", o.epochs)
	case o.setting.Coalesce <= 0 || o.setting.Coalesce > math.MaxInt32:
		return fmt.Sprintf("its order has a coalescing factor of %d: a buffer holds at least one pebble",
			o.setting.Coalesce)
	case o.setting.Cache < 0:
		return fmt.Sprintf("its order has a cache of %d entries", o.setting.Cache)
	}
	return ""
}

// within is looked at when the clock is. Rank 0 asks the tuner; all follow the last order.
func (t *tuning) within(now time.Duration) {
	if t == nil || !t.May.Coalesce || t.given == 0 || !t.rank.inEpoch() {
		return
	}
	if t.rank.id == 0 {
		done := tune.Done{Sent: t.rank.Count.PebblesSent, Handled: t.rank.Count.PebblesHandled, Buffers: t.rank.Buffers}
		factor, err := t.Tuner.Within(now, now-t.started, done, t.site)
		if err != nil {
			t.rank.Fail(fmt.Errorf("pebble: rank %d: tuning: %w", t.rank.id, err))
		}
		if factor != 0 && factor != t.now.Coalesce {
			t.now.Coalesce = factor
			t.rank.refactor(factor)
		}
	}
	if o := t.rank.job.order.Load(); o != t.order && uint32(o>>32) == t.rank.Sender.Epoch {
		t.order = o
		for _, target := range t.rank.targets {
			target.endpoint.Refactor(int(uint32(o)))
		}
	}
}

// refactor tells all ranks of the running epoch to take another factor.
func (r *Rank) refactor(factor int) {
	o := order{int(r.Sender.Epoch), tune.Setting{Coalesce: factor}}
	r.job.setOrder(o)
	place := r.Place()
	for process := range place.Processes {
		if process != place.Process {
			r.tell(process, Refactoring, o.bytes())
		}
	}
}

// refactored takes in an order from rank 0's process.
func (r *Rank) refactored(f *netio.Frame) {
	if f.From != 0 || f.Bytes != orderBytes {
		r.refuse(f, "it is no order of rank 0")
	}
	o := orderOf(f.Payload())
	if why := o.wrong(); why != "" {
		r.refuse(f, why)
	}
	f.Release()
	r.job.setOrder(o)
}

func (j *job) setOrder(o order) {
	j.order.Store(uint64(uint32(o.epochs))<<32 | uint64(uint32(o.setting.Coalesce)))
}
