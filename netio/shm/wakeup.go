package shm

import (
	"encoding/binary"
	"os"

	"github.com/activepebbles/pebbles/netio/internal/local"
)

// The states of local.RingHeader.Asleep. A rank without work announces its sleep and then looks a last time. A sender
// first publishes its frame and then looks for the announcement, so at least one of the two sees the other. A sender
// that finds the rank asleep wakes it by the eventfd of its process.
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

var one = binary.NativeEndian.AppendUint64(nil, 1) // increment for an eventfd

// wake wakes the rank if it sleeps. It costs one load when the rank is awake.
func (e *eventfd) wake(h *local.RingHeader) {
	if h.Asleep.Load() != asleep || !h.Asleep.CompareAndSwap(asleep, called) {
		return
	}
	if e.region.signalled.Swap(1) == 0 {
		_, _ = e.file.Write(one) // fails if this process has closed or the counter is full: a wake-up is pending
	}
}

// listen waits on the eventfd of this process until it is closed. One goroutine waits for all ranks.
func (w *Way) listen() {
	var count [8]byte
	for {
		if _, err := w.event.Read(count[:]); err != nil {
			return
		}
		w.wakeCalled()
	}
}

// wakeCalled wakes the ranks that were called. While other ranks keep the cores busy, the Go scheduler notices the
// eventfd late, so these ranks also call wakeCalled.
func (w *Way) wakeCalled() {
	w.own.signalled.Store(0)
	for _, p := range w.ports {
		if p.ring.Header.Asleep.CompareAndSwap(called, awake) {
			p.parking.Wake()
		}
	}
}
