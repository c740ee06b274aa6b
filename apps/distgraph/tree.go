package distgraph

import (
	"math"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/export"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
)

// A link is the pebble that offers a vertex a parent, by number, and the length of the path through it.
type link[V Index] struct {
	Vertex, Parent V
	Distance       float64
}

func (l link[V]) fingerprint() uint64 {
	return apps.Fold(uint64(l.Vertex)^uint64(l.Parent)<<32, math.Float64bits(l.Distance))
}

// A treeMaker finds one determined tree of shortest paths among all that exist.
type treeMaker[V Index] struct {
	*Part[V]
	g         *Graph
	distances []float64 // by place; infinite for vertices out of reach
	parents   []V       // by place: numbers, or None
	states    []state   // by place, as of the beginning of the round
	links     *target.Target[link[V]]
	tally     apps.Tally
	out       []link[V]
}

// state is the progress of a vertex of a tree.
type state uint8

const (
	away  state = iota // out of reach
	open               // reached, without a parent
	fresh              // has a parent, and has offered itself only along arcs that add to the distance
	done
)

// TreeColumns returns a row for each vertex of this rank that a search has reached from root: vertex, parent and
// distance, in the order of labels. distances are by place, infinite for vertices out of reach. In a graph without
// weights each arc counts 1.
//
// Of all vertices on a shortest path just before a vertex, the one with the first label is the parent, whichever tree
// the search has found. So rows do not depend on the ranks. The root is its own parent. Where an arc adds nothing to a
// distance, the parent must have a parent already, by the smallest number of such arcs, so that parents form a tree. It
// costs a pebble for each arc to a vertex of another rank and an epoch, and one more epoch for each step along arcs
// that add nothing. All ranks call it, between epochs.
func TreeColumns[V Index](g *Graph, p *Part[V], root uint64, distances []float64) ([]export.Column, error) {
	t := &treeMaker[V]{Part: p, g: g, distances: distances, parents: make([]V, g.Local), states: make([]state, g.Local)}
	t.links = target.New(g.Rank, g.Kernel("tree")("links"), g.Owner,
		target.Keys(func(vs []link[V], keys []uint64) {
			for i := range vs {
				keys[i] = uint64(vs[i].Vertex)
			}
		}),
		target.Batch(t.arrive))
	defer t.links.Free()
	if err := t.make(root); err != nil {
		return nil, err
	}
	return t.columns()
}

// make finds the parents.
func (t *treeMaker[V]) make(root uint64) error {
	for v, distance := range t.distances {
		if t.parents[v] = None[V](); !math.IsInf(distance, 1) {
			t.states[v] = open
		}
	}
	if t.g.Owns(root) {
		v := root - t.g.First
		t.parents[v] = t.number(V(v))
	}
	err := t.offer(open, true)
	for err == nil {
		left, failed := apps.Sum(t.g.Rank, t.settle())
		if failed != nil || left == 0 {
			return failed
		}
		err = t.offer(fresh, false)
	}
	return err
}

// settle ends a round, and returns the number of vertices without a parent.
func (t *treeMaker[V]) settle() (left uint64) {
	for v, is := range t.states {
		switch {
		case is == fresh:
			t.states[v] = done
		case is == open && t.parents[v] != None[V]():
			t.states[v] = fresh
		case is == open:
			left++
		}
	}
	return left
}

// number returns the number in the source of this rank's v-th vertex.
func (t *treeMaker[V]) number(v V) V { return V(t.g.First + t.Number(uint64(v))) }

// offer makes the vertices of a state offer themselves along the arcs that add to the distance, or along those that do
// not. It is an epoch.
func (t *treeMaker[V]) offer(by state, adds bool) error {
	err := t.g.Rank.Epoch(func() error {
		for v := V(0); v < V(t.g.Local); v++ {
			if t.states[v] == by {
				t.offerFrom(v, adds)
			}
		}
		t.flush()
		return nil
	}, pebble.Depth(1), pebble.Named("tree"))
	if err != nil {
		return err
	}
	return t.tally.Check(t.g.Rank, "find the parents of a tree")
}

func (t *treeMaker[V]) offerFrom(v V, adds bool) {
	number, distance := t.number(v), t.distances[v]
	for i, head := range t.Row(v) {
		weight := 1.0
		if t.Weights != nil {
			weight = t.WeightsOf(v)[i]
		}
		l := link[V]{head, number, distance + weight}
		switch {
		case l.Distance > distance != adds:
		case t.g.Owns(uint64(head)):
			t.take(l)
		default:
			t.tally.Send(l.fingerprint())
			if t.out = append(t.out, l); len(t.out) == edgesAtOnce {
				t.flush()
			}
		}
	}
}

func (t *treeMaker[V]) flush() {
	t.links.SendAll(t.out)
	t.out = t.out[:0]
}

// arrive is the handler.
func (t *treeMaker[V]) arrive(vs []link[V]) {
	for _, l := range vs {
		isOwn := t.g.Owns(uint64(l.Vertex))
		if t.tally.Take(l.fingerprint(), isOwn); isOwn {
			t.take(l)
		}
	}
}

// take accepts a parent on a shortest path if its number is below that of the present parent. The root keeps itself.
func (t *treeMaker[V]) take(l link[V]) {
	v := uint64(l.Vertex) - t.g.First
	if t.states[v] == open && l.Distance == t.distances[v] && l.Parent < t.parents[v] { // None is above all numbers
		t.parents[v] = l.Parent
	}
}

// columns returns the rows of the reached vertices.
func (t *treeMaker[V]) columns() ([]export.Column, error) {
	var vertices, parents []uint64
	distances := []float64{}
	for number := range t.parents {
		v := t.Place(uint64(number))
		if parent := t.parents[v]; parent != None[V]() {
			vertices, parents = append(vertices, t.g.First+uint64(number)), append(parents, uint64(parent))
			distances = append(distances, t.distances[v])
		}
	}
	of, err := t.g.LabelsOf(vertices)
	if err != nil {
		return nil, err
	}
	from, err := t.g.LabelsOf(parents)
	return []export.Column{
		{Name: "vertex", Values: of.Column()}, {Name: "parent", Values: from.Column()},
		{Name: "distance", Values: distances},
	}, err
}
