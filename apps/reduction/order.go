package reduction

import "github.com/activepebbles/pebbles/distribution"

// order is the order in which a rank sends its items.
type order struct {
	first uint64 // number of the rank's items
	among *distribution.HashedMap
}

func newOrder(c Config, rank int) order {
	return order{
		first: c.Items * uint64(rank),
		// The order in which the keys of a hashed distribution are dealt out is a bijection; one rank gets all of them.
		among: distribution.Hashed(c.Items, 1, c.Seed+uint64(rank)),
	}
}

// fill sets numbers to those of the items from the i-th on, in the order in which they are sent.
func (o order) fill(numbers []uint64, i uint64) {
	for j := range numbers {
		numbers[j] = o.first + uint64(o.among.Local(i+uint64(j)))
	}
}
