package distgraph

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/activepebbles/pebbles/pebble"
)

// Order is how a rank's vertices follow each other in its memory. Which rank owns a vertex never depends on it.
type Order string

const (
	// OrderAuto is ByDegree for undirected graphs in which some vertex has far more arcs than the average, AsGiven
	// otherwise.
	OrderAuto Order = "auto"
	// ByDegree puts vertices with many arcs first. What searches look at most then lies close together, and vertices
	// without arcs lie apart. It is for undirected graphs.
	ByDegree Order = "degree"
	// AsGiven keeps the order of the source, which may be a good one: neighbours in a road network often have close ids.
	AsGiven Order = "given"
)

// Orders are all orders, by name.
var Orders = []Order{OrderAuto, ByDegree, AsGiven}

// skew is how many times the average degree the highest one must be for OrderAuto to order a graph. Kronecker graphs of
// 2^14 vertices have 80, of 2^20 about 2,000; road networks and Erdős-Rényi graphs have less than 10.
const skew = 32

// checkOrder tells what is wrong with an order for a graph.
func checkOrder(order Order, undirected bool) error {
	switch order {
	case "", OrderAuto, AsGiven:
		return nil
	case ByDegree:
		if !undirected {
			return errors.New("order by degree is for undirected graphs: leave it out, or take arcs as edges that lead both ways")
		}
		return nil
	}
	return fmt.Errorf("order %q is not one of auto, degree, given", order)
}

// isOrdered reports whether a graph is to be ordered by degree: the same on all ranks, which all call it.
func isOrdered(g *Graph, order Order, degrees []uint64) (bool, error) {
	if order == AsGiven || order == ByDegree || !g.Undirected {
		return order == ByDegree, nil
	}
	most := uint64(0)
	if len(degrees) > 0 {
		most = slices.Max(degrees)
	}
	most, err := pebble.AllReduce(g.Rank, most, pebble.Max[uint64])
	return float64(most)*float64(g.Vertices) >= skew*2*float64(g.Edges) && g.Edges > 0, err
}

// order gives this rank's vertices their places by degree, and replaces the arcs by those with the new indices.
//
// Nobody needs to ask for the place of another rank's vertex. Of an undirected edge, each end's owner holds an arc to
// the other end. It sends the other end's owner an arc that leads back, to the new index of its own.
func (p *Part[V]) order(g *Graph, got *collector[V], isWeighed bool) error {
	first := V(g.First)
	p.setPlaces()
	var back collector[V]
	arcs := newArcs(g, "ordered arcs", isWeighed, func(vs []arc[V], weights []float64) {
		for i, v := range vs {
			vs[i].Tail = first + p.places[v.Tail-first]
		}
		back.add(vs, weights)
	})
	err := g.Rank.Epoch(func() error {
		for i, chunk := range got.chunks {
			for j, a := range chunk {
				chunk[j] = arc[V]{a.Head, first + p.places[a.Tail-first]}
			}
			arcs.sendAll(chunk, got.weightsOf(i))
			got.forget(i)
		}
		return nil
	}, pebble.Depth(1))
	*got = back
	if err == nil {
		err = arcs.check(g)
	}
	return err
}

// setPlaces sorts by degree; vertices of one degree keep their order.
func (p *Part[V]) setPlaces() {
	n := len(p.Counts)
	p.numbers, p.places = make([]V, n), make([]V, n)
	for v := range p.numbers {
		p.numbers[v] = V(v)
	}
	degrees := p.Counts
	slices.SortFunc(p.numbers, func(a, b V) int {
		return cmp.Or(cmp.Compare(degrees[b], degrees[a]), cmp.Compare(a, b))
	})
	p.Counts = make([]uint64, n)
	for place, number := range p.numbers {
		p.places[number] = V(place)
		p.Counts[place] = degrees[number]
	}
}
