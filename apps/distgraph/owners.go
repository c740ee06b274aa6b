package distgraph

// AskOwners returns what the owners of vertices answer about each, by its place in the owner's block; vertices are
// given by index. All ranks call it, between epochs, each with vertices of its own choice. It costs two pebbles for each
// vertex of another rank.
func (g *Graph) AskOwners(vertices []uint64, answer func(place uint64) uint64) ([]uint64, error) {
	return ask(g, vertices, answer)
}
