package distgraph

// Index is the type of indices in memory and in pebbles: 32 bits serve for all graphs but the largest.
type Index interface{ uint32 | uint64 }

// None stands for the parent and the level of a vertex that is not reached. It is no index, and above every level.
func None[V Index]() V { return ^V(0) }

// Part is a rank's part of a graph, with indices of one width.
//
// A vertex has a number, which is its place in the source, and an index, by which ranks know it. Both lie in the block
// of its owner. They differ when the graph is ordered by degree.
type Part[V Index] struct {
	*Rows[V]          // of the arcs that leave
	Into     *Rows[V] // of the arcs that lead here, by their tails; in an undirected graph the same; nil until Reverse makes it
	Counts   []uint64 // arcs that leave each vertex, as the source has them
	places   []V      // of an ordered graph: the place in the block of each vertex, by number
	numbers  []V      // its inverse
}

// anyPart is what a Graph asks its part for, whatever the width of indices.
type anyPart interface {
	// eachFit calls do, in the order of the source, with the place of each vertex that has an arc to another vertex.
	eachFit(do func(place uint64))
	Place(number uint64) uint64
	Number(place uint64) uint64
}

func (p *Part[V]) eachFit(do func(place uint64)) {
	for number := range p.Counts {
		place := p.Place(uint64(number))
		if len(p.Row(V(place))) > 0 {
			do(place)
		}
	}
}

// Place is where in the rank's block the vertex is whose number is so far into the block.
func (p *Part[V]) Place(number uint64) uint64 {
	if p.places == nil {
		return number
	}
	return uint64(p.places[number])
}

// Number is the inverse of Place.
func (p *Part[V]) Number(place uint64) uint64 {
	if p.numbers == nil {
		return place
	}
	return uint64(p.numbers[place])
}

// Arcs counts those that leave, without duplicates and self-loops.
func (p *Part[V]) Arcs() uint64 { return uint64(len(p.Heads)) }
