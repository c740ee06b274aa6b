package components

import (
	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/distgraph"
	"github.com/activepebbles/pebbles/pebble"
)

// hooking is the kernel that hooks trees together. It joins the trees of the ranks' forests across ranks. A tree is
// identified by the index of its root.
type hooking[V distgraph.Index] struct {
	*found[V]
	forest forest[V]
	// above has, by place, for each root of the forest the index of a root of any rank that is not larger: at first its
	// own, in the end the smallest of its component.
	above    []V
	joins    *distgraph.Notes[V] // to a root: another to join with it
	asks     *distgraph.Notes[V] // to a root: another below it
	answers  *distgraph.Notes[V] // to a root: the root above its parent
	unsettle []V                 // places of roots whose parent may not be the smallest yet
	rounds   apps.Steps          // one of joining, then those of shortening
	saved    []V                 // by place: a vertex joined with this one; its number, at a save
	told     apps.Tally          // tally of the pebbles of saves
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

// Run implements Kernel. It costs an exchange of ghosts, an all-gather, an epoch, and for each round of shortening an
// epoch and an all-reduce. The number of rounds is the logarithm of the longest path from a root to the smallest of its
// component.
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

// joinAll joins the ends of arcs.
func (s *hooking[V]) joinAll() error {
	giant := s.grow()
	for v := range s.above {
		s.above[v] = s.first + V(v)
		s.ghosts.Values[v] = s.first + s.forest[v]
	}
	own := distgraph.None[V]() // for a rank without vertices
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

// joinBy runs the epoch that joins roots. Afterwards all roots must be shortened.
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

// joinGhosts joins each ghost's tree on this rank with its tree at its owner. A ghost that is its own root has arcs
// only from the giant.
func (s *hooking[V]) joinGhosts(giant V, giants []V) {
	lastRoot, lastLabel := distgraph.None[V](), distgraph.None[V]()
	apart := map[V]bool{} // giants of later ranks with ghosts here, not known to be joined with this rank's
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

// join joins the trees of two roots (Rem's algorithm, as in a forest). It climbs from both as far as the roots are on
// this rank, and passes the rest to the owner of the larger one. Each step reduces the larger of the two, so it
// terminates.
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

// climb returns the highest root above index that this rank can find.
func (s *hooking[V]) climb(index V) V {
	for {
		v := index - s.first
		if v >= s.local || s.above[v] == index {
			return index
		}
		index = s.above[v]
	}
}

// shorten replaces the parent of each unsettled root by its grandparent, and reports whether some root's parent was not
// the smallest of its component. In the end each root's parent is the smallest.
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
	}, pebble.Named("shorten")) // no depth, so that the detector is that of the joining
}

// learn is the handler of answers. A root whose parent is its own parent is settled. A larger answer is damaged, and
// would make a cycle; the check of the labels reports it.
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
