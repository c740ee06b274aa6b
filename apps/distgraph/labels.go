package distgraph

import (
	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
)

// translate returns what own says of each value, on every rank: the owner of the vertex of the block at whose place a
// value is asks own about it. A value that is no vertex stands for itself. All ranks call it with the same values.
func (g *Graph) translate(values []uint64, own func(place uint64) uint64) ([]uint64, error) {
	if !g.Ordered {
		return values, nil
	}
	mine := make([]uint64, len(values))
	for i, value := range values {
		if g.Owns(value) {
			mine[i] = g.First + own(value-g.First)
		}
	}
	all, err := g.Rank.AllGatherBytes(packNumbers(nil, mine))
	if err != nil {
		return nil, err
	}
	translated := make([]uint64, len(values))
	for _, packed := range all {
		for i, n := range unpackNumbers(packed) {
			translated[i] += n
		}
	}
	for i, value := range values {
		if value >= g.Vertices {
			translated[i] = value
		}
	}
	return translated, nil
}

// IndicesOf returns the indices of the vertices with these numbers. All ranks call it with the same values.
func (g *Graph) IndicesOf(numbers []uint64) ([]uint64, error) {
	return g.translate(numbers, g.part.Place)
}

// NumbersOf is the inverse of IndicesOf. What is no vertex stands for itself. All ranks call it with the same values.
func (g *Graph) NumbersOf(indices []uint64) ([]uint64, error) {
	return g.translate(indices, g.part.Number)
}

// question is the pebble by which a vertex asks for the number of its parent, answer what comes back.
type (
	question[V Index] struct{ Parent, Child V }
	answer[V Index]   struct{ Child, Number V }
)

func (q question[V]) fingerprint() uint64 { return apps.Fold(uint64(q.Parent), uint64(q.Child)) }
func (a answer[V]) fingerprint() uint64   { return apps.Fold(uint64(a.Child), ^uint64(a.Number)) }

// Parents finds the numbers of vertices that this rank's vertices know by their indices. The owners know them, so that
// each costs two pebbles.
type Parents[V Index] struct {
	g         *Graph
	tally     apps.Tally
	questions *target.Target[question[V]]
	answers   *target.Target[answer[V]]
	out       []answer[V]
	found     []V // by the place of the child
}

// NewParents registers what asks, on all ranks together, between epochs; name names its targets.
func NewParents[V Index](g *Graph, name func(what string) string) *Parents[V] {
	p := &Parents[V]{g: g}
	p.questions = target.New(g.Rank, name("questions"), g.Owner,
		target.Keys(func(vs []question[V], keys []uint64) {
			for i, v := range vs {
				keys[i] = uint64(v.Parent)
			}
		}),
		target.Batch(p.answer))
	p.answers = target.New(g.Rank, name("answers"), g.Owner,
		target.Keys(func(vs []answer[V], keys []uint64) {
			for i, v := range vs {
				keys[i] = uint64(v.Child)
			}
		}),
		target.Batch(func(vs []answer[V]) {
			for _, v := range vs {
				isOwn := g.Owns(uint64(v.Child))
				if p.tally.Take(v.fingerprint(), isOwn); isOwn {
					p.found[uint64(v.Child)-g.First] = v.Number
				}
			}
		}))
	return p
}

func (p *Parents[V]) answer(vs []question[V]) {
	p.out = p.out[:0]
	for _, v := range vs {
		isOwn := p.g.Owns(uint64(v.Parent))
		if p.tally.Take(v.fingerprint(), isOwn); !isOwn {
			continue
		}
		number := p.g.part.Number(uint64(v.Parent) - p.g.First)
		reply := answer[V]{v.Child, V(p.g.First + number)}
		p.tally.Send(reply.fingerprint())
		p.out = append(p.out, reply)
	}
	p.answers.SendAll(p.out)
}

// Ask returns the number of each vertex's parent; what is no index stands for itself. parents are by place, as the
// result is. In a graph that is not ordered, numbers are indices, and it returns parents. All ranks call it.
func (p *Parents[V]) Ask(parents []V) ([]V, error) {
	if !p.g.Ordered {
		return parents, nil
	}
	const sendAtOnce = 512
	p.found, p.tally = make([]V, len(parents)), apps.Tally{}
	out := make([]question[V], 0, sendAtOnce)
	err := p.g.Rank.Epoch(func() error {
		for v, parent := range parents {
			if uint64(parent) >= p.g.Vertices {
				p.found[v] = parent
				continue
			}
			q := question[V]{parent, V(p.g.First) + V(v)}
			p.tally.Send(q.fingerprint())
			if out = append(out, q); len(out) == cap(out) {
				p.questions.SendAll(out)
				out = out[:0]
			}
		}
		p.questions.SendAll(out)
		return nil
	}, pebble.Depth(2))
	if err == nil {
		err = p.tally.Check(p.g.Rank, "ask for the numbers of parents")
	}
	return p.found, err
}
