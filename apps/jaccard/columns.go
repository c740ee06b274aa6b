package jaccard

import (
	"cmp"
	"slices"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/graph"
	"github.com/activepebbles/pebbles/export"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
)

// Columns implements Kernel.
func (s *matching[V]) Columns(threshold float64) ([]export.Column, error) {
	pairs, err := s.deal(threshold)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(pairs, func(a, b graph.Pair) int {
		return cmp.Or(cmp.Compare(a.First, b.First), cmp.Compare(a.Second, b.Second))
	})
	firsts, seconds := make([]uint64, len(pairs)), make([]uint64, len(pairs))
	similarities := make([]float64, len(pairs))
	for i, p := range pairs {
		firsts[i], seconds[i], similarities[i] = p.First, p.Second, p.Similarity
	}
	sources, err := s.g.LabelsOf(firsts)
	if err != nil {
		return nil, err
	}
	targets, err := s.g.LabelsOf(seconds)
	return []export.Column{
		{Name: "source", Values: sources.Column()}, {Name: "target", Values: targets.Column()},
		{Name: "similarity", Values: similarities},
	}, err
}

// deal sends each pair at or above a threshold to the owner of its first end, by a pebble. It is an epoch.
func (s *matching[V]) deal(threshold float64) (pairs []graph.Pair, err error) {
	var tally apps.Tally
	fingerprint := func(p graph.Pair) uint64 { return apps.Fold(p.First, p.Second) }
	to := target.New(s.g.Rank, s.g.Kernel("jaccard")("pairs"), s.g.Owner,
		target.Keys(func(vs []graph.Pair, keys []uint64) {
			for i, p := range vs {
				keys[i] = p.First // whose owner also has the vertex with this index
			}
		}),
		target.Batch(func(vs []graph.Pair) {
			for _, p := range vs {
				tally.Take(fingerprint(p), s.g.Owns(p.First))
			}
			pairs = append(pairs, vs...)
		}))
	defer to.Free()
	err = s.g.Rank.Epoch(func() error {
		s.each(func(v V, at uint64) {
			if s.similarity(v, at) >= threshold {
				p := s.pair(v, at)
				tally.Send(fingerprint(p))
				to.Send(p)
			}
		})
		return nil
	}, pebble.Depth(1), pebble.Named("rows"))
	if err == nil {
		err = tally.Check(s.g.Rank, "bring similar pairs in order")
	}
	return pairs, err
}
