package gravity

import (
	"math"
	"slices"
	"sync/atomic"
)

// Summary is the information about a cell's particles that its parent needs. It is plain data.
type Summary struct {
	Cell   ID
	Count  uint64 // number of particles
	sums   raw    // relative to Center
	Center Vector // of mass
	Box    Box
	Soft   float64 // largest softening
	Owner  int32   // rank that owns the particles; below 0 in cells above those
}

// Node is the information about a distant cell that a walk needs. It is plain data.
type Node struct {
	ID     ID
	Count  uint32 // number of particles
	Leaf   bool   // its particles are a bucket
	Remote bool   // the branch below it must be requested
	Owner  int32  // rank that owns the particles; below 0 in cells above those
	Soft   float64
	// Radius is the radius of the sphere around the centre of mass that contains the particles.
	Radius float64
	Moments
}

// Cell is a cell of a tree with particles in its cube. It does not change once walks have begun, except that branches
// of other processes are attached.
type Cell struct {
	Node
	below atomic.Pointer[Branch]
}

// Branch is the part of a tree below a cell: its child cells with particles, in order; or the particles of a bucket.
type Branch struct {
	Cells   []Cell
	Sources []Source
}

// Below returns the branch below a cell, or nil if it must be requested.
func (c *Cell) Below() *Branch { return c.below.Load() }

// Attach stores a requested branch below a cell. It may be called during walks.
func (c *Cell) Attach(b *Branch) { c.below.Store(b) }

// set fills in the cell from a summary.
func (c *Cell) set(s *Summary, leaf bool) {
	c.ID, c.Count, c.Leaf, c.Owner, c.Soft = s.Cell, uint32(s.Count), leaf, s.Owner, s.Soft
	c.Radius = math.Sqrt(s.Box.farthest2(&s.Center))
	c.Moments = s.sums.traceless(s.Center)
}

// Bucket is a leaf of a rank's own particles. A walk computes their forces together.
type Bucket struct {
	From, To int // range of particles
	Box      Box
	Soft     float64
}

// Builder builds the trees of one rank's particles.
type Builder struct {
	Keys    []uint64 // of the particles, ascending
	Sources []Source // in the same order; the trees keep them
	Most    int      // limit of particles in a bucket, except in cells that cannot be divided
	Owner   int32    // the rank
	Buckets []Bucket // of all trees built, in the order of the curve
}

// Build builds the tree of the particles in a cell of the curve into at. The cell must have particles.
func (g *Builder) Build(id ID, at *Cell) Summary {
	from, _ := slices.BinarySearch(g.Keys, id.First())
	to, _ := slices.BinarySearch(g.Keys, id.Last()+1) // keys have 63 bits
	return g.build(id, from, to, at)
}

func (g *Builder) build(id ID, from, to int, at *Cell) Summary {
	level := id.Level()
	if to-from <= g.Most || level == LevelMost {
		s := summarize(id, g.Sources[from:to])
		s.Owner = g.Owner
		at.set(&s, true)
		at.Attach(&Branch{Sources: g.Sources[from:to:to]})
		g.Buckets = append(g.Buckets, Bucket{from, to, s.Box, s.Soft})
		return s
	}
	var ends [9]int
	ends[0] = from
	parts := 0
	for i := range 8 {
		end := ends[i]
		if i == 7 {
			end = to
		} else {
			n, _ := slices.BinarySearch(g.Keys[end:to], id.Child(i+1).First())
			end += n
		}
		if ends[i+1] = end; end > ends[i] {
			parts++
		}
	}
	cells, summaries := make([]Cell, parts), make([]Summary, 0, 8)
	for i := range 8 {
		if ends[i+1] > ends[i] {
			summaries = append(summaries, g.build(id.Child(i), ends[i], ends[i+1], &cells[len(summaries)]))
		}
	}
	return at.join(id, cells, summaries, g.Owner)
}

// join makes a cell from its child cells.
func (c *Cell) join(id ID, cells []Cell, summaries []Summary, owner int32) Summary {
	s := merge(id, summaries)
	s.Owner = owner
	c.set(&s, false)
	c.Attach(&Branch{Cells: cells})
	return s
}

// summarize returns the summary of particles.
func summarize(id ID, sources []Source) Summary {
	s := Summary{Cell: id, Count: uint64(len(sources)), Box: Around(sources[0].Pos)}
	mass := 0.0
	for i := range sources {
		p := &sources[i]
		mass += p.Mass
		s.Center = s.Center.Plus(p.Mass, p.Pos)
		s.Box = s.Box.With(Around(p.Pos))
		s.Soft = max(s.Soft, p.Soft)
	}
	s.center(mass)
	for i := range sources {
		s.sums.add(sources[i].Mass, sources[i].Pos.Plus(-1, s.Center))
	}
	return s
}

// merge returns the summary of cells.
func merge(id ID, parts []Summary) Summary {
	s := Summary{Cell: id, Box: parts[0].Box}
	mass := 0.0
	for i := range parts {
		p := &parts[i]
		s.Count += p.Count
		mass += p.sums[0]
		s.Center = s.Center.Plus(p.sums[0], p.Center)
		s.Box = s.Box.With(p.Box)
		s.Soft = max(s.Soft, p.Soft)
	}
	s.center(mass)
	for i := range parts {
		s.sums.join(&parts[i].sums, parts[i].Center.Plus(-1, s.Center))
	}
	return s
}

// center computes the centre of mass from the sum of masses times positions. Without mass, it is the middle of the box.
func (s *Summary) center(mass float64) {
	if mass > 0 {
		s.Center = Vector{}.Plus(1/mass, s.Center)
		return
	}
	s.Center = Vector{}.Plus(0.5, s.Box.Low).Plus(0.5, s.Box.High)
}

// Top builds the top of a tree over its pieces: disjoint cells that together contain all particles, in the order of the
// curve. place puts a piece, by number, into the given cell: with the branch below it, or without if it has to be
// requested.
func Top(pieces []Summary, place func(piece int, at *Cell)) *Cell {
	root := new(Cell)
	top(Root, pieces, 0, place, root)
	return root
}

func top(id ID, pieces []Summary, first int, place func(piece int, at *Cell), at *Cell) Summary {
	if len(pieces) == 1 && pieces[0].Cell == id {
		place(first, at)
		return pieces[0]
	}
	var ranges [][2]int
	for from := 0; from < len(pieces); {
		child, to := pieces[from].Cell.under(id), from+1
		for to < len(pieces) && child.Holds(pieces[to].Cell) {
			to++
		}
		ranges = append(ranges, [2]int{from, to})
		from = to
	}
	cells, summaries := make([]Cell, len(ranges)), make([]Summary, len(ranges))
	for i, r := range ranges {
		some := pieces[r[0]:r[1]]
		summaries[i] = top(some[0].Cell.under(id), some, first+r[0], place, &cells[i])
	}
	return at.join(id, cells, summaries, -1)
}

// under returns the child of above that contains this cell.
func (c ID) under(above ID) ID { return c >> (3 * (c.Level() - above.Level() - 1)) }

// Alias makes the cell equal to another one, with the branch below it.
func (c *Cell) Alias(o *Cell) {
	c.Node = o.Node
	c.Attach(o.Below())
}

// SetRemote fills in a cell of another process; most is the limit of particles in a bucket.
func (c *Cell) SetRemote(s *Summary, most int) {
	c.set(s, s.Count <= uint64(most) || s.Cell.Level() == LevelMost)
	c.Remote = true
}

// Find returns the cell with an ID at or below this one, or nil if it is not present.
func (c *Cell) Find(id ID) *Cell {
	for c != nil && c.ID != id {
		b := c.Below()
		if b == nil || !c.ID.Holds(id) {
			return nil
		}
		cells := b.Cells
		c = nil
		for i := range cells {
			if cells[i].ID.Holds(id) {
				c = &cells[i]
				break
			}
		}
	}
	return c
}
