package netio

import (
	"encoding/binary"
	"os"
)

// The states of desk.asleep. A rank that finds nothing to do says that it rests, and looks a last time; whoever has brought
// something looks for that afterwards, so one of the two sees the other. Who finds a rank resting calls it, by the bell
// of its process.
const (
	awake uint32 = iota
	resting
	called
)

// bell calls the ranks of another process that rest.
type bell struct {
	file   *os.File
	region *region
}

var strike = binary.NativeEndian.AppendUint64(nil, 1) // what an event counter takes

// call costs one load when the rank is awake.
func (b *bell) call(d *desk) {
	if d.asleep.Load() != resting || !d.asleep.CompareAndSwap(resting, called) {
		return
	}
	if b.region.rung.Swap(1) == 0 {
		_, _ = b.file.Write(strike) // fails when this process has closed, or the counter is full: then it is heard
	}
}

// listen hears the bell of this process until it is closed. It is the one goroutine that waits for all ranks.
func (t *Shm) listen() {
	var count [8]byte
	for {
		if _, err := t.bell.Read(count[:]); err != nil {
			return
		}
		t.answer()
	}
}

// answer wakes the ranks that were called. While others of the process keep its cores busy, the Go scheduler hears of the
// bell late, so these answer too.
func (t *Shm) answer() {
	t.own.rung.Store(0)
	for _, p := range t.ports {
		if p.ring.desk.asleep.CompareAndSwap(called, awake) {
			p.parking.wake()
		}
	}
}
