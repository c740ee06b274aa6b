package gravity

import "math"

// Criterion selects the cells that are far enough away for their moments.
type Criterion struct {
	// Theta is the opening angle: smaller is more exact. A cell is opened if a sphere around its centre of mass, with a
	// radius of 2/√3/Theta times its own, touches the bucket's box (the criterion of PKDGRAV and ChaNGa), or if
	// softening may reach from one to the other.
	Theta float64
	Order int // of the moments
}

// Counts are numbers of interactions.
type Counts struct {
	Cells     uint64 // of particles with cells
	Particles uint64 // of particles with particles
	Hits      uint64 // cells of other processes that were opened and present
}

// Walk computes the forces on some particles of a bucket. It can stop where a branch must be requested, and continue
// later. Its memory is reused for other buckets.
type Walk struct {
	Bucket int
	box    Box
	soft   float64
	theta  float64 // 2/√3/Theta
	order  int
	own    []Source // the bucket's sources, in place
	at     []Source // particles whose forces are computed
	self   []int    // their numbers in the bucket
	Forces []Force  // their forces
	Counts Counts
	stack  []*Cell
}

// Begin begins a walk from a tree's root for the particles of a bucket. sources are all sources of its rank; active
// selects the particles by number among them. It reports whether it selects any.
func (w *Walk) Begin(root *Cell, by Criterion, b *Bucket, sources []Source, active func(i int) bool) bool {
	w.box, w.soft, w.theta, w.order = b.Box, b.Soft, 2/math.Sqrt(3)/by.Theta, by.Order
	w.own = sources[b.From:b.To]
	w.at, w.self, w.Forces, w.Counts = w.at[:0], w.self[:0], w.Forces[:0], Counts{}
	for i := range w.own {
		if active(b.From + i) {
			w.at, w.self, w.Forces = append(w.at, w.own[i]), append(w.self, i), append(w.Forces, Force{})
		}
	}
	w.stack = append(w.stack[:0], root)
	return len(w.at) > 0
}

// Active returns the number in the bucket of each particle with a force.
func (w *Walk) Active() []int { return w.self }

// Go walks to the end, and returns nil; or it stops and returns a cell whose branch must be requested. The next call,
// after the branch is attached, continues there.
func (w *Walk) Go() (missing *Cell) {
	for len(w.stack) > 0 {
		c := w.stack[len(w.stack)-1]
		if w.accepts(c) {
			w.stack = w.stack[:len(w.stack)-1]
			w.cell(c)
			continue
		}
		b := c.Below()
		if b == nil {
			return c
		}
		if c.Remote {
			w.Counts.Hits++
		}
		w.stack = w.stack[:len(w.stack)-1]
		if c.Leaf {
			w.particles(b.Sources)
			continue
		}
		for i := len(b.Cells) - 1; i >= 0; i-- {
			w.stack = append(w.stack, &b.Cells[i])
		}
	}
	return nil
}

func (w *Walk) accepts(c *Cell) bool {
	far := max(c.Radius*w.theta, c.Radius+c.Soft+w.soft)
	return w.box.Distance2(&c.Center) > far*far
}

func (w *Walk) cell(c *Cell) {
	order := w.order
	if c.Radius == 0 {
		order = 1 // all its particles are at one place
	}
	for i := range w.at {
		c.attract(&w.at[i].Pos, &w.Forces[i], order)
	}
	w.Counts.Cells += uint64(len(w.at))
}

func (w *Walk) particles(sources []Source) {
	if len(sources) == 0 {
		return // an answer was wrong, which is reported elsewhere
	}
	if &sources[0] == &w.own[0] {
		for i, self := range w.self {
			f := &w.Forces[i]
			f.attract(&w.at[i].Pos, w.at[i].Soft, sources[:self])
			f.attract(&w.at[i].Pos, w.at[i].Soft, sources[self+1:])
		}
		w.Counts.Particles += uint64(len(w.at) * (len(sources) - 1))
		return
	}
	for i := range w.at {
		w.Forces[i].attract(&w.at[i].Pos, w.at[i].Soft, sources)
	}
	w.Counts.Particles += uint64(len(w.at) * len(sources))
}

// Add adds other counts.
func (c *Counts) Add(o Counts) {
	c.Cells += o.Cells
	c.Particles += o.Particles
	c.Hits += o.Hits
}
