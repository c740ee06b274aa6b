package graph

import "slices"

// Communities is synchronous label propagation, as LDBC Graphalytics defines it. Each vertex begins with itself as its
// label. In each iteration it takes the most frequent of its neighbours' labels of the iteration before; the smallest
// wins a tie. A directed graph has a neighbour for each end of each arc, so a neighbour with arcs in both directions
// counts twice. Duplicates and self-loops do not count. It ends after the given number of iterations, or after one that
// changes nothing. An iteration costs O(V + E log E).
func Communities(c *CSR, iterations int) (labels []uint64) {
	c = c.Simple()
	labels = make([]uint64, c.Vertices())
	for v := range labels {
		labels[v] = uint64(v)
	}
	for range iterations {
		next := slices.Clone(labels)
		for v, met := range c.gather(labels) {
			if len(met) > 0 {
				next[v] = mostFrequent(met)
			}
		}
		if slices.Equal(next, labels) {
			break
		}
		labels = next
	}
	return labels
}

// gather returns, for each vertex, the labels of its neighbours.
func (c *CSR) gather(labels []uint64) [][]uint64 {
	met := make([][]uint64, c.Vertices())
	for v := range c.Vertices() {
		for _, w := range c.Row(v) {
			met[v] = append(met[v], labels[w])
			if c.Directed {
				met[w] = append(met[w], labels[v])
			}
		}
	}
	return met
}

// mostFrequent sorts labels and returns the most frequent one; the smallest wins a tie.
func mostFrequent(labels []uint64) (best uint64) {
	slices.Sort(labels)
	most := 0
	for len(labels) > 0 {
		n := 1
		for n < len(labels) && labels[n] == labels[0] {
			n++
		}
		if n > most {
			most, best = n, labels[0]
		}
		labels = labels[n:]
	}
	return best
}
