package permutation

import "github.com/activepebbles/pebbles/distribution"

// orders are the two permutations of [0, n) that a seed names. They take no memory.
type orders struct {
	data *distribution.ShuffledMap
	perm *distribution.ShuffledMap
}

func newOrders(n, seed uint64) orders {
	return orders{
		// The order in which the keys of a shuffled distribution are dealt out is a bijection; one rank gets all of them.
		data: distribution.Shuffled(n, 1, 2*seed),
		perm: distribution.Shuffled(n, 1, 2*seed+1),
	}
}

// dataAt is data[i].
func (o orders) dataAt(i uint64) uint64 { return uint64(o.data.Local(i)) }

// permAt is perm[i].
func (o orders) permAt(i uint64) uint64 { return uint64(o.perm.Local(i)) }
