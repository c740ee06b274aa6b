package tcp

import "time"

// Kill ends the transport as the death of its process would: connections break without a goodbye.
func (t *Transport) Kill() { t.Under(access).Kill() }

// Received returns the bytes of received frames that were not released. Call it after Close.
func (t *Transport) Received() (lent int64) {
	for _, p := range t.others() {
		for i := range p.streams {
			lent += p.streams[i].received.pool.Lent()
		}
	}
	return lent
}

// ReceivedPeak returns the maximum number of bytes of received frames at one time, on the stream with the most. Call it
// after Close.
func (t *Transport) ReceivedPeak() (peak int64) {
	for _, p := range t.others() {
		for i := range p.streams {
			peak = max(peak, p.streams[i].received.pool.Peak())
		}
	}
	return peak
}

// Serve makes goroutines serve the streams, as on systems without polling.
func (c *Config) Serve() { c.served = true }

// CheckFiles is checkFiles.
var CheckFiles = checkFiles

// Late ends the time for a start.
func (t *Transport) Late() { t.connector.slow = time.Time{} }

// Hop and Neighbours are hop and neighbours.
var (
	Hop        = hop
	Neighbours = neighbours
)

// HostsOf returns the first processes of hosts, by where processes listen.
func HostsOf(addresses []string) []int { return hostsOf(addresses) }
