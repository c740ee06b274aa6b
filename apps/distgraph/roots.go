package distgraph

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/activepebbles/pebbles/apps"
)

// ErrRoot is the error of a search from a vertex that the graph does not have, or of roots drawn from a graph in which
// no vertex has an arc to another.
var ErrRoot = errors.New("no such root")

// Indices returns the indices of the vertices with these ids. All ranks call it with the same ids. An id that no vertex
// has is an error that wraps ErrRoot and names the ids there are.
func (g *Graph) Indices(ids []uint64) ([]uint64, error) {
	numbers, err := fromZero(g.Rank, func() ([]uint64, error) {
		numbers := make([]uint64, len(ids))
		for i, id := range ids {
			number, known := g.names.Index(id)
			if !known {
				return nil, g.unknown(id)
			}
			numbers[i] = number
		}
		return numbers, nil
	})
	if err != nil {
		return nil, err
	}
	return g.IndicesOf(numbers)
}

// unknown looks through all ids for the smallest and the largest.
func (g *Graph) unknown(id uint64) error {
	if g.Vertices == 0 {
		return fmt.Errorf("root %d: graph %s has no vertices: %w", id, g.Name, ErrRoot)
	}
	least, most := g.names.ID(0), g.names.ID(0)
	for index := range g.Vertices {
		at := g.names.ID(index)
		least, most = min(least, at), max(most, at)
	}
	return fmt.Errorf("root %d: graph %s has %d vertices with ids from %d to %d, and none is this one: %w",
		id, g.Name, g.Vertices, least, most, ErrRoot)
}

// IDs returns the ids of vertices. All ranks call it with the same indices.
func (g *Graph) IDs(indices []uint64) ([]uint64, error) {
	numbers, err := g.NumbersOf(indices)
	if err != nil {
		return nil, err
	}
	return g.IDsOf(numbers)
}

// IDsOf returns the ids of the vertices with these numbers. All ranks call it with the same numbers.
func (g *Graph) IDsOf(numbers []uint64) ([]uint64, error) {
	return fromZero(g.Rank, func() ([]uint64, error) {
		ids := make([]uint64, len(numbers))
		for i, number := range numbers {
			ids[i] = g.names.ID(number)
		}
		return ids, nil
	})
}

// Draw returns the indices of count different vertices, drawn by seed from those with an arc to another vertex, or of
// all of those when there are no more. The number of ranks makes no difference. All ranks call it with the same
// arguments. It looks at every vertex of the rank.
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

// before adds up a number of each rank: over the ranks before this one, and over all.
func (g *Graph) before(own uint64) (below, total uint64, err error) {
	all, err := g.Rank.AllGatherBytes(packNumbers(nil, []uint64{own}))
	for rank, packed := range all {
		n := unpackNumbers(packed)[0]
		if rank < g.Rank.ID() {
			below += n
		}
		total += n
	}
	return below, total, err
}

// sample draws count different numbers below total, all of them if there are no more (Floyd's algorithm).
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

// atPlaces returns the vertices at some places in the row of all fit ones, of which this rank's start at place below.
// Each rank finds its own; adding up puts them together.
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

// Choose settles what to search from: the vertices with these ids, or as many as are to be drawn by the seed when none
// are given. It returns their ids and their indices. All ranks call it with the same arguments.
func (g *Graph) Choose(given []uint64, count int, seed uint64) (ids, indices []uint64, err error) {
	if len(given) > 0 {
		indices, err = g.Indices(given)
		return slices.Clone(given), indices, err
	}
	if indices, err = g.Draw(count, seed); err != nil {
		return nil, nil, err
	}
	ids, err = g.IDs(indices)
	return ids, indices, err
}
