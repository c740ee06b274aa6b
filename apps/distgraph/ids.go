package distgraph

import (
	"math/bits"
	"slices"
)

// idSet is a set of ids. Ids that are small for the size of the set are bits; a map has the others.
type idSet struct {
	near  []uint64
	far   map[uint64]struct{}
	count uint64
	last  uint64 // id added last: edge lists are mostly sorted
}

// nearMin and nearPerID bound the bits by the size of the set, never by the size of an id: 8 bytes for each id.
const (
	nearMin   = 1 << 16
	nearPerID = 64
)

func (s *idSet) add(id uint64) {
	if id == s.last && s.count > 0 {
		return
	}
	s.last = id
	word, bit := id/64, uint64(1)<<(id%64)
	if word < uint64(len(s.near)) && s.near[word]&bit != 0 {
		return
	}
	if _, known := s.far[id]; known {
		return
	}
	s.count++
	if id >= nearMin+nearPerID*s.count {
		if s.far == nil {
			s.far = map[uint64]struct{}{}
		}
		s.far[id] = struct{}{}
		return
	}
	if missing := int(word) + 1 - len(s.near); missing > 0 {
		s.near = append(s.near, make([]uint64, missing)...)
	}
	s.near[word] |= bit
}

func (s *idSet) has(id uint64) bool {
	if word := id / 64; word < uint64(len(s.near)) && s.near[word]>>(id%64)&1 != 0 {
		return true
	}
	_, known := s.far[id]
	return known
}

// sorted empties the set into a list in ascending order.
func (s *idSet) sorted() []uint64 {
	all := make([]uint64, 0, s.count)
	for id := range s.far {
		all = append(all, id)
	}
	for i, word := range s.near {
		for ; word != 0; word &= word - 1 {
			all = append(all, uint64(i)*64+uint64(bits.TrailingZeros64(word)))
		}
	}
	*s = idSet{}
	slices.Sort(all)
	return all
}
