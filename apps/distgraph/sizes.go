package distgraph

import "github.com/activepebbles/pebbles/pebble"

// Sizes are statistics of the groups that divide the vertices, such as components.
type Sizes struct {
	Groups  uint64
	Largest uint64 // number of vertices of the largest group
	Alone   uint64 // number of groups of one vertex
}

// Sizer counts the vertices of groups. The label of a group is the index or the number of a vertex, and its owner
// counts the group. It belongs to its rank's goroutine.
type Sizer[V Index] struct {
	g     *Graph
	sizes []uint64 // by label, of this rank's groups
	sums  *Notes[V]
}

// NewSizer registers a target of that name. All ranks call it, between epochs.
func NewSizer[V Index](g *Graph, name string) *Sizer[V] {
	s := &Sizer[V]{g: g}
	s.sums = NewNotes(g, name, func(vs []Note[V]) {
		for _, n := range vs {
			s.sizes[n.Vertex-V(g.First)] += uint64(n.Value)
		}
	})
	return s
}

// Count returns the sizes of the groups of all ranks. labels are the groups of this rank's vertices. It sends a pebble
// for each different label of another rank. All ranks call it.
func (s *Sizer[V]) Count(labels []V) (Sizes, error) {
	s.sizes = make([]uint64, s.g.Local)
	first, local := V(s.g.First), V(s.g.Local)
	others := map[V]V{} // labels of other ranks
	for _, label := range labels {
		if own := label - first; own < local {
			s.sizes[own]++
		} else {
			others[label]++
		}
	}
	before := s.sums.Tally()
	err := s.g.Rank.Epoch(func() error {
		for label, n := range others {
			s.sums.Send(label, n)
		}
		s.sums.Flush()
		return nil
	}, pebble.Depth(1), pebble.Named("sizes"))
	if err == nil {
		err = s.sums.Tally().Since(before).Check(s.g.Rank, "count the vertices of groups")
	}
	if err != nil {
		return Sizes{}, err
	}
	var own Sizes
	for _, n := range s.sizes {
		own.add(n)
	}
	return pebble.AllReduce(s.g.Rank, own, func(a, b Sizes) Sizes {
		return Sizes{a.Groups + b.Groups, max(a.Largest, b.Largest), a.Alone + b.Alone}
	})
}

func (s *Sizes) add(size uint64) {
	if size > 0 {
		s.Groups++
	}
	if size == 1 {
		s.Alone++
	}
	s.Largest = max(s.Largest, size)
}
