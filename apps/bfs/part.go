package bfs

// part is a rank's part of a graph, with indices of one width.
//
// A vertex has a number, which is its place in the source, and an index, by which ranks know it. Both lie in the block of its
// owner. They differ when the graph is ordered by degree.
type part[V vertex] struct {
	*rows[V]          // of the arcs that leave
	into     *rows[V] // of the arcs that lead here, by their tails; in an undirected graph the same; nil until made
	counts   []uint64 // arcs that leave each vertex, as the source has them
	places   []V      // of an ordered graph: the place in the block of each vertex, by number
	numbers  []V      // its inverse
}

// anyPart is what a Graph asks its part for, whatever the width of indices.
type anyPart interface {
	// eachFit calls do, in the order of the source, with the place of each vertex that has an arc to another vertex.
	eachFit(do func(place uint64))
	// place is where the vertex is whose number is so far into the block; number is its inverse.
	place(number uint64) uint64
	number(place uint64) uint64
	// arcs counts those that leave, without duplicates and self-loops.
	arcs() uint64
}

func (p *part[V]) eachFit(do func(place uint64)) {
	for number := range p.counts {
		place := p.place(uint64(number))
		if len(p.row(V(place))) > 0 {
			do(place)
		}
	}
}

func (p *part[V]) place(number uint64) uint64 {
	if p.places == nil {
		return number
	}
	return uint64(p.places[number])
}

func (p *part[V]) number(place uint64) uint64 {
	if p.numbers == nil {
		return place
	}
	return uint64(p.numbers[place])
}

func (p *part[V]) arcs() uint64 { return uint64(len(p.heads)) }
