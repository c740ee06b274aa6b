package uts

// node is a node that was found and has children which were not.
type node struct {
	State    state
	Height   uint32
	ID       vertex // where the tree is built in memory
	Children uint64
}

// walker searches a tree depth-first, or parts of it, by itself.
type walker struct {
	levels []*level
	hasher *hasher
	stack  []node // to be searched
	found  Answer
	builds bool // notes the places of all children in built
	next   vertex
	built  []placed
}

// placed says where the children of a vertex are. While the tree is built, these are on the rank that says it.
type placed struct {
	Of    vertex
	Where children
}

func newWalker(t Tree) *walker { return &walker{levels: t.levels(), hasher: newHasher()} }

// level is that of a height.
func (w *walker) level(height uint32) *level {
	return w.levels[min(int(height), len(w.levels)-1)]
}

// root begins with the root.
func (w *walker) root(t Tree) {
	n := node{State: rootState(t.Seed), ID: w.next}
	n.Children = uint64(w.levels[0].children(number(n.State[:])))
	w.next++
	w.found.Nodes++
	w.found.Sum += mark(n.State[:])
	if n.Children == 0 {
		w.found.Leaves++
		return
	}
	w.stack = append(w.stack, n)
}

// search searches on until about so many nodes were found, or nothing is left.
func (w *walker) search(most uint64) {
	for before := w.found.Nodes; len(w.stack) > 0 && w.found.Nodes-before < most; {
		last := len(w.stack) - 1
		parent := w.stack[last]
		w.stack = w.stack[:last]
		w.expand(&parent)
	}
}

// expand finds the children of a node.
func (w *walker) expand(parent *node) {
	height, level := parent.Height+1, w.level(parent.Height+1)
	if w.builds {
		w.built = append(w.built, placed{parent.ID, childrenAt(w.next.onRank(), parent.Children)})
	}
	w.found.Nodes += parent.Children
	w.found.Depth = max(w.found.Depth, uint64(height))
	w.hasher.parent(&parent.State)
	for i := range parent.Children {
		s := w.hasher.child(uint32(i))
		w.found.Sum += mark(s)
		if n := level.children(number(s)); n > 0 {
			w.stack = append(w.stack, node{state(s), height, w.next + vertex(i), uint64(n)})
		} else {
			w.found.Leaves++
		}
	}
	w.next += vertex(parent.Children)
}

// add adds what two have found of one tree.
func (a Answer) add(b Answer) Answer {
	return Answer{a.Nodes + b.Nodes, a.Leaves + b.Leaves, max(a.Depth, b.Depth), a.Sum + b.Sum}
}
