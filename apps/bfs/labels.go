package bfs

import (
	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
)

// translate returns what own says of each value, on every rank: the owner of the vertex of the block at whose place a value is
// asks own about it. A value that is no vertex stands for itself. All ranks call it with the same values.
func (g *Graph) translate(values []uint64, own func(place uint64) uint64) ([]uint64, error) {
	if !g.Ordered {
		return values, nil
	}
	mine := make([]uint64, len(values))
	for i, value := range values {
		if g.owns(value) {
			mine[i] = g.first + own(value-g.first)
		}
	}
	all, err := g.rank.AllGatherBytes(packNumbers(nil, mine))
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

// indices and numbers translate between the vertices of the source and those of the ranks.
func (g *Graph) indices(numbers []uint64) ([]uint64, error) {
	return g.translate(numbers, g.part.place)
}
func (g *Graph) numbers(indices []uint64) ([]uint64, error) {
	return g.translate(indices, g.part.number)
}

// question is the pebble by which a vertex asks for the number of its parent, answer what comes back.
type (
	question[V vertex] struct{ Parent, Child V }
	answer[V vertex]   struct{ Child, Number V }
)

func (q question[V]) fingerprint() uint64 { return apps.Fold(uint64(q.Parent), uint64(q.Child)) }
func (a answer[V]) fingerprint() uint64   { return apps.Fold(uint64(a.Child), ^uint64(a.Number)) }

// parents finds the numbers of parents. Their owners know them, so that each costs two pebbles.
type parents[V vertex] struct {
	*tree[V]
	tally     apps.Tally
	questions *target.Target[question[V]]
	answers   *target.Target[answer[V]]
	out       []answer[V]
	found     []V // by the place of the child
}

func newParents[V vertex](t *tree[V]) *parents[V] {
	p := &parents[V]{tree: t}
	p.questions = target.New(t.g.rank, t.target("questions"), t.g.owner,
		target.Keys(func(vs []question[V], keys []uint64) {
			for i, v := range vs {
				keys[i] = uint64(v.Parent)
			}
		}),
		target.Batch(p.answer))
	p.answers = target.New(t.g.rank, t.target("answers"), t.g.owner,
		target.Keys(func(vs []answer[V], keys []uint64) {
			for i, v := range vs {
				keys[i] = uint64(v.Child)
			}
		}),
		target.Batch(func(vs []answer[V]) {
			for _, v := range vs {
				isOwn := p.isOwn(v.Child)
				if p.tally.Take(v.fingerprint(), isOwn); isOwn {
					p.found[v.Child-p.first] = v.Number
				}
			}
		}))
	return p
}

func (p *parents[V]) answer(vs []question[V]) {
	p.out = p.out[:0]
	for _, v := range vs {
		isOwn := p.isOwn(v.Parent)
		if p.tally.Take(v.fingerprint(), isOwn); !isOwn {
			continue
		}
		number := p.g.part.number(uint64(v.Parent - p.first))
		reply := answer[V]{v.Child, p.first + V(number)}
		p.tally.Send(reply.fingerprint())
		p.out = append(p.out, reply)
	}
	p.answers.SendAll(p.out)
}

// ask returns the numbers of all parents, by the index of the child. All ranks call it.
func (p *parents[V]) ask() ([]V, error) {
	p.found, p.tally = make([]V, p.local), apps.Tally{}
	out := make([]question[V], 0, sendAtOnce)
	err := p.g.rank.Epoch(func() error {
		for v, parent := range p.parent {
			if uint64(parent) >= p.g.Vertices {
				p.found[v] = parent
				continue
			}
			q := question[V]{parent, p.first + V(v)}
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
		err = p.tally.Check(p.g.rank, "ask for the numbers of parents")
	}
	return p.found, err
}
