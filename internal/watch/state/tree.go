package state

import (
	"cmp"
	"slices"
)

// node is a call in the tree of all ranks' calls.
type node struct {
	call  string
	ranks []int
	moves bool
	calls []*node // calls that it makes
}

// tree merges stacks with a common start: a call is one line, whatever the number of ranks in it.
func tree(stacks []Calls) []Stack {
	root := &node{}
	for _, s := range stacks {
		at := root
		for _, call := range slices.Backward(s.Calls) {
			at = at.calling(call)
			at.ranks = append(at.ranks, s.Ranks...)
			at.moves = at.moves || s.Moves
		}
	}
	var all []Stack
	root.flatten(-1, &all)
	return all
}

func (n *node) calling(call string) *node {
	for _, c := range n.calls {
		if c.call == call {
			return c
		}
	}
	c := &node{call: call}
	n.calls = append(n.calls, c)
	return c
}

// flatten lists a node and its descendants, rarest first, since they show the differences. A chain of calls with the
// same ranks keeps its depth.
func (n *node) flatten(depth int, all *[]Stack) {
	if depth >= 0 {
		if len(*all) >= nodesShown {
			return
		}
		slices.Sort(n.ranks)
		*all = append(*all, Stack{Depth: depth, Ranks: Brief(slices.Compact(n.ranks)), Call: n.call, Moves: n.moves})
	}
	slices.SortStableFunc(n.calls, func(a, b *node) int { return cmp.Compare(len(a.ranks), len(b.ranks)) })
	below := depth
	if depth < 0 || len(n.calls) > 1 {
		below++
	}
	for _, c := range n.calls {
		c.flatten(below, all)
	}
}
