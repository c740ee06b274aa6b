package shm

import (
	"encoding/binary"
	"os"

	"github.com/activepebbles/pebbles/netio/internal/local"
)

// The states of local.RingHeader.Asleep. A rank that finds nothing to do says that it sleeps, and looks a last time;
// whoever has brought something looks for that afterwards, so one of the two sees the other. Who finds a rank asleep
// wakes it, by the eventfd of its process.
const (
	awake uint32 = iota
	asleep
	called
)

// eventfd wakes the ranks of another process that sleep.
type eventfd struct {
	file   *os.File
	region *region
}

var one = binary.NativeEndian.AppendUint64(nil, 1) // the count that is written to an eventfd

// wake costs one load when the rank is awake.
func (e *eventfd) wake(h *local.RingHeader) {
	if h.Asleep.Load() != asleep || !h.Asleep.CompareAndSwap(asleep, called) {
		return
	}
	if e.region.signalled.Swap(1) == 0 {
		_, _ = e.file.Write(one) // fails when this process has closed, or the counter is full: then it is heard
	}
}

// listen waits on the eventfd of this process until it is closed. It is the one goroutine that waits for all ranks.
func (w *Way) listen() {
	var count [8]byte
	for {
		if _, err := w.event.Read(count[:]); err != nil {
			return
		}
		w.wakeCalled()
	}
}

// wakeCalled wakes the ranks that were called. While others of the process keep its cores busy, the Go scheduler hears
// of the eventfd late, so these do it too.
func (w *Way) wakeCalled() {
	w.own.signalled.Store(0)
	for _, p := range w.ports {
		if p.ring.Header.Asleep.CompareAndSwap(called, awake) {
			p.parking.Wake()
		}
	}
}
