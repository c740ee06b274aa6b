package ofi

import "github.com/activepebbles/pebbles/netio"

// Preposted implements [netio.Preposter].
func (w *Way) Preposted(senders map[int]bool) (p netio.Preposted, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return p, false
	}
	for _, l := range w.linked {
		if senders[l.place.Process] {
			p.Senders++
		}
	}
	p.Provider, p.Links = w.fabric.Traits().Provider, len(w.linked)
	p.Window, p.WindowMax = windowFirst, windowMax
	p.Slab, p.Room, p.Ahead = slabBytes, slabBytes-int64(w.slabs.packet), int64(w.slabs.needed(0))
	p.Send, p.Limit = slotsTogether*int64(w.slots.room), w.pinned.limit
	return p, p.Links > 0
}
