package distgraph

// AskOwners returns the answers of the owners of vertices, given by index: answer is called by the owner with the place
// of the vertex in its block. All ranks call it, between epochs, each with vertices of its own choice. It costs two
// pebbles for each vertex of another rank.
func (g *Graph) AskOwners(vertices []uint64, answer func(place uint64) uint64) ([]uint64, error) {
	return ask(g, vertices, answer)
}
