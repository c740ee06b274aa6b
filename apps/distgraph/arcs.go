package distgraph

import (
	"fmt"
	"math"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/target"
)

// arc is the pebble by which a graph is built, weighed one with a weight. It goes to the owner of its tail.
type (
	arc[V Index]     struct{ Tail, Head V }
	weighed[V Index] struct {
		Tail, Head V
		Weight     float64
	}
)

func (a arc[V]) fingerprint() uint64 { return apps.Fold(uint64(a.Tail), uint64(a.Head)) }

func (a weighed[V]) fingerprint() uint64 {
	return apps.Fold(uint64(a.Tail)^math.Float64bits(a.Weight)<<16, uint64(a.Head)^math.Float64bits(a.Weight))
}

// arcs are arcs on their way, with an account of them: a graph that lacks some would be searched without an error.
type arcs[V Index] struct {
	plain   *target.Target[arc[V]]
	weighed *target.Target[weighed[V]] // one of the two, and the other is nil
	name    string
	tally   apps.Tally
	vs      []arc[V] // of a batch with weights
	ws      []float64
	out     []weighed[V]
}

// newArcs registers a target that gives the arcs that arrive to take, with their weights if they have some.
func newArcs[V Index](g *Graph, what string, isWeighed bool, take func(vs []arc[V], weights []float64)) *arcs[V] {
	s, first, local := &arcs[V]{name: g.target(what)}, V(g.First), V(g.Local)
	if isWeighed {
		s.weighed = target.New(g.Rank, s.name, g.Owner,
			target.Keys(func(vs []weighed[V], keys []uint64) {
				for i := range vs {
					keys[i] = uint64(vs[i].Tail)
				}
			}),
			target.Batch(func(vs []weighed[V]) {
				s.vs, s.ws = s.vs[:0], s.ws[:0]
				for _, v := range vs {
					isOwn := v.Tail-first < local
					if s.tally.Take(v.fingerprint(), isOwn); isOwn {
						s.vs, s.ws = append(s.vs, arc[V]{v.Tail, v.Head}), append(s.ws, v.Weight)
					}
				}
				take(s.vs, s.ws)
			}))
		return s
	}
	s.plain = target.New(g.Rank, s.name, g.Owner,
		target.Keys(func(vs []arc[V], keys []uint64) {
			for i, v := range vs {
				keys[i] = uint64(v.Tail)
			}
		}),
		target.Batch(func(vs []arc[V]) {
			own := vs[:0]
			for _, v := range vs {
				isOwn := v.Tail-first < local
				s.tally.Take(v.fingerprint(), isOwn)
				if isOwn {
					own = append(own, v)
				}
			}
			take(own, nil)
		}))
	return s
}

// sendAll sends arcs, with their weights if they are to have some.
func (s *arcs[V]) sendAll(vs []arc[V], weights []float64) {
	if s.weighed == nil {
		for _, v := range vs {
			s.tally.Send(v.fingerprint())
		}
		s.plain.SendAll(vs)
		return
	}
	var out []weighed[V]
	out, s.out = s.out[:0], nil
	for i, v := range vs {
		a := weighed[V]{v.Tail, v.Head, weights[i]}
		s.tally.Send(a.fingerprint())
		out = append(out, a)
	}
	s.weighed.SendAll(out)
	s.out = out
}

// check tells, on all ranks, whether what was sent has arrived. All ranks call it.
func (s *arcs[V]) check(g *Graph) error {
	return s.tally.Check(g.Rank, fmt.Sprintf("build graph %s by pebbles of %s", g.Name, s.name))
}
