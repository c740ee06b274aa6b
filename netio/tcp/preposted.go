package tcp

import "github.com/activepebbles/pebbles/netio"

var _ netio.Preposter = (*Transport)(nil)

// Preposted implements [netio.Preposter]: one of the faster ways may.
func (t *Transport) Preposted(senders map[int]bool) (netio.Preposted, bool) {
	for _, w := range t.ways {
		if w, ok := w.(netio.Preposter); ok {
			return w.Preposted(senders)
		}
	}
	return netio.Preposted{}, false
}
