package jaccard

import (
	"cmp"

	"github.com/activepebbles/pebbles/apps/distgraph"
	"github.com/activepebbles/pebbles/apps/graph"
	"github.com/activepebbles/pebbles/pebble"
)

// each calls do for each pair whose higher end is this rank's v-th vertex. at is the lower end's position in Heads.
func (s *matching[V]) each(do func(v V, at uint64)) {
	for v := V(0); v < s.local; v++ {
		for at := s.Offsets[v]; at < s.Offsets[v+1]; at++ {
			if !s.leadsUp(v, at) {
				do(v, at)
			}
		}
	}
}

func (s *matching[V]) similarity(v V, at uint64) float64 {
	common := uint64(s.common[at])
	union := uint64(s.degree(v)) + uint64(s.ghosts.Values[s.ghosts.Slots[at]]) - common
	return float64(common) / float64(union)
}

// pair returns a pair by the numbers of both ends in the source.
func (s *matching[V]) pair(v V, at uint64) graph.Pair {
	a, b := s.first+v, s.Heads[at]
	if s.g.Ordered {
		a, b = s.numbers[v], s.numbers[s.ghosts.Slots[at]]
	}
	return graph.Pair{First: uint64(min(a, b)), Second: uint64(max(a, b)), Similarity: s.similarity(v, at)}
}

// Sums implements Kernel.
func (s *matching[V]) Sums(threshold float64) (Sums, error) {
	var own Sums
	s.each(func(v V, at uint64) {
		similarity := s.similarity(v, at)
		own.Pairs++
		own.Common += uint64(s.common[at])
		own.Similarity += similarity
		if similarity == 0 {
			own.Zero++
		}
		if similarity >= threshold {
			own.Similar++
		}
	})
	return pebble.AllReduce(s.g.Rank, own, Sums.add)
}

// Highest implements Kernel.
func (s *matching[V]) Highest() (all []Pair, err error) {
	first := distgraph.NewFirst(func(a, b graph.Pair) int {
		return cmp.Or(cmp.Compare(b.Similarity, a.Similarity),
			cmp.Compare(a.First, b.First), cmp.Compare(a.Second, b.Second))
	})
	s.each(func(v V, at uint64) { first.Offer(s.pair(v, at)) })
	pairs, err := first.Gather(s.g.Rank)
	if err != nil {
		return nil, err
	}
	var numbers []uint64
	for _, p := range pairs {
		numbers = append(numbers, p.First, p.Second)
	}
	labels, err := s.g.LabelsOf(numbers)
	if err != nil {
		return nil, err
	}
	for i, p := range pairs {
		all = append(all, Pair{labels.At(2 * i), labels.At(2*i + 1), p.Similarity})
	}
	return all, nil
}

// Pairs implements Kernel.
func (s *matching[V]) Pairs() (pairs []graph.Pair) {
	s.each(func(v V, at uint64) { pairs = append(pairs, s.pair(v, at)) })
	return pairs
}
