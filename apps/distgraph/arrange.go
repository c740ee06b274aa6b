package distgraph

import "math/bits"

// Arranger sorts lists of a rank's vertices by way of a bitmap. To go through vertices in order is to go through their
// rows in the order of memory, which is several times as fast as to jump from row to row.
type Arranger[V Index] []uint64

// NewArranger makes one for lists of a rank's vertices, of which there are so many: a bit each.
func NewArranger[V Index](vertices int) Arranger[V] { return make([]uint64, vertices/64+1) }

// Arrange sorts a list of different vertices, if it is long enough to be worth a look at the whole bitmap.
func (a Arranger[V]) Arrange(list []V) {
	if len(list) < len(a) {
		return
	}
	for _, v := range list {
		a[v/64] |= 1 << (v % 64)
	}
	n := 0
	for i, word := range a {
		for ; word != 0; word &= word - 1 {
			list[n] = V(i)*64 + V(bits.TrailingZeros64(word))
			n++
		}
		a[i] = 0
	}
}
