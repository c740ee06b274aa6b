package distgraph

import (
	"math/bits"
	"slices"
)

// A lookup maps the ends of this rank's edges to numbers. An end is an id, or the place of a name among this rank's.
type lookup struct {
	ids     []uint64 // in ascending order; nil if ends are places
	numbers []uint64 // in the order of ids, or by place
	words   []uint64 // a bit for each id from ids[0] on, if ids are dense
	before  []uint32 // by word of words: number of ids before it
}

// newLookup returns a lookup of ids and their numbers; ids are nil if ends are places.
func newLookup(ids, numbers []uint64) *lookup {
	l := &lookup{ids: ids, numbers: numbers}
	n := uint64(len(ids))
	if n == 0 || ids[n-1]-ids[0] >= nearPerID*n {
		return l
	}
	l.words = make([]uint64, (ids[n-1]-ids[0])/64+1)
	l.before = make([]uint32, len(l.words))
	for _, id := range ids {
		at := id - ids[0]
		l.words[at/64] |= 1 << (at % 64)
	}
	for i := 1; i < len(l.words); i++ {
		l.before[i] = l.before[i-1] + uint32(bits.OnesCount64(l.words[i-1]))
	}
	return l
}

// number returns the number of the end of an edge. The first pass has seen all ends, unless the file has changed.
func (l *lookup) number(end uint64) (number uint64, known bool) {
	at := end
	switch {
	case l.words != nil:
		from := end - l.ids[0]
		word, bit := from/64, uint64(1)<<(from%64)
		if word >= uint64(len(l.words)) || l.words[word]&bit == 0 {
			return 0, false
		}
		at = uint64(l.before[word]) + uint64(bits.OnesCount64(l.words[word]&(bit-1)))
	case l.ids != nil:
		place, found := slices.BinarySearch(l.ids, end)
		if !found {
			return 0, false
		}
		at = uint64(place)
	}
	if at >= uint64(len(l.numbers)) {
		return 0, false
	}
	return l.numbers[at], true
}
