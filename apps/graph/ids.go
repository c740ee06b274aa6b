package graph

import (
	"slices"
)

// oneBased numbers the vertices of formats that call them 1..n.
type oneBased struct{ n uint64 }

func (o oneBased) vertices() uint64 { return o.n }

func (o oneBased) index(id uint64) (uint64, bool) { return id - 1, id >= 1 && id <= o.n }

func (o oneBased) id(index uint64) uint64 { return index + 1 }

// compaction numbers arbitrary ids densely, in the order in which they are met. Once settled it also numbers isolated
// vertices, which a header counts but no edge names: they follow the ones met, and are taken to be the smallest ids
// that were not met. Where ids run 0..n-1, as in most files, those are exactly the missing ones.
type compaction struct {
	near   []uint64          // near[id] is index+1, or 0: for ids about as small as there are many of them
	far    map[uint64]uint64 // index of every other id
	ids    []uint64          // ids in the order met, the inverse of near and far
	sorted []uint64          // ids in ascending order, once settled with isolated vertices
	silent uint64            // how many isolated vertices there are
}

// nearPerID and nearMin bound the direct table by what was met, never by the size of an id: at most 4 entries an id.
const (
	nearPerID = 4
	nearMin   = 1 << 12
)

func newCompaction() *compaction { return &compaction{far: make(map[uint64]uint64)} }

// meet returns the index of id, a new one if id was not met before.
func (c *compaction) meet(id uint64) uint64 {
	if index, met := c.met(id); met {
		return index
	}
	index := uint64(len(c.ids))
	c.ids = append(c.ids, id)
	if id < nearMin+nearPerID*index {
		if missing := id + 1 - min(id+1, uint64(len(c.near))); missing > 0 {
			c.near = append(c.near, make([]uint64, missing)...)
		}
		c.near[id] = index + 1
	} else {
		c.far[id] = index
	}
	return index
}

func (c *compaction) met(id uint64) (uint64, bool) {
	if id < uint64(len(c.near)) && c.near[id] != 0 {
		return c.near[id] - 1, true
	}
	index, met := c.far[id]
	return index, met
}

// settle says that no more ids come and that there are this many vertices, at least as many as ids met.
func (c *compaction) settle(vertices uint64) {
	if c.silent = vertices - uint64(len(c.ids)); c.silent > 0 {
		c.sorted = slices.Sorted(slices.Values(c.ids))
	}
}

func (c *compaction) vertices() uint64 { return uint64(len(c.ids)) + c.silent }

func (c *compaction) index(id uint64) (uint64, bool) {
	if index, met := c.met(id); met {
		return index, true
	}
	below, _ := slices.BinarySearch(c.sorted, id)
	gap := id - uint64(below) // how many ids below this one were not met
	return uint64(len(c.ids)) + gap, gap < c.silent
}

// id inverts index. Among sorted ids, sorted[p]-p of the ids below sorted[p] were not met, and that never falls with p;
// so the gap-th id that was not met has exactly those p ids met below it for which sorted[p]-p <= gap.
func (c *compaction) id(index uint64) uint64 {
	if index < uint64(len(c.ids)) {
		return c.ids[index]
	}
	gap := index - uint64(len(c.ids))
	low, high := 0, len(c.sorted)
	for low < high {
		if p := (low + high) / 2; c.sorted[p]-uint64(p) <= gap {
			low = p + 1
		} else {
			high = p
		}
	}
	return gap + uint64(low)
}
