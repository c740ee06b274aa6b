package route

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// axis is a dimension of size 2 or more. Ranks are row-major, so the last dimension is the fastest: its neighbours have
// consecutive ranks, such as the cores of one node.
type axis struct {
	dim          int
	size, stride uint32
	bySize       divisor
	byStride     divisor
}

// axesMax bounds the axes of a job: each at least doubles the number of ranks.
const axesMax = 32

// axesOf lists the dimensions that are axes, in order.
func axesOf(dims []int) (axes []axis) {
	stride := 1
	for dim, size := range slices.Backward(dims) {
		if size > 1 {
			axes = append(axes, axis{dim, uint32(size), uint32(stride), newDivisor(uint32(size)), newDivisor(uint32(stride))})
		}
		stride *= size
	}
	slices.Reverse(axes)
	return axes
}

// of returns a rank's coordinate on this axis.
func (a *axis) of(rank uint32) uint32 {
	n := a.byStride.quotient(rank)
	return n - a.bySize.quotient(n)*a.size
}

// move returns the rank after a step from one coordinate to another.
func (a *axis) move(rank int, from, to uint32) int {
	return rank + (int(to)-int(from))*int(a.stride)
}

// mustAxes panics if the number of dimensions is invalid.
func mustAxes(name string, ranks, n int) {
	if n < 1 || n > axesMax {
		panic(fmt.Sprintf("route: %s over %d ranks: it has 1 to %d dimensions", name, ranks, axesMax))
	}
}

// mustSizes panics unless the sizes multiply to the number of ranks.
func mustSizes(name string, dims []int, ranks int) {
	mustRanks(name, ranks)
	if len(dims) == 0 {
		panic(fmt.Sprintf("route: %s over %d ranks: it has no dimensions: give their sizes", name, ranks))
	}
	for _, size := range dims {
		if size <= 0 {
			panic(fmt.Sprintf("route: %s over %d ranks: a dimension has size %d: sizes are 1 or more", name, ranks, size))
		}
	}
	switch n, ok := volume(dims, ranksMax); {
	case !ok:
		panic(fmt.Sprintf("route: %s over %d ranks: its sizes multiply to more than the %d ranks that a job may have",
			name, ranks, ranksMax))
	case n != ranks:
		panic(fmt.Sprintf("route: %s over %d ranks: its sizes multiply to %d: "+
			"give sizes that multiply to the number of ranks", name, ranks, n))
	}
}

// volume returns the product of positive sizes, and reports whether it is within a limit.
func volume(dims []int, limit int) (n int, ok bool) {
	n = 1
	for _, size := range dims {
		if size > limit/n {
			return 0, false
		}
		n *= size
	}
	return n, true
}

// joined formats numbers with a separator.
func joined(numbers []int, between string) string {
	words := make([]string, len(numbers))
	for i, n := range numbers {
		words[i] = strconv.Itoa(n)
	}
	return strings.Join(words, between)
}
