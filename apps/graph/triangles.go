package graph

import "slices"

// Triangles counts the sets of three vertices each two of which are joined by an arc, whichever way it leads;
// duplicates and self-loops don't count. The graph is to have each edge in the rows of both ends, as undirected ones
// have. It goes through the rows of both ends of each edge side by side.
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

// beyond is what of a sorted row is above a vertex.
func beyond(row []uint64, v uint64) []uint64 {
	at, _ := slices.BinarySearch(row, v+1)
	return row[at:]
}

// inCommon counts the vertices that are in two sorted rows.
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
