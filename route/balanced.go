package route

import (
	"fmt"
	"slices"
	"sort"
)

// balanced returns n sizes, each ⌊P^1/n⌋ or one more, the longer first, of a mesh whose last slab along the first
// dimension holds at least one rank.
func balanced(ranks, n int) []int {
	size := sort.Search(ranks, func(size int) bool { // the largest size whose mesh all ranks fill
		_, ok := volume(slices.Repeat([]int{size + 1}, n), ranks)
		return !ok
	})
	dims := slices.Repeat([]int{size}, n)
	for i := 0; !holds(dims, ranks); i++ {
		dims[i]++
	}
	return dims
}

// holds reports whether a mesh has room for the given number of ranks.
func holds(dims []int, ranks int) bool {
	_, less := volume(dims, ranks-1)
	return !less
}

// Merge merges a mesh's dimensions at and at+1, which must follow each other in the order of routing. A new route
// visits a subset of the ranks of the old route, in the same order, so a minimal route stays minimal: fewer hops for
// more neighbours (TRAM, section V.C). 4×4×8 becomes 16×8 at 0.
func Merge(dims []int, at int) []int {
	if at < 0 || at+1 >= len(dims) {
		panic(fmt.Sprintf("route: merge of dimensions %d and %d: the mesh has %d", at, at+1, len(dims)))
	}
	return slices.Replace(slices.Clone(dims), at, at+2, dims[at]*dims[at+1])
}
