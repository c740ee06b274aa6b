package gravity

import (
	"math"
	"slices"
	"sync/atomic"
)

// Summary is what a cell's parent has to know of the particles in the cell. It is plain data.
type Summary struct {
	Cell   ID
	Count  uint64 // particles
	sums   raw    // about Center
	Center Vector // of mass
	Box    Box
	Soft   float64 // the largest softening
	Owner  int32   // rank whose particles these are; below 0 above those
}

// Node is what a walk has to know of a cell that is far enough away. It is plain data.
type Node struct {
	ID     ID
	Count  uint32 // particles
	Leaf   bool   // its particles are a bucket
	Remote bool   // what is below it is asked for
	Owner  int32  // rank whose particles these are; below 0 above those
	Soft   float64
	// Radius is that of the sphere about the centre of mass that holds the particles.
	Radius float64
	Moments
}

// Cell is one of a tree whose cube has particles there. It is not changed once walks have begun, but for what is below
// one that another process has.
type Cell struct {
	Node
	below atomic.Pointer[Branch]
}

// Branch is what is below a cell: the cells that it is divided into, those without particles left out, in the order
// of the curve; or the particles of a bucket.
type Branch struct {
	Cells   []Cell
	Sources []Source
}

// Below is what is below a cell, or nil if this has to be asked for.
func (c *Cell) Below() *Branch { return c.below.Load() }

// Attach puts below a cell what was asked for. It may be called while others walk.
func (c *Cell) Attach(b *Branch) { c.below.Store(b) }

// set fills in what a summary says.
func (c *Cell) set(s *Summary, leaf bool) {
	c.ID, c.Count, c.Leaf, c.Owner, c.Soft = s.Cell, uint32(s.Count), leaf, s.Owner, s.Soft
	c.Radius = math.Sqrt(s.Box.farthest2(&s.Center))
	c.Moments = s.sums.traceless(s.Center)
}

// Bucket is a leaf whose particles a rank has, for which a walk finds the forces together.
type Bucket struct {
	From, To int // particles
	Box      Box
	Soft     float64
}

// Builder builds the trees of one rank's particles.
type Builder struct {
	Keys    []uint64 // of the particles, ascending
	Sources []Source // in the same order; the trees keep them
	Most    int      // particles that a bucket holds, but for cells that can't be divided
	Owner   int32    // the rank
	Buckets []Bucket // of all trees that were built, in the order of the curve
}

// Build builds the tree of the particles in a cell of the curve into at. There must be some.
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

// join makes a cell of those that it is divided into.
func (c *Cell) join(id ID, cells []Cell, summaries []Summary, owner int32) Summary {
	s := merge(id, summaries)
	s.Owner = owner
	c.set(&s, false)
	c.Attach(&Branch{Cells: cells})
	return s
}

// summarize adds particles up.
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

// merge adds cells up.
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

// center makes a centre of mass of a sum of masses times places. What has no mass has it in the middle.
func (s *Summary) center(mass float64) {
	if mass > 0 {
		s.Center = Vector{}.Plus(1/mass, s.Center)
		return
	}
	s.Center = Vector{}.Plus(0.5, s.Box.Low).Plus(0.5, s.Box.High)
}

// Top builds the top of a tree over its pieces: cells that together have all particles, none within another, in the
// order of the curve. place puts the piece with a number into the cell that is given: with what is below it, or
// without if that is to be asked for.
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

// under is the child of a cell above that has this one.
func (c ID) under(above ID) ID { return c >> (3 * (c.Level() - above.Level() - 1)) }

// Alias makes the cell the same as another one, with what is below that.
func (c *Cell) Alias(o *Cell) {
	c.Node = o.Node
	c.Attach(o.Below())
}

// SetRemote fills in a cell that another process has, where a bucket holds at most so many particles.
func (c *Cell) SetRemote(s *Summary, most int) {
	c.set(s, s.Count <= uint64(most) || s.Cell.Level() == LevelMost)
	c.Remote = true
}

// Find is the cell with a name at or below this one, or nil if it is not there.
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
