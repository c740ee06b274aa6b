package graph

// Pair is two adjacent vertices and the Jaccard similarity of their neighbours: the number of common neighbours divided
// by the number of vertices that are a neighbour of either, from 0 to 1.
type Pair struct {
	First, Second uint64
	Similarity    float64
}

// Jaccard returns the similarity of the two ends of each edge, the smaller end first, in order. Arcs of both directions
// count as edges; duplicates and self-loops do not count. Each edge must be in the rows of both ends, as in undirected
// graphs. It goes through the rows of both ends side by side.
func Jaccard(c *CSR) (pairs []Pair) {
	c = c.Simple()
	for u := range c.Vertices() {
		for _, v := range beyond(c.Row(u), u) {
			common := inCommon(c.Row(u), c.Row(v))
			union := uint64(len(c.Row(u))+len(c.Row(v))) - common
			pairs = append(pairs, Pair{u, v, float64(common) / float64(union)})
		}
	}
	return pairs
}
