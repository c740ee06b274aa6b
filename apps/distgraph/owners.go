package distgraph

// AskOwners asks the owners of vertices, given by index, and returns their answers. The owner calls answer with the
// place of the vertex in its block. All ranks call it, between epochs, each with any vertices. It costs two pebbles for
// each vertex of another rank.
func (g *Graph) AskOwners(vertices []uint64, answer func(place uint64) uint64) ([]uint64, error) {
	return ask(g, vertices, answer)
}
