package distgraph

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
)

// idSet is a set of ids: a bit for each of those that are about as small as the set is large, and a map of the others.
type idSet struct {
	near  []uint64
	far   map[uint64]struct{}
	count uint64
	last  uint64 // id that was added last: edge lists are mostly sorted
}

// nearMin and nearPerID bound the bits by the size of the set, never by the size of an id: 8 bytes an id.
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

// ids are the ids of a graph's vertices. The ids that edges name are spread over the ranks in intervals, and their
// indices are in ascending order. The isolated vertices that a header counts follow: they have the smallest ids that no
// edge names.
type ids struct {
	rank                  *pebble.Rank
	splits                []uint64 // the first id of each rank's interval but the first
	named                 []uint64 // those of this rank, in ascending order
	first                 uint64   // the index of the first of them
	total, isolated, most uint64   // the numbers of named and isolated vertices; the largest id
	least                 uint64
	words                 []uint64 // a bit for each id from named[0] on, where that is dense; and
	before                []uint32 // by word: named ids before it
}

// newIDs makes the table of the ids that ranks have met, for a graph of at least as many vertices as a header counts.
// It is collective.
func newIDs(r *pebble.Rank, met *idSet, counted uint64) (*ids, error) {
	t := &ids{rank: r}
	own := met.sorted()
	if err := t.split(own); err != nil {
		return nil, err
	}
	var got idSet
	to := target.New(r, fmt.Sprintf("graph ids %d", r.Counters().Epochs), distribution.Ranks(r.Size()),
		target.Keys(func(vs, keys []uint64) {
			for i, id := range vs {
				keys[i] = t.owner(id)
			}
		}),
		target.Batch(func(vs []uint64) {
			for _, id := range vs {
				got.add(id)
			}
		}))
	err := r.Epoch(func() error { to.SendAll(own); return nil }, pebble.Depth(1), pebble.Named("ids"))
	if err != nil {
		return nil, err
	}
	t.named = got.sorted()
	return t, t.number(counted)
}

// split chooses the intervals by a sample of all ranks' ids. It is collective.
func (t *ids) split(own []uint64) error {
	const perRank = 64
	var sample []uint64
	step := max(len(own)/perRank, 1)
	for i := 0; i < len(own); i += step {
		sample = append(sample, own[i])
	}
	all, err := pebble.AllGatherSlice(t.rank, sample)
	if err != nil {
		return err
	}
	sample = slices.Concat(all...)
	slices.Sort(sample)
	if len(sample) == 0 {
		return nil
	}
	for rank := 1; rank < t.rank.Size(); rank++ {
		t.splits = append(t.splits, sample[rank*len(sample)/t.rank.Size()])
	}
	return nil
}

// owner is the rank whose interval has an id.
func (t *ids) owner(id uint64) uint64 {
	after, found := slices.BinarySearch(t.splits, id)
	for found && after < len(t.splits) && t.splits[after] == id {
		after++
	}
	return uint64(after)
}

// number gives the ids their indices. It is collective.
func (t *ids) number(counted uint64) error {
	type part struct{ Count, Least, Most uint64 }
	own := part{Count: uint64(len(t.named))}
	if own.Count > 0 {
		own.Least, own.Most = t.named[0], t.named[own.Count-1]
	}
	all, err := pebble.AllGatherSlice(t.rank, []part{own})
	if err != nil {
		return err
	}
	for rank, one := range slices.Concat(all...) {
		if rank == t.rank.ID() {
			t.first = t.total
		}
		if one.Count > 0 && t.total == 0 {
			t.least = one.Least
		}
		t.most = max(t.most, one.Most)
		t.total += one.Count
	}
	if counted > 0 && t.total > counted {
		return fmt.Errorf("the header has %d nodes, the edges name %d: the file is damaged; fetch it again or correct its "+
			"header", counted, t.total)
	}
	t.isolated = max(counted, t.total) - t.total
	t.index()
	return nil
}

// index makes the bits by which indices are found, where ids are dense.
func (t *ids) index() {
	n := uint64(len(t.named))
	if n == 0 || t.named[n-1]-t.named[0] >= nearPerID*n {
		return
	}
	t.words = make([]uint64, (t.named[n-1]-t.named[0])/64+1)
	t.before = make([]uint32, len(t.words))
	for _, id := range t.named {
		at := id - t.named[0]
		t.words[at/64] |= 1 << (at % 64)
	}
	for i := 1; i < len(t.words); i++ {
		t.before[i] = t.before[i-1] + uint32(bits.OnesCount64(t.words[i-1]))
	}
}

func (t *ids) vertices() uint64 { return t.total + t.isolated }

// complete reports whether the ids are 0 to the number of vertices, so that they serve as indices.
func (t *ids) complete() bool { return t.vertices() == 0 || t.most < t.vertices() }

// own is the index of an id that an edge names and this rank has; it is not below vertices for another id.
func (t *ids) own(id uint64) uint64 {
	if t.words == nil {
		if at, found := slices.BinarySearch(t.named, id); found {
			return t.first + uint64(at)
		}
		return ^uint64(0)
	}
	at := id - t.named[0]
	word, bit := at/64, uint64(1)<<(at%64)
	if word >= uint64(len(t.words)) || t.words[word]&bit == 0 {
		return ^uint64(0)
	}
	return t.first + uint64(t.before[word]) + uint64(bits.OnesCount64(t.words[word]&(bit-1)))
}

// below counts this rank's ids below another one, and reports whether the rank has that one.
func (t *ids) below(id uint64) (count uint64, found bool) {
	at, found := slices.BinarySearch(t.named, id)
	return uint64(at), found
}

// indexOf is the index of an id, by the number of all ids below it. An isolated vertex's place is the number of ids
// below it that no edge names.
func (t *ids) indexOf(id, below uint64, found bool) (index uint64, known bool) {
	if found {
		return below, true
	}
	return t.total + id - below, id-below < t.isolated
}

// serial is indexOf of a table that one rank has.
func (t *ids) serial(id uint64) (index uint64, known bool) {
	below, found := t.below(id)
	return t.indexOf(id, below, found)
}

// indices returns the indices of some ids, and whether they are known. It is collective: all ranks give the same ids.
func (t *ids) indices(of []uint64) (indices []uint64, known []bool, err error) {
	type answer struct{ Below, Found uint64 }
	own := make([]answer, len(of))
	for i, id := range of {
		below, found := t.below(id)
		own[i] = answer{below, bit(found)}
	}
	all, err := pebble.AllGatherSlice(t.rank, own)
	if err != nil {
		return nil, nil, err
	}
	indices, known = make([]uint64, len(of)), make([]bool, len(of))
	for i, id := range of {
		var sum answer
		for _, one := range all {
			sum.Below, sum.Found = sum.Below+one[i].Below, sum.Found+one[i].Found
		}
		indices[i], known[i] = t.indexOf(id, sum.Below, sum.Found > 0)
	}
	return indices, known, nil
}

// names returns the ids of some indices. It is collective: all ranks give the same indices.
//
// Among named ids, named[p]-p of the ids below named[p] are not named, and that never falls with p. So the gap-th id
// that is not named has exactly those p named ids below it for which named[p]-p <= gap.
func (t *ids) names(of []uint64) ([]uint64, error) {
	own := make([]uint64, len(of))
	for i, index := range of {
		switch at := index - t.first; {
		case at < uint64(len(t.named)):
			own[i] = t.named[at]
		case index >= t.total:
			own[i] = t.belowGap(index - t.total)
		}
	}
	all, err := pebble.AllGatherSlice(t.rank, own)
	if err != nil {
		return nil, err
	}
	names := make([]uint64, len(of))
	for i, index := range of {
		if index >= t.total {
			names[i] = index - t.total
		}
		for _, one := range all {
			names[i] += one[i]
		}
	}
	return names, nil
}

// belowGap counts this rank's ids below the gap-th id that is not named.
func (t *ids) belowGap(gap uint64) uint64 {
	low, high := 0, len(t.named)
	for low < high {
		if p := (low + high) / 2; t.named[p]-(t.first+uint64(p)) <= gap {
			low = p + 1
		} else {
			high = p
		}
	}
	return uint64(low)
}
