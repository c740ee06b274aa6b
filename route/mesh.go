package route

import (
	"fmt"
	"slices"
	"strconv"
)

// mesh is N-dimensional. Its last slab along the first dimension may be incomplete, and so may be the last slab of that
// one, and so on: the ranks are those whose coordinates, row by row, do not follow the last rank's.
type mesh struct {
	name      string
	ranks     int
	axes      []axis
	ascending []int    // numbers of the axes
	order     []int    // the same, in the order of correction by routes
	turn      []int    // by axis: its index in order
	faces     []uint32 // first rank of each incomplete slab, the outermost first
}

// Mesh is TRAM's virtual mesh (TRAM, section III.B). Ranks are row-major, the last dimension the fastest, so that it
// can stand for the cores of a node. A rank's neighbours are all ranks that differ in one dimension. A route corrects
// the highest dimension that differs first. The sizes must multiply to the number of ranks, or the constructor panics.
//
// Guarantees, for N dimensions of sizes s: hops equal to the number of dimensions that differ, at most N (equation 2);
// sum of (s-1) neighbours; P times that number of frames for an all-to-all of one pebble each; N stages, one per
// dimension.
func Mesh(dims ...int) Constructor {
	if len(dims) == 1 {
		return MeshIn([]int{0}, dims...) // since mesh:8 names another one
	}
	return newMeshIn("mesh:"+joined(dims, "x"), lastFirst(len(dims)), dims)
}

// MeshIn is a [Mesh] whose routes correct dimensions in the order given. If a mesh stands for a physical torus or mesh,
// the order of the network's own deterministic routing keeps routes minimal in it (TRAM, section V.C); see
// [LongestFirst].
//
// Guarantees: those of Mesh.
func MeshIn(order []int, dims ...int) Constructor {
	return newMeshIn("mesh:"+joined(dims, "x")+"/"+joined(order, "-"), order, dims)
}

// LongestFirst returns an order for [MeshIn]: longer dimensions before shorter ones, and the highest first among
// equals. It suits networks whose deterministic routing goes from the longest dimension to the shortest, such as Blue
// Gene/Q's.
func LongestFirst(dims []int) []int {
	order := lastFirst(len(dims))
	slices.SortStableFunc(order, func(a, b int) int { return dims[b] - dims[a] })
	return order
}

func lastFirst(n int) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = n - 1 - i
	}
	return order
}

// permutes reports whether an order has each number below n once.
func permutes(order []int, n int) bool {
	sorted := slices.Sorted(slices.Values(order))
	slices.Reverse(sorted)
	return slices.Equal(sorted, lastFirst(n))
}

func newMeshIn(name string, order, dims []int) Constructor {
	order, dims = slices.Clone(order), slices.Clone(dims)
	return func(ranks int) Topology {
		mustSizes(name, dims, ranks)
		if !permutes(order, len(dims)) {
			panic(fmt.Sprintf("route: %s over %d ranks: its order must have each dimension from 0 to %d once",
				name, ranks, len(dims)-1))
		}
		return newMesh(name, ranks, dims, order)
	}
}

// MeshOf returns a constructor of meshes of n dimensions of sizes as equal as possible, for any number of ranks. The
// longer dimensions come first. If the sizes don't multiply to the number of ranks, the last slab along the first
// dimension is incomplete. A route that starts in an incomplete slab and leaves it corrects the dimension that leads
// out first, and then, as all others do, the highest that differs. So every hop exists.
//
// Guarantees: hops equal to the number of dimensions that differ, at most n; at most sum of (s-1) neighbours for sizes
// s, each ⌊P^1/n⌋ or one more; one frame per link for an all-to-all of one pebble each; n stages, and one more if a
// slab is incomplete.
func MeshOf(n int) Constructor {
	name := "mesh:" + strconv.Itoa(n)
	return func(ranks int) Topology {
		mustRanks(name, ranks)
		mustAxes(name, ranks, n)
		return newMesh(name, ranks, balanced(ranks, n), lastFirst(n))
	}
}

func newMesh(name string, ranks int, dims, order []int) *mesh {
	m := &mesh{name: name, ranks: ranks, axes: axesOf(dims)}
	m.turn = make([]int, len(m.axes))
	for x := range m.axes {
		m.ascending = append(m.ascending, x)
	}
	for _, dim := range order {
		if x := slices.IndexFunc(m.axes, func(a axis) bool { return a.dim == dim }); x >= 0 {
			m.turn[x] = len(m.order)
			m.order = append(m.order, x)
		}
	}
	for x := 0; x < len(m.axes) && ranks%int(m.axes[x].stride) != 0; x++ {
		stride := int(m.axes[x].stride)
		m.faces = append(m.faces, uint32(ranks/stride*stride))
	}
	return m
}

var (
	_ Router  = (*mesh)(nil)
	_ Staged  = (*mesh)(nil)
	_ Bounded = (*mesh)(nil)
)

func (m *mesh) Name() string { return m.name }
func (m *mesh) Ranks() int   { return m.ranks }

// Hops: some rank differs from rank 0 in every dimension, even if a slab is incomplete, since another one is complete.
func (m *mesh) Hops() int { return max(1, len(m.axes)) }

// Stages: routes out of incomplete slabs leave them by their first hop, so those links come before all others.
func (m *mesh) Stages() int { return max(1, len(m.axes)) + min(1, len(m.faces)) }

func (m *mesh) Stage(from, to int) int {
	if uint32(to) < m.floor(uint32(from)) {
		return 0
	}
	apart := uint32(max(from, to) - min(from, to))
	x := slices.IndexFunc(m.axes, func(a axis) bool { return a.stride <= apart })
	return m.turn[x] + min(1, len(m.faces))
}

// floor returns the first rank of the innermost incomplete slab around a rank, or 0. No destination lies above an
// incomplete slab, so the destinations below the floor are those outside the slab.
func (m *mesh) floor(at uint32) (floor uint32) {
	for _, face := range m.faces {
		if at >= face {
			floor = face
		}
	}
	return floor
}

// corrects returns the axes in the order of correction. A route out of an incomplete slab goes along the first axis
// that differs: all axes before it agree with the last rank's, and the destination's coordinate is smaller.
func (m *mesh) corrects(leaves bool) []int {
	if leaves {
		return m.ascending
	}
	return m.order
}

func (m *mesh) Next(at, dest int) int {
	from, to := uint32(at), uint32(dest)
	for _, x := range m.corrects(to < m.floor(from)) {
		a := &m.axes[x]
		if own, c := a.of(from), a.of(to); own != c {
			return a.move(at, own, c)
		}
	}
	return at
}

// Neighbors returns neighbours in order of dimension, and of coordinate in each.
func (m *mesh) Neighbors(at int) []int {
	var all []int
	for x := range m.axes {
		a := &m.axes[x]
		own := a.of(uint32(at))
		for c := range m.along(a, uint32(at), own) {
			if c != own {
				all = append(all, a.move(at, own, c))
			}
		}
	}
	return all
}

// along returns the number of ranks on the line through a rank along an axis.
func (m *mesh) along(a *axis, at, own uint32) uint32 {
	return min(a.size, a.byStride.quotient(uint32(m.ranks-1)-(at-own*a.stride))+1)
}

func (m *mesh) Slots(at int, dests, slots []uint32) {
	var own, base [axesMax]uint32 // by axis: the rank's coordinate, and the index of the first neighbour
	self, floor := uint32(0), m.floor(uint32(at))
	for x := range m.axes {
		a := &m.axes[x]
		own[x], base[x] = a.of(uint32(at)), self
		self += m.along(a, uint32(at), own[x]) - 1
	}
	slots = slots[:len(dests)]
	for i, dest := range dests {
		slots[i] = self
		for _, x := range m.corrects(dest < floor) {
			if c := m.axes[x].of(dest); c != own[x] {
				slots[i] = base[x] + skip(c, own[x])
				break
			}
		}
	}
}
