package bfs

import "math/bits"

// arranger sorts lists of a rank's vertices by way of a bitmap. To go through vertices in order is to go through their rows in
// the order of memory, which is several times as fast as to jump from row to row.
type arranger[V vertex] []uint64

func newArranger[V vertex](vertices int) arranger[V] { return make([]uint64, vertices/64+1) }

// arrange sorts a list of different vertices, if it is long enough to be worth a look at the whole bitmap.
func (a arranger[V]) arrange(list []V) {
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
