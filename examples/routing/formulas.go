package main

import (
	"math"

	"github.com/activepebbles/pebbles/route"
)

// logGP has the parameters of a network, in one unit of time: latency, overhead of a message, gap between two messages,
// gap per byte.
type logGP struct{ L, o, g, G float64 }

// alone returns the time of n pebbles of a byte as n messages (Active Pebbles, section 3.3).
func (p logGP) alone(n float64) float64 { return (n+1)*p.o + p.L + p.G + (n-1)*p.g }

// coalesced returns their time as one message.
func (p logGP) coalesced(n float64) float64 { return 2*p.o + p.L + n*p.G }

// hits returns the fraction of the pebbles that caches merge at the given number of places on their way, if each merges
// the fraction h of its input (Active Pebbles, section 3.5).
func hits(h float64, places int) float64 { return 1 - math.Pow(1-h, float64(places)) }

// pays reports whether a cache that merges the fraction h pays: a lookup costs c, carrying a pebble on costs G.
func pays(h, G, c float64) bool { return h*G > c }

// sending is a row of TRAM's table I: z items of m bytes, with a header of e bytes per message.
type sending struct{ bytes, messages float64 }

func oneByOne(z, m, e float64) sending { return sending{z * (m + e), z} }

// aggregated is for full buffers of g items that take the given number of hops: 1 gives the table's lower bound, and
// the number of dimensions its upper one.
func aggregated(z, m, e, g, hops float64) sending {
	return sending{hops * z * (m + e/g), hops * z / g}
}

// distances returns the numbers of ranks that are 0, 1, 2 and more messages away: a half of TRAM's table II.
func distances(t route.Topology) []int { return route.MessageCounts(t, 0) }

// choose is equation 3 of TRAM: the number of ranks at a distance of a messages in an N-dimensional mesh with d ranks
// along each dimension.
func choose(n, d, a int) int {
	count := 1
	for i := range a {
		count = count * (n - i) / (i + 1)
	}
	for range a {
		count *= d - 1
	}
	return count
}
