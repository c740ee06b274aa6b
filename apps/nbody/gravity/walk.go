package gravity

import "math"

// Criterion says which cells are far enough away for their moments.
type Criterion struct {
	// Theta is the opening angle: smaller is more exact. A cell is opened if a sphere about its centre of mass,
	// 2/√3/Theta times as large as that which holds its particles, touches the bucket's box (PKDGRAV's and ChaNGa's
	// criterion), or if softening may reach from one to the other.
	Theta float64
	Order int // of the moments
}

// Counts are interactions.
type Counts struct {
	Cells     uint64 // of particles with cells
	Particles uint64 // of particles with particles
	Hits      uint64 // cells of other processes that were opened, and that were there
}

// Walk finds the forces on some particles of a bucket. It may be stopped, and go on later, where something has to be
// asked for. Its memory serves other buckets afterwards.
type Walk struct {
	Bucket int
	box    Box
	soft   float64
	theta  float64 // 2/√3/Theta
	order  int
	own    []Source // of the bucket, where they are
	at     []Source // on which the forces are
	self   []int    // number of each in the bucket
	Forces []Force  // on each
	Counts Counts
	stack  []*Cell
}

// Begin begins a walk from a tree's root for the particles of a bucket, given all sources of its rank, that active
// says, by number among the sources. It reports whether there are any.
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

// Active is the number in the bucket of each particle that has a force.
func (w *Walk) Active() []int { return w.self }

// Go walks until the end, and returns nil, or to a cell of which something has to be asked for: it goes on there when
// called again after that is attached.
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
		order = 1 // all its particles are in one place
	}
	for i := range w.at {
		c.attract(&w.at[i].Pos, &w.Forces[i], order)
	}
	w.Counts.Cells += uint64(len(w.at))
}

func (w *Walk) particles(sources []Source) {
	if len(sources) == 0 {
		return // an answer went wrong, which is told elsewhere
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

// Add adds others up.
func (c *Counts) Add(o Counts) {
	c.Cells += o.Cells
	c.Particles += o.Particles
	c.Hits += o.Hits
}
