package route

import (
	"fmt"
	"math/bits"
	"slices"
)

// placement has the nodes of ranks: their processes, or their hosts. A rank's core is its number within its node.
type placement struct {
	first   []uint32 // first rank of each node, and the number of ranks at the end
	hint    []uint32 // node of every rank that is a multiple of 2^shift
	shift   uint     // a node has about 2^shift ranks
	least   uint32   // size of the smallest node
	several int      // nodes of more than one rank
	even    bool     // all nodes have the same size
}

// together returns the placement of ranks with unknown nodes: all in one.
func together(name string, ranks int) *placement {
	mustRanks(name, ranks)
	return newPlacement(name, ranks, []int{0})
}

func newPlacement(name string, ranks int, first []int) *placement {
	mustPlace(name, ranks, first)
	n := len(first)
	p := &placement{first: make([]uint32, n+1), least: uint32(ranks / n), even: true}
	for i, rank := range append(slices.Clone(first), ranks) {
		p.first[i] = uint32(rank)
	}
	for node := range uint32(n) {
		size := p.size(node)
		p.even = p.even && size == p.size(0)
		p.least = min(p.least, size)
		p.several += int(min(size-1, 1))
	}
	p.shift = uint(bits.Len(uint(ranks/n))) - 1
	for rank, node := 0, 0; rank < ranks; rank += 1 << p.shift {
		for int(p.first[node+1]) <= rank {
			node++
		}
		p.hint = append(p.hint, uint32(node))
	}
	return p
}

func mustPlace(name string, ranks int, first []int) {
	if len(first) == 0 || first[0] != 0 {
		panic(fmt.Sprintf("route: %s over %d ranks: its placement is %v: the first process begins at rank 0", name, ranks,
			first))
	}
	for i := 1; i < len(first); i++ {
		if first[i] <= first[i-1] {
			panic(fmt.Sprintf("route: %s over %d ranks: its placement has process %d begin at rank %d, and process %d at "+
				"rank %d: "+
				"processes follow each other and have a rank at least", name, ranks, i-1, first[i-1], i, first[i]))
		}
	}
	if last := first[len(first)-1]; last >= ranks {
		panic(fmt.Sprintf("route: %s over %d ranks: its placement has process %d begin at rank %d",
			name, ranks, len(first)-1, last))
	}
}

func (p *placement) ranks() int               { return int(p.first[p.nodes()]) }
func (p *placement) nodes() uint32            { return uint32(len(p.first) - 1) }
func (p *placement) size(of uint32) uint32    { return p.first[of+1] - p.first[of] }
func (p *placement) rank(of, core uint32) int { return int(p.first[of] + core) }

// at returns the node and the core of a rank.
func (p *placement) at(rank uint32) (node, core uint32) {
	node = p.hint[rank>>p.shift]
	for p.first[node+1] <= rank {
		node++
	}
	return node, rank - p.first[node]
}

// inside returns the other ranks of a node, with capacity for more.
func (p *placement) inside(node, core, more uint32) []int {
	all := make([]int, 0, p.size(node)-1+more)
	for c := range p.size(node) {
		if c != core {
			all = append(all, p.rank(node, c))
		}
	}
	return all
}
