package graph

// Pair is two vertices that an edge joins, and how similar they are: the Jaccard similarity of their neighbours, those
// that both have over those that one of them has, from 0 to 1.
type Pair struct {
	First, Second uint64
	Similarity    float64
}

// Jaccard returns the similarity of the two ends of each edge, the smaller end first, in order. Arcs count as edges,
// whichever way they lead; duplicates and self-loops don't count. The graph is to have each edge in the rows of both
// ends, as undirected ones have. It goes through the rows of both ends side by side.
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
