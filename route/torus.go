package route

import (
	"slices"
	"strconv"
)

type torus struct {
	name  string
	ranks int
	axes  []axis
}

// Torus connects ranks, row-major as in [Mesh], to those one step away in each dimension, with wrap-around. A route
// corrects the highest dimension that differs first, step by step, the shorter way around; if both are equally long,
// ranks of even coordinate go up and those of odd coordinate go down. The sizes must multiply to the number of ranks,
// or the constructor panics.
//
// Guarantees, for N dimensions of sizes s: hops equal to the number of steps, at most sum of ⌊s/2⌋; at most 2N
// neighbours; P times sum of (s-1) frames for an all-to-all of one pebble each if ranks run in step. Routes go along
// cycles of links, so it has no stages.
func Torus(dims ...int) Constructor {
	dims = slices.Clone(dims)
	if len(dims) == 1 {
		dims = append(dims, 1) // since torus:8 names another one
	}
	name := "torus:" + joined(dims, "x")
	return func(ranks int) Topology {
		mustSizes(name, dims, ranks)
		return &torus{name, ranks, axesOf(dims)}
	}
}

// TorusOf returns a constructor of toruses of n dimensions for any number of ranks. Sizes are divisors of it, as equal
// as can be found, so a prime number gives a ring. The longer dimensions come first. Guarantees are those of [Torus].
func TorusOf(n int) Constructor {
	name := "torus:" + strconv.Itoa(n)
	return func(ranks int) Topology {
		mustRanks(name, ranks)
		mustAxes(name, ranks, n)
		return &torus{name, ranks, axesOf(divided(ranks, n))}
	}
}

// divided returns n sizes that multiply to a number: from the last on, each the largest divisor of the rest that leaves
// no smaller ones.
func divided(number, n int) []int {
	sizes := make([]int, n)
	for i := n - 1; i > 0; i-- {
		size := 1
		for d := 2; fits(d, i+1, number); d++ {
			if number%d == 0 {
				size = d
			}
		}
		sizes[i] = size
		number /= size
	}
	sizes[0] = number
	return sizes
}

// fits reports whether a power of a number is at most another number.
func fits(number, power, most int) bool {
	for range power {
		most /= number
	}
	return most > 0
}

var (
	_ Router  = (*torus)(nil)
	_ Bounded = (*torus)(nil)
)

func (t *torus) Name() string { return t.name }
func (t *torus) Ranks() int   { return t.ranks }

func (t *torus) Hops() int {
	hops := 0
	for _, a := range t.axes {
		hops += int(a.size / 2)
	}
	return max(1, hops)
}

// up reports whether the way around a circle of the given size goes up.
func up(from, to, size uint32) bool {
	steps := to + size - from
	if steps >= size {
		steps -= size
	}
	return 2*steps < size || 2*steps == size && from&1 == 0
}

// step returns the position after one step along a circle.
func step(from, size uint32, up bool) uint32 {
	switch {
	case up && from+1 == size:
		return 0
	case up:
		return from + 1
	case from == 0:
		return size - 1
	}
	return from - 1
}

func (t *torus) Next(at, dest int) int {
	for x := len(t.axes) - 1; x >= 0; x-- {
		a := &t.axes[x]
		if own, c := a.of(uint32(at)), a.of(uint32(dest)); own != c {
			return a.move(at, own, step(own, a.size, up(own, c, a.size)))
		}
	}
	return at
}

// Neighbors returns neighbours in order of dimension: the one above, and the one below if that is another one.
func (t *torus) Neighbors(at int) []int {
	var all []int
	for x := range t.axes {
		a := &t.axes[x]
		own := a.of(uint32(at))
		all = append(all, a.move(at, own, step(own, a.size, true)))
		if a.size > 2 {
			all = append(all, a.move(at, own, step(own, a.size, false)))
		}
	}
	return all
}

func (t *torus) Slots(at int, dests, slots []uint32) {
	var own, base [axesMax]uint32 // by axis: the rank's coordinate, and the index of the neighbour above
	self := uint32(0)
	for x := range t.axes {
		own[x], base[x] = t.axes[x].of(uint32(at)), self
		self += min(2, t.axes[x].size-1)
	}
	slots = slots[:len(dests)]
	for i, dest := range dests {
		slots[i] = self
		for x := len(t.axes) - 1; x >= 0; x-- {
			if c := t.axes[x].of(dest); c != own[x] {
				slots[i] = base[x] + below(own[x], c, t.axes[x].size)
				break
			}
		}
	}
}

// below returns 0 if the way goes to the neighbour above, which may be the one below as well, and else 1.
func below(from, to, size uint32) uint32 {
	if size == 2 || up(from, to, size) {
		return 0
	}
	return 1
}
