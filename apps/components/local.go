package components

import "github.com/activepebbles/pebbles/apps/distgraph"

// forest joins what this rank's arcs join, at its own memory alone. Its nodes are the slots of the ghosts: a rank's own
// vertices come first, and every ghost has an arc from one of those, so that the smallest node of a tree, its root, is
// a vertex of the rank.
type forest[V distgraph.Index] []V // the node above each, which is no larger

// join joins the trees of two nodes (Rem's algorithm, as Dijkstra has it in A Discipline of Programming): it goes up
// both at once, and shortens as it goes.
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

// flatten lets each node hang on its root.
func (f forest[V]) flatten() {
	for v, above := range f {
		f[v] = f[above] // which hangs on its root already
	}
}

// sampled is how many of the first arcs of each vertex are joined before the largest tree is guessed.
const sampled = 2

// grow joins the ends of this rank's arcs. Arcs of vertices of the tree that seems to be the largest, the giant, are
// left out but for the first few: the other ends have them too. Those between the giants of two ranks, which both leave
// out, are left to the caller, and so are ghosts that have arcs from the giant alone, which hang on themselves.
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
	return f[giant] // it may have been joined to a smaller root
}

// guess is the root to which most of some vertices belong, spread evenly over the rank; no node, if there is
// none.
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
