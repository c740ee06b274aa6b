package graph

// Cores returns the core number of each vertex: the largest k such that the vertex is in a subgraph where each vertex
// has k neighbours or more. Duplicates and self-loops do not count. Each edge must be in the rows of both ends, as in
// undirected graphs. It repeatedly removes a vertex with the fewest neighbours, in linear time (Batagelj and Zaversnik,
// An O(m) Algorithm for Cores Decomposition of Networks, 2003).
func Cores(c *CSR) []uint64 {
	c = c.Simple()
	n := c.Vertices()
	left, waiting := make([]uint64, n), make([][]uint64, 1) // vertices by their number of neighbours left when put
	put := func(v uint64) {
		for uint64(len(waiting)) <= left[v] {
			waiting = append(waiting, nil)
		}
		waiting[left[v]] = append(waiting[left[v]], v)
	}
	for v := range n {
		left[v] = uint64(len(c.Row(v)))
		put(v)
	}
	gone := make([]bool, n)
	for k := uint64(0); k < uint64(len(waiting)); k++ {
		for len(waiting[k]) > 0 {
			last := len(waiting[k]) - 1
			v := waiting[k][last]
			waiting[k] = waiting[k][:last]
			if gone[v] || left[v] != k {
				continue
			}
			gone[v] = true
			for _, w := range c.Row(v) {
				if !gone[w] && left[w] > k {
					left[w]--
					put(w)
				}
			}
		}
	}
	return left
}
