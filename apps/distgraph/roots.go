package distgraph

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
)

// ErrRoot is the error of a search from a vertex that the graph does not have, and of drawing roots from a graph
// without an arc between different vertices.
var ErrRoot = errors.New("no such root")

// Indices returns the indices of the vertices with these labels. All ranks call it with the same labels. For a label
// without a vertex it returns an error that wraps ErrRoot and names the range of labels.
func (g *Graph) Indices(labels Labels) ([]uint64, error) {
	if labels.Len() > 0 && g.own.isNamed != (labels.Names != nil) {
		return nil, fmt.Errorf("root %v: graph %s: the vertices have %s: %w",
			labels.At(0), g.Name, g.own.kind(), ErrRoot)
	}
	type answer struct{ Index, Found uint64 }
	own := make([]answer, labels.Len())
	for i := range own {
		if number, found := g.own.find(labels.At(i), g); found {
			own[i] = answer{g.First + g.part.Place(number), 1}
		}
	}
	all, err := pebble.AllGatherSlice(g.Rank, own)
	if err != nil {
		return nil, err
	}
	indices := make([]uint64, labels.Len())
	for i := range indices {
		found := uint64(0)
		for _, one := range all {
			indices[i], found = indices[i]+one[i].Index, found+one[i].Found
		}
		if found == 0 {
			return nil, g.unknown(labels.At(i))
		}
	}
	return indices, nil
}

// find returns the number, relative to this rank's first, of its vertex with a label.
func (o ownLabels) find(label Label, g *Graph) (number uint64, found bool) {
	at := 0
	switch {
	case o.isNamed:
		at, found = slices.BinarySearch(o.names, label.Name)
	case o.ids != nil:
		at, found = slices.BinarySearch(o.ids, label.ID)
	default:
		number = label.ID - o.base - g.First
		return number, number < uint64(g.Local)
	}
	return uint64(at), found
}

// unknown returns the error for a label without a vertex. All ranks call it.
func (g *Graph) unknown(label Label) error {
	if g.Vertices == 0 {
		return fmt.Errorf("root %v: graph %s has no vertices: %w", label, g.Name, ErrRoot)
	}
	ends, err := g.LabelsOf([]uint64{0, g.Vertices - 1})
	if err != nil {
		return err
	}
	return fmt.Errorf("root %v: graph %s has %d vertices with %s from %v to %v, and none is this one: %w",
		label, g.Name, g.Vertices, g.own.kind(), ends.At(0), ends.At(1), ErrRoot)
}

// Draw returns the indices of count different vertices with an arc to another vertex, drawn by seed, or of all such
// vertices if the graph has no more. The result does not depend on the number of ranks. All ranks call it with the same
// arguments. It costs a look at every vertex of the rank.
func (g *Graph) Draw(count int, seed uint64) ([]uint64, error) {
	fit := 0
	g.part.eachFit(func(uint64) { fit++ })
	below, total, err := g.before(uint64(fit))
	if err != nil {
		return nil, err
	}
	if total == 0 {
		return nil, fmt.Errorf("draw roots: graph %s has no arc from a vertex to another: name a root: %w", g.Name, ErrRoot)
	}
	places := sample(total, uint64(count), seed)
	return g.atPlaces(places, below)
}

// before returns the sum of a number of each rank over the ranks below this one, and over all ranks.
func (g *Graph) before(own uint64) (below, total uint64, err error) {
	all, err := pebble.AllGatherSlice(g.Rank, []uint64{own})
	for rank, one := range slices.Concat(all...) {
		if rank < g.Rank.ID() {
			below += one
		}
		total += one
	}
	return below, total, err
}

// sample draws count different numbers below total, or all if the total is smaller (Floyd's algorithm).
func sample(total, count, seed uint64) []uint64 {
	count = min(count, total)
	random := rand.New(rand.NewPCG(seed, 0x62667320726f6f74))
	drawn := make(map[uint64]bool, count)
	places := make([]uint64, 0, count)
	for last := total - count; last < total; last++ {
		place := random.Uint64N(last + 1)
		if drawn[place] {
			place = last
		}
		drawn[place] = true
		places = append(places, place)
	}
	return places
}

// atPlaces returns the vertices at some places in the sequence of all vertices with an arc. This rank's part begins at
// place below. Each rank finds its own vertices; a sum combines them.
func (g *Graph) atPlaces(places []uint64, below uint64) ([]uint64, error) {
	wanted := slices.Sorted(slices.Values(places))
	next, _ := slices.BinarySearch(wanted, below)
	found := make(map[uint64]uint64)
	place := below
	g.part.eachFit(func(at uint64) {
		if next < len(wanted) && wanted[next] == place {
			found[place] = g.First + at
			next++
		}
		place++
	})
	indices := make([]uint64, len(places))
	for i, place := range places {
		index, err := apps.Sum(g.Rank, found[place])
		if err != nil {
			return nil, err
		}
		indices[i] = index
	}
	return indices, nil
}

// Choose returns the labels and the indices of the vertices to search from: those with the given labels, or count
// vertices drawn by the seed if none are given. All ranks call it with the same arguments.
func (g *Graph) Choose(given Labels, count int, seed uint64) (labels Labels, indices []uint64, err error) {
	if given.Len() > 0 {
		indices, err = g.Indices(given)
		return Labels{slices.Clone(given.IDs), slices.Clone(given.Names)}, indices, err
	}
	if indices, err = g.Draw(count, seed); err != nil {
		return Labels{}, nil, err
	}
	labels, err = g.Labels(indices)
	return labels, indices, err
}

// translate returns, on every rank, the result of own for each value. The owner of the vertex with index or number
// value calls own with its place in the block. Other values are unchanged. All ranks call it with the same values.
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
	all, err := pebble.AllGatherSlice(g.Rank, mine)
	if err != nil {
		return nil, err
	}
	translated := make([]uint64, len(values))
	for _, one := range all {
		for i, n := range one {
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

// NumbersOf is the inverse of IndicesOf. Other values are unchanged. All ranks call it with the same values.
func (g *Graph) NumbersOf(indices []uint64) ([]uint64, error) {
	return g.translate(indices, g.part.Number)
}

// question is the pebble that asks for the number of a vertex's parent; answer is the reply.
type (
	question[V Index] struct{ Parent, Child V }
	answer[V Index]   struct{ Child, Number V }
)

func (q question[V]) fingerprint() uint64 { return apps.Fold(uint64(q.Parent), uint64(q.Child)) }
func (a answer[V]) fingerprint() uint64   { return apps.Fold(uint64(a.Child), ^uint64(a.Number)) }

// Parents finds the numbers of the parents of this rank's vertices, by index. Each costs a question and an answer.
type Parents[V Index] struct {
	g         *Graph
	tally     apps.Tally
	questions *target.Target[question[V]]
	answers   *target.Target[answer[V]]
	out       []answer[V]
	found     []V // by the place of the child
}

// NewParents registers the targets, named by name. All ranks call it, between epochs.
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

// Tally is what this rank has seen of the pebbles of the last Ask.
func (p *Parents[V]) Tally() apps.Tally { return p.tally }

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

// Ask returns the number of each vertex's parent; a value that is no index is unchanged. parents and the result are by
// place. In a graph that is not ordered, numbers are indices, and it returns parents. All ranks call it.
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
	}, pebble.Depth(2), pebble.Named("roots"))
	if err == nil {
		err = p.tally.Check(p.g.Rank, "ask for the numbers of parents")
	}
	return p.found, err
}
