package reduction

import "math/bits"

// order is the order in which a rank sends its items: a bijection of their numbers.
type order struct {
	first uint64 // number of the rank's items
	items uint64
	mask  uint64 // the least 2^n-1 that holds all their numbers
	shift uint8  // half of n
	add   uint64
}

func newOrder(c Config, rank int) order {
	n := bits.Len64(c.Items - 1)
	return order{
		first: c.Items * uint64(rank), items: c.Items,
		mask: 1<<n - 1, shift: uint8((n + 1) / 2), add: (c.Seed + uint64(rank)) * 0x9E3779B97F4A7C15,
	}
}

// fill sets numbers to those of the items from the i-th on, in the order in which they are sent.
func (o order) fill(numbers []uint64, i uint64) {
	for j := range numbers {
		n := o.scramble(i + uint64(j))
		for n >= o.items { // a bijection of more numbers than there are: follow it until it is back among them
			n = o.scramble(n)
		}
		numbers[j] = o.first + n
	}
}

// scramble is a bijection of [0, mask]: each of its steps is, modulo a power of two.
func (o order) scramble(n uint64) uint64 {
	n = (n*0xD1342543DE82EF95 + o.add) & o.mask
	n ^= n >> (o.shift & 63)
	n = n * 0xAF251AF3B0F025B5 & o.mask
	return n ^ n>>(o.shift&63)
}
