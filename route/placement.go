package route

import (
	"fmt"
	"math/bits"
	"slices"
	"sort"
)

// placement has the processes of ranks. A rank's core is its number within its process.
type placement struct {
	first  []uint32 // first rank of each process, and the number of ranks at the end
	bySize []uint32 // processes, the largest first: those that have a core c come before those that lack it
	place  []uint32 // by process: its index in bySize
	hint   []uint32 // process of every rank that is a multiple of 2^shift
	shift  uint     // a process has about 2^shift ranks
}

// together returns the placement of ranks with unknown processes: all in one.
func together(name string, ranks int) *placement {
	mustRanks(name, ranks)
	return newPlacement(name, ranks, []int{0})
}

func newPlacement(name string, ranks int, first []int) *placement {
	mustPlace(name, ranks, first)
	n := len(first)
	p := &placement{first: make([]uint32, n+1), bySize: make([]uint32, n), place: make([]uint32, n)}
	for i, rank := range append(slices.Clone(first), ranks) {
		p.first[i] = uint32(rank)
	}
	for i := range p.bySize {
		p.bySize[i] = uint32(i)
	}
	slices.SortStableFunc(p.bySize, func(a, b uint32) int { return int(p.size(b)) - int(p.size(a)) })
	for i, process := range p.bySize {
		p.place[process] = uint32(i)
	}
	p.shift = uint(bits.Len(uint(ranks/n))) - 1
	for rank, process := 0, 0; rank < ranks; rank += 1 << p.shift {
		for int(p.first[process+1]) <= rank {
			process++
		}
		p.hint = append(p.hint, uint32(process))
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

func (p *placement) ranks() int               { return int(p.first[len(p.bySize)]) }
func (p *placement) processes() uint32        { return uint32(len(p.bySize)) }
func (p *placement) size(of uint32) uint32    { return p.first[of+1] - p.first[of] }
func (p *placement) rank(of, core uint32) int { return int(p.first[of] + core) }

// at returns the process and the core of a rank.
func (p *placement) at(rank uint32) (process, core uint32) {
	process = p.hint[rank>>p.shift]
	for p.first[process+1] <= rank {
		process++
	}
	return process, rank - p.first[process]
}

// having returns the number of processes that have a core of this number.
func (p *placement) having(core uint32) uint32 {
	return uint32(sort.Search(len(p.bySize), func(i int) bool { return p.size(p.bySize[i]) <= core }))
}

// inside returns the other ranks of a process, with capacity for more.
func (p *placement) inside(process, core, more uint32) []int {
	all := make([]int, 0, p.size(process)-1+more)
	for c := range p.size(process) {
		if c != core {
			all = append(all, p.rank(process, c))
		}
	}
	return all
}

// several returns the number of processes that have more than one rank.
func (p *placement) several() int { return int(p.having(1)) }
