package main

import (
	"math"

	"github.com/activepebbles/pebbles/route"
)

// logGP are the parameters of a network, in one unit of time: latency, overhead of a message, gap between two messages,
// gap a byte.
type logGP struct{ L, o, g, G float64 }

// alone is how long n pebbles of a byte take as n messages (Active Pebbles, section 3.3).
func (p logGP) alone(n float64) float64 { return (n+1)*p.o + p.L + p.G + (n-1)*p.g }

// coalesced is how long they take as one message.
func (p logGP) coalesced(n float64) float64 { return 2*p.o + p.L + n*p.G }

// hits is the part of the pebbles that caches merge at so many places on their way, when each merges the part h of
// those that come to it (Active Pebbles, section 3.5).
func hits(h float64, places int) float64 { return 1 - math.Pow(1-h, float64(places)) }

// pays reports whether a cache that merges the part h is worth it: a look costs c, to carry a pebble on costs G.
func pays(h, G, c float64) bool { return h*G > c }

// sending is a row of TRAM's table I: z items of m bytes, with a header of e bytes a message.
type sending struct{ bytes, messages float64 }

func oneByOne(z, m, e float64) sending { return sending{z * (m + e), z} }

// aggregated is for full buffers of g items, each of which takes so many hops: 1 makes the table's lower bound, and the
// number of dimensions its upper one.
func aggregated(z, m, e, g, hops float64) sending {
	return sending{hops * z * (m + e/g), hops * z / g}
}

// distances counts the ranks of a topology that are 0, 1, 2 and more messages away: a half of TRAM's table II.
func distances(t route.Topology) []int { return route.MessageCounts(t, 0) }

// choose is equation 3 of TRAM: how many ranks of an N-dimensional mesh with d ranks along each dimension are a
// messages away.
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
