package permutation

// Serial is Permutation without ranks and pebbles: the whole result that a job of so many ranks has. The configuration
// must pass Check.
func Serial(ranks int, c Config) []uint64 {
	c = c.withDefaults()
	n := c.elements() * uint64(ranks)
	o := newOrders(n, c.Seed)
	data, perm, out := make([]uint64, n), make([]uint64, n), make([]uint64, n)
	for i := range n {
		data[i], perm[i] = o.dataAt(i), o.permAt(i)
	}
	for i := range n {
		out[perm[data[i]]] = i
	}
	return out
}
