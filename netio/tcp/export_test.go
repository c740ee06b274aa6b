package tcp

import "github.com/activepebbles/pebbles/netio/internal/idle"

// Kill ends the transport as the death of its process would: connections break without a goodbye.
func (t *Transport) Kill() { t.Under(access).Kill() }

// Received is the bytes of received frames that were not released. It is for after Close.
func (t *Transport) Received() (lent int64) {
	for _, p := range t.peers {
		for i := 0; p != nil && i < laneCount; i++ {
			lent += p.lanes[i].received.pool.Lent()
		}
	}
	return lent
}

// ReceivedPeak is the most bytes of received frames that there ever were, on the lane that had most. It is for after Close.
func (t *Transport) ReceivedPeak() (peak int64) {
	for _, p := range t.peers {
		for i := 0; p != nil && i < laneCount; i++ {
			peak = max(peak, p.lanes[i].received.pool.Peak())
		}
	}
	return peak
}

// Serve has goroutines serve the lanes, as where sockets can't be polled.
func (c *Config) Serve() { c.served = true }

// Policy is how ranks wait that have faster ways.
func (t *Transport) Policy() *idle.Policy { return &t.policy }

// Look tells whether TCP has brought frames to the first rank, after a look at sockets.
func (t *Transport) Look() bool {
	t.ports[0].look()
	return t.ports[0].Has()
}

// Looks is how often the first rank has looked at sockets.
func (t *Transport) Looks() int { return int(t.ports[0].looks.Load()) }

// CheckFiles is checkFiles.
var CheckFiles = checkFiles
