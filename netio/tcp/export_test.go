package tcp

import "time"

// Kill ends the transport as the death of its process would: connections break without a goodbye.
func (t *Transport) Kill() { t.Under(access).Kill() }

// Received is the bytes of received frames that were not released. It is for after Close.
func (t *Transport) Received() (lent int64) {
	for _, p := range t.peers {
		for i := 0; p != nil && i < streamCount; i++ {
			lent += p.streams[i].received.pool.Lent()
		}
	}
	return lent
}

// ReceivedPeak is the most bytes of received frames that there ever were, on the stream that had most. It is for after
// Close.
func (t *Transport) ReceivedPeak() (peak int64) {
	for _, p := range t.peers {
		for i := 0; p != nil && i < streamCount; i++ {
			peak = max(peak, p.streams[i].received.pool.Peak())
		}
	}
	return peak
}

// Serve has goroutines serve the streams, as where sockets can't be polled.
func (c *Config) Serve() { c.served = true }

// CheckFiles is checkFiles.
var CheckFiles = checkFiles

// Late lets the time for a start be over.
func (t *Transport) Late() { t.connector.slow = time.Time{} }

// Hop and Neighbours are hop and neighbours.
var (
	Hop        = hop
	Neighbours = neighbours
)
