package graph

// Components returns, for each vertex, the smallest vertex of its connected component; arcs of a directed graph join
// their ends in both directions. It uses union and find, in about linear time.
func Components(c *CSR) []uint64 {
	parent := make([]uint64, c.Vertices())
	for v := range parent {
		parent[v] = uint64(v)
	}
	find := func(v uint64) uint64 {
		for parent[v] != v {
			parent[v] = parent[parent[v]]
			v = parent[v]
		}
		return v
	}
	for v := range c.Vertices() {
		for _, w := range c.Row(v) {
			a, b := find(v), find(w)
			parent[max(a, b)] = min(a, b)
		}
	}
	for v := range parent {
		parent[v] = find(uint64(v))
	}
	return parent
}
