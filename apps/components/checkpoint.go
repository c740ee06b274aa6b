package components

import (
	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/distgraph"
)

// Resume implements Kernel. It saves each vertex with the number of a vertex that it is joined with.
func (s *hooking[V]) Resume(seed uint64) error {
	if !apps.Saves(s.g.Rank) {
		return nil // without checkpoints saved needs no memory
	}
	names := distgraph.NewParents[V](s.g, s.g.Kernel("components saved"))
	s.saved = make([]V, s.local)
	s.rounds.Saving = func() (err error) {
		with := make([]V, s.local)
		for v := range with {
			with[v] = s.above[s.forest[v]]
		}
		if s.saved, err = names.Ask(with); s.g.Ordered {
			s.told = s.told.Add(names.Tally())
		}
		return err
	}
	restored, err := s.rounds.Restore(s.g.Rank, "components", seed,
		append(s.g.Arguments(), distgraph.Kept(s.g, s.Part, "joined", &s.saved))...)
	if err == nil && restored {
		s.saved, err = distgraph.IndicesBy(s.g, s.saved)
	}
	return err
}

// Before implements Kernel.
func (s *hooking[V]) Before() float64 { return s.rounds.Before() }

// rejoin joins each vertex with the one that was saved with it. The number of ranks and the indices may have changed.
func (s *hooking[V]) rejoin() error {
	for v := range s.above {
		s.forest[v], s.above[v] = V(v), s.first+V(v)
	}
	return s.joinBy(func() {
		for v, other := range s.saved {
			s.join(s.first+V(v), other)
		}
	})
}
