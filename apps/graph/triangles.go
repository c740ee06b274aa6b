package graph

import "slices"

// Triangles returns the number of sets of three vertices joined in pairs by arcs of either direction; duplicates and
// self-loops do not count. Each edge must be in the rows of both ends, as in undirected graphs. It goes through the
// rows of both ends of each edge side by side.
func Triangles(c *CSR) (n uint64) {
	c = c.Simple()
	for u := range c.Vertices() {
		for _, v := range c.Row(u) {
			if v > u {
				n += inCommon(beyond(c.Row(u), v), beyond(c.Row(v), v))
			}
		}
	}
	return n
}

// Clustering returns the number of triangles of each vertex, and its local clustering coefficient, as LDBC Graphalytics
// defines it: the share of ordered pairs of its neighbours that an arc joins, 0 for fewer than two neighbours. The
// other ends of all arcs of a vertex, in both directions, are its neighbours. Duplicates and self-loops do not count.
// It costs O(E D) for the largest number D of neighbours.
func Clustering(c *CSR) (triangles []uint64, clustering []float64) {
	c = c.Simple()
	around := c
	if c.Directed {
		around = NewCSR(c.Vertices(), c.arcs(), false).Simple()
	}
	triangles, clustering = make([]uint64, c.Vertices()), make([]float64, c.Vertices())
	for v := range c.Vertices() {
		near, joined := around.Row(v), uint64(0)
		for _, u := range near {
			triangles[v] += inCommon(near, around.Row(u))
			joined += inCommon(near, c.Row(u))
		}
		triangles[v] /= 2
		if n := uint64(len(near)); n > 1 {
			clustering[v] = float64(joined) / float64(n*(n-1))
		}
	}
	return triangles, clustering
}

// arcs returns the entries of the rows.
func (c *CSR) arcs() (all []Edge) {
	for v := range c.Vertices() {
		for _, w := range c.Row(v) {
			all = append(all, Edge{v, w})
		}
	}
	return all
}

// beyond returns the vertices of a sorted row that are above a vertex.
func beyond(row []uint64, v uint64) []uint64 {
	at, _ := slices.BinarySearch(row, v+1)
	return row[at:]
}

// inCommon returns the number of vertices that are in both of two sorted rows.
func inCommon(a, b []uint64) (n uint64) {
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] < b[0]:
			a = a[1:]
		case a[0] > b[0]:
			b = b[1:]
		default:
			n++
			a, b = a[1:], b[1:]
		}
	}
	return n
}
