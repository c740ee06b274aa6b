package components

import "github.com/activepebbles/pebbles/apps/distgraph"

// forest joins the ends of this rank's arcs in its own memory. Its nodes are the slots of the ghosts: a rank's own
// vertices come first, and every ghost has an arc from one of those. So the smallest node of a tree, its root, is a
// vertex of the rank.
type forest[V distgraph.Index] []V // parent of each node, which is no larger

// join joins the trees of two nodes (Rem's algorithm, after Dijkstra, A Discipline of Programming). It climbs from both
// at once, and shortens the paths.
func (f forest[V]) join(u, v V) {
	for f[u] != f[v] {
		if f[u] < f[v] {
			u, v = v, u
		}
		above := f[u]
		f[u] = f[v]
		if above == u {
			return
		}
		u = above
	}
}

// flatten makes each node a child of its root.
func (f forest[V]) flatten() {
	for v, above := range f {
		f[v] = f[above] // its parent is the root already
	}
}

// sampled is the number of first arcs of each vertex that are joined before the guess of the largest tree.
const sampled = 2

// grow joins the ends of this rank's arcs. For vertices of the apparently largest tree, the giant, it joins only the
// first few arcs: the other ends have the rest. The caller must join arcs between the giants of two ranks, which both
// omit, and ghosts with arcs only from the giant, which are their own roots.
func (s *hooking[V]) grow() (giant V) {
	f, offsets, slots := s.forest, s.Offsets, s.ghosts.Slots
	for v := range f {
		f[v] = V(v)
	}
	for i := range uint64(sampled) {
		for v := V(0); v < s.local; v++ {
			if at := offsets[v] + i; at < offsets[v+1] {
				f.join(v, slots[at])
			}
		}
		f.flatten()
	}
	giant = s.guess()
	for v := V(0); v < s.local; v++ {
		if f[v] == giant {
			continue
		}
		for at := offsets[v] + sampled; at < offsets[v+1]; at++ {
			f.join(v, slots[at])
		}
	}
	f.flatten()
	if s.local == 0 {
		return giant
	}
	return f[giant] // a smaller root may have taken it
}

// guess returns the most frequent root of vertices sampled evenly from the rank, or no node if there is none.
func (s *hooking[V]) guess() V {
	const looks = 1024
	counts, best := map[V]int{}, distgraph.None[V]()
	for v := V(0); v < s.local; v += s.local/looks + 1 {
		root := s.forest[v]
		if counts[root]++; best == distgraph.None[V]() || counts[root] > counts[best] {
			best = root
		}
	}
	return best
}
