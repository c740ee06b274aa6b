package distgraph

import (
	"github.com/activepebbles/pebbles/checkpoint"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
)

// Arguments are the parts of a checkpoint that name the graph: state of another one is refused. The graph itself is
// built again at a restart.
func (g *Graph) Arguments() []checkpoint.Part {
	return []checkpoint.Part{
		g.input, checkpoint.Argument("graph", g.Name), checkpoint.Argument("edges", g.Edges),
		checkpoint.Argument("undirected", g.Undirected), checkpoint.Argument("self-loops", g.SelfLoops),
	}
}

// Searched are the parts of a checkpoint for the starts that Each is done with.
func (p *Report) Searched() []checkpoint.Part {
	return []checkpoint.Part{
		checkpoint.Value("done", &p.done), checkpoint.PerRank("breaches", &p.broken, pebble.Sum),
		checkpoint.Value("seconds", &p.Seconds),
	}
}

// Kept is the part of a checkpoint for values of this rank's vertices, by place. Its keys are the numbers of the
// vertices, which are the same on any number of ranks; indices of an ordered graph are not.
func Kept[V Index, T any](g *Graph, p *Part[V], name string, byPlace *[]T) checkpoint.Part {
	return checkpoint.Slice(name, byNumber{g.Owner, g.First, p}, byPlace)
}

// byNumber is the distribution of vertices by their numbers, whose local indices are places.
type byNumber struct {
	*distribution.BlockMap
	first uint64
	part  anyPart
}

// Key implements distribution.Indexed, for vertices of this rank.
func (n byNumber) Key(_, place int) uint64 { return n.first + n.part.Number(uint64(place)) }

// Local implements distribution.Indexed, for vertices of this rank.
func (n byNumber) Local(number uint64) int { return int(n.part.Place(number - n.first)) }

// IndicesBy returns the indices of the vertices with these numbers, of any rank: the inverse of Parents.Ask. A value
// that is no number stands for itself. In a graph that is not ordered it returns numbers. All ranks call it, between
// epochs.
func IndicesBy[V Index](g *Graph, numbers []V) ([]V, error) {
	if !g.Ordered {
		return numbers, nil
	}
	var asked []uint64
	for _, number := range numbers {
		if uint64(number) < g.Vertices {
			asked = append(asked, uint64(number))
		}
	}
	found, err := g.AskOwners(asked, func(at uint64) uint64 { return g.First + g.part.Place(at) })
	if err != nil {
		return nil, err
	}
	indices := make([]V, len(numbers))
	for i, number := range numbers {
		if indices[i] = number; uint64(number) < g.Vertices {
			indices[i], found = V(found[0]), found[1:]
		}
	}
	return indices, nil
}
