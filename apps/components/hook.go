package components

import (
	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/distgraph"
	"github.com/activepebbles/pebbles/pebble"
)

// hooking is the kernel that hooks trees together. The trees of a rank's forest are what is joined across ranks: each
// is known by the index of its root.
type hooking[V distgraph.Index] struct {
	*found[V]
	forest forest[V]
	// above is, for each root of the forest, by place, the index of a root that is not larger, of this rank or another,
	// and in the end the smallest that it hangs together with; its own at first.
	above    []V
	joins    *distgraph.Notes[V] // to a root: one that it is to be joined with
	asks     *distgraph.Notes[V] // to a root: another that hangs on it
	answers  *distgraph.Notes[V] // to a root: what the one that it hangs on hangs on
	unsettle []V                 // places of roots that may not hang on the smallest yet
	rounds   apps.Steps          // one that joins, and those of shortening
	saved    []V                 // by place, a vertex that this one is joined with: at a save, its number
	told     apps.Tally          // of pebbles of saves
}

func newHooking[V distgraph.Index](f *found[V], name func(what string) string) *hooking[V] {
	s := &hooking[V]{found: f, forest: make(forest[V], len(f.ghosts.Values)), above: make([]V, f.local)}
	s.joins = distgraph.NewNotes(f.g, name("joins"), func(vs []distgraph.Note[V]) {
		for _, n := range vs {
			s.join(n.Vertex, n.Value)
		}
	})
	s.asks = distgraph.NewNotes(f.g, name("asks"), func(vs []distgraph.Note[V]) {
		for _, n := range vs {
			s.answers.Send(n.Value, s.climb(n.Vertex))
		}
		s.answers.Flush()
	})
	s.answers = distgraph.NewNotes(f.g, name("answers"), s.learn)
	return s
}

// Run implements Kernel. It costs an exchange of ghosts, a gathering, an epoch, and for each round of shortening an
// epoch and an all-reduction. Rounds are as many as the logarithm of the longest way from a root to its smallest.
func (s *hooking[V]) Run() error {
	if s.rounds.Done() > 0 {
		if err := s.rejoin(); err != nil {
			return err
		}
	}
	err := s.rounds.Run(func(n int) (more bool, err error) {
		if n == 0 {
			return true, s.joinAll()
		}
		return s.shorten()
	})
	if err != nil {
		return err
	}
	labels := s.labels()
	for v := range labels {
		labels[v] = s.above[s.forest[v]]
	}
	return nil
}

// joinAll joins what arcs join.
func (s *hooking[V]) joinAll() error {
	giant := s.grow()
	for v := range s.above {
		s.above[v] = s.first + V(v)
		s.ghosts.Values[v] = s.first + s.forest[v]
	}
	own := distgraph.None[V]() // of a rank without vertices
	if s.local > 0 {
		own = s.first + giant
	}
	giants, err := pebble.AllGather(s.g.Rank, own)
	if err != nil {
		return err
	}
	if err := s.ghosts.Exchange(); err != nil {
		return err
	}
	return s.joinBy(func() { s.joinGhosts(giant, giants) })
}

// joinBy is the epoch of joining. Afterwards all roots are to be shortened.
func (s *hooking[V]) joinBy(body func()) error {
	err := s.g.Rank.Epoch(func() error {
		body()
		s.joins.Flush()
		return nil
	}, pebble.Named("join"))
	s.unsettle = s.unsettle[:0]
	for v := range s.above {
		if s.forest[v] == V(v) {
			s.unsettle = append(s.unsettle, V(v))
		}
	}
	return err
}

// joinGhosts joins each ghost's tree here with its tree at its owner. A ghost that hangs on itself has arcs from the
// giant alone.
func (s *hooking[V]) joinGhosts(giant V, giants []V) {
	lastRoot, lastLabel := distgraph.None[V](), distgraph.None[V]()
	apart := map[V]bool{} // giants of ranks after this one with ghosts here, not known to be joined with this rank's
	for rank := range s.g.Rank.Size() {
		begin, end := s.ghosts.Of(rank)
		theirs, isApart, isJoined := giants[rank], false, false
		for slot := begin; slot < end; slot++ {
			root, label := s.forest[slot], s.ghosts.Values[slot]
			if root == slot {
				root = giant
			}
			if label == theirs {
				isApart, isJoined = true, isJoined || root == giant
			}
			if root == lastRoot && label == lastLabel {
				continue
			}
			lastRoot, lastLabel = root, label
			s.join(s.first+root, label)
		}
		if isApart && !isJoined && rank > s.g.Rank.ID() {
			apart[theirs] = true
		}
	}
	s.joinGiants(giant, apart)
}

// joinGiants looks for arcs between this rank's giant and others.
func (s *hooking[V]) joinGiants(giant V, apart map[V]bool) {
	for v := V(0); v < s.local && len(apart) > 0; v++ {
		if s.forest[v] != giant {
			continue
		}
		for _, slot := range s.ghosts.Slots[s.Offsets[v]:s.Offsets[v+1]] {
			if slot < s.local {
				continue
			}
			if label := s.ghosts.Values[slot]; apart[label] {
				delete(apart, label)
				s.join(s.first+giant, label)
			}
		}
	}
}

// join joins the trees of two roots (Rem's algorithm, as in a forest): it goes up both as far as they are this rank's,
// and lets the owner of the larger go on. Each step makes the larger of the two smaller, so that it ends.
func (s *hooking[V]) join(a, b V) {
	for a != b {
		if a < b {
			a, b = b, a
		}
		v := a - s.first
		if v >= s.local {
			s.joins.Send(a, b)
			return
		}
		above := s.above[v]
		if above > b {
			s.above[v] = b
		}
		if above == a {
			return
		}
		a = above
	}
}

// climb is what a root of this rank hangs on, as far as this rank knows.
func (s *hooking[V]) climb(index V) V {
	for {
		v := index - s.first
		if v >= s.local || s.above[v] == index {
			return index
		}
		index = s.above[v]
	}
}

// shorten lets each root hang on what the one that it hangs on hangs on, and reports whether there was one that did
// not hang on the smallest. In the end each root hangs on the smallest that it hangs together with.
func (s *hooking[V]) shorten() (more bool, err error) {
	open := s.unsettle[:0]
	for _, v := range s.unsettle {
		s.above[v] = s.climb(s.first + v)
		if s.above[v]-s.first >= s.local {
			open = append(open, v)
		}
	}
	s.unsettle = nil
	left, err := apps.Sum(s.g.Rank, uint64(len(open)))
	if err != nil || left == 0 {
		return false, err
	}
	return true, s.g.Rank.Epoch(func() error {
		for _, v := range open {
			s.asks.Send(s.above[v], s.first+v)
		}
		s.asks.Flush()
		return nil
	}, pebble.Named("shorten")) // no depth, so that it ends by the same detector as the joining
}

// learn is the handler of answers. What hangs on a root that hangs on nothing is settled. An answer that is larger is a
// damaged one, and would lead round in circles: the check of the labels tells.
func (s *hooking[V]) learn(vs []distgraph.Note[V]) {
	for _, n := range vs {
		v := n.Vertex - s.first
		if n.Value >= s.above[v] {
			continue
		}
		s.above[v] = n.Value
		s.unsettle = append(s.unsettle, v)
	}
}

// Tally implements Kernel.
func (s *hooking[V]) Tally() apps.Tally {
	return s.ghosts.Tally().Add(s.joins.Tally()).Add(s.asks.Tally()).Add(s.answers.Tally()).Add(s.told)
}
