package pointerchase

import "github.com/activepebbles/pebbles/distribution"

// ring is a random order of the ranks, closed to a circle. It takes no memory for each rank.
type ring struct{ order *distribution.ShuffledMap }

func newRing(ranks int, seed uint64) ring {
	// The order in which the keys of a shuffled distribution are dealt out is a bijection; one rank gets all of them.
	return ring{distribution.Shuffled(uint64(ranks), 1, seed)}
}

// position is where in the ring a rank stands, from 0 on.
func (g ring) position(rank uint64) uint64 { return uint64(g.order.Local(rank)) }

// at is the rank at a position.
func (g ring) at(position uint64) (rank uint64) { return g.order.Key(0, int(position)) }
