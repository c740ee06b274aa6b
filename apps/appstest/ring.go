package appstest

import "github.com/activepebbles/pebbles/route"

// ring is a topology as a program would bring its own: each rank sends to the one before and the one after it, and
// pebbles go around the shorter way.
type ring int

// ownRing is the name of [Ring], which is not that of route.Ring.
const ownRing = "own-ring"

// Ring makes the two-way ring of so many ranks. It is not one of package route, so jobs check it when it is registered.
func Ring(ranks int) route.Topology { return ring(ranks) }

func (n ring) Name() string { return ownRing }
func (n ring) Ranks() int   { return int(n) }

func (n ring) Neighbors(at int) []int {
	switch r := int(n); r {
	case 1:
		return nil
	case 2:
		return []int{1 - at}
	default:
		return []int{(at + 1) % r, (at + r - 1) % r}
	}
}

func (n ring) Next(at, dest int) int {
	r := int(n)
	if 2*((dest-at+r)%r) <= r {
		return (at + 1) % r
	}
	return (at + r - 1) % r
}
