package treadmarks

import (
	"fmt"
	"math"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/memory"
	"github.com/activepebbles/pebbles/memory/pages"
	"github.com/activepebbles/pebbles/pebble"
)

// jacobi repeatedly sets each point of a grid to the mean of its four neighbours, from one grid into another, and back.
// The border is constant. A rank owns some rows, and reads one row of each neighbour.
type jacobi struct {
	*run
	rows
	halos
}

// halos are the two grids, and the access to the rows next to a rank's own.
type halos interface {
	// load makes the grids, and returns this rank's rows of them.
	load() (own [2][]float64, err error)
	// round calls set for the rows of the other grid, with this rank's rows of grid from and those above and below.
	round(from int, set func(out, own, above, below []float64)) error
	// mine returns this rank's rows of a grid, to read.
	mine(grid int) []float64
}

// jacobiPoint is the time of a point in simulated runs, in picoseconds.
const jacobiPoint = 1200

func newJacobi(u *run) part {
	j := &jacobi{run: u, rows: u.rows(u.config.Size+2, u.config.Size+2)}
	if u.config.Way == ByArray {
		j.halos = &arrayHalos{jacobi: j}
	} else {
		j.halos = &pageHalos{jacobi: j}
	}
	return j
}

func (j *jacobi) load() error {
	each := uint64(j.each * j.wide * 8)
	if err := apps.MustFit(j.rank, "treadmarks: the grids", 2*each, "give fewer rows"); err != nil {
		return err
	}
	grids, err := j.halos.load()
	if err != nil {
		return err
	}
	lo, _ := j.own()
	for _, own := range grids {
		j.config.fillGrid(own, lo)
	}
	return nil
}

// fillGrid sets points, from the given one on, to values that depend on the seed.
func (c Config) fillGrid(points []float64, from uint64) {
	for i := range points {
		points[i] = number(c.Seed, from+uint64(i))
	}
}

func (j *jacobi) kernel() error {
	for round := range j.config.Rounds {
		if err := j.round(round%2, j.sweep); err != nil {
			return err
		}
		j.tick(round + 1)
	}
	return nil
}

// sweep sets this rank's rows of a grid.
func (j *jacobi) sweep(out, own, above, below []float64) {
	row := func(i int) []float64 {
		switch {
		case i < j.first:
			return above
		case i == j.last:
			return below
		}
		at := (i - j.first) * j.wide
		return own[at : at+j.wide]
	}
	first, last := max(j.first, 1), min(j.last, j.n-1)
	for i := first; i < last; i++ {
		at := (i - j.first) * j.wide
		relax(out[at:at+j.wide], row(i-1), row(i), row(i+1), 0.25)
	}
	j.work(max(0, last-first)*(j.wide-2), jacobiPoint)
}

// pageHalos are two grids of pages.
type pageHalos struct {
	*jacobi
	grids [2]*pages.Slice[float64]
}

func (h *pageHalos) load() (own [2][]float64, err error) {
	for i, name := range []string{"even", "odd"} {
		h.grids[i] = newSlice[float64](h.run, name, h.distribution(h.rank.Size()))
		own[i] = h.grids[i].Write(h.own())
	}
	return own, nil
}

func (h *pageHalos) mine(grid int) []float64 { return h.grids[grid].Read(h.own()) }

func (h *pageHalos) round(from int, set func(out, own, above, below []float64)) error {
	if !h.empty() {
		own := h.mine(from)
		var above, below []float64
		if h.first > 0 {
			above = h.grids[from].Read(h.span(h.first-1, h.first))
		}
		if h.last < h.n {
			below = h.grids[from].Read(h.span(h.last, h.last+1))
		}
		set(h.grids[1-from].Write(h.own()), own, above, below)
	}
	return h.space.Barrier()
}

// arrayHalos are two arrays, and buffers for the two rows.
type arrayHalos struct {
	*jacobi
	grids        [2]*memory.Array[float64]
	above, below []float64
}

func (h *arrayHalos) load() (own [2][]float64, err error) {
	for i, name := range []string{"even", "odd"} {
		a := memory.NewArray[float64](h.memory, name, h.distribution(h.rank.Size()))
		h.grids[i] = freed(h.run, a)
		own[i] = a.Local()
	}
	h.above, h.below = make([]float64, h.wide), make([]float64, h.wide)
	return own, nil
}

func (h *arrayHalos) mine(grid int) []float64 { return h.grids[grid].Local() }

func (h *arrayHalos) round(from int, set func(out, own, above, below []float64)) error {
	return h.rank.Epoch(func() error {
		if h.empty() {
			return nil
		}
		if h.first > 0 {
			lo, _ := h.span(h.first-1, h.first)
			h.grids[from].GetRange(lo, h.above)
		}
		if h.last < h.n {
			lo, _ := h.span(h.last, h.last+1)
			h.grids[from].GetRange(lo, h.below)
		}
		set(h.grids[1-from].Local(), h.mine(from), h.above, h.below)
		return nil
	})
}

// relax sets the inner points of a row to the mean of their neighbours. It reads each point of the row once. The loop
// is unrolled by four, which saves a fifth of its time. quarter is 0.25: as a parameter it stays in a register.
func relax(out, above, row, below []float64, quarter float64) {
	n := len(out) - 2
	out, above, below, right := out[1:][:n], above[1:][:n], below[1:][:n], row[2:][:n]
	left, point := row[0], row[1]
	i := 0
	for ; i < n-3; i += 4 {
		r0, r1, r2, r3 := right[i], right[i+1], right[i+2], right[i+3]
		out[i] = quarter * ((above[i] + below[i]) + (left + r0))
		out[i+1] = quarter * ((above[i+1] + below[i+1]) + (point + r1))
		out[i+2] = quarter * ((above[i+2] + below[i+2]) + (r0 + r2))
		out[i+3] = quarter * ((above[i+3] + below[i+3]) + (r1 + r3))
		left, point = r2, r3
	}
	for ; i < n; i++ {
		out[i] = quarter * ((above[i] + below[i]) + (left + right[i]))
		left, point = point, right[i]
	}
}

func (j *jacobi) judge() error {
	var twin serialGrid
	points := j.config.Size * j.config.Size * j.config.Rounds
	err := j.twin(func() { twin = newSerialGrid(j.config) }, func() { twin.run(j.config) }, points, jacobiPoint)
	if err != nil {
		return err
	}
	own := j.mine(j.config.Rounds % 2)
	sum := uint64(0)
	for i, v := range own {
		sum += apps.Fold(math.Float64bits(v), uint64(j.first*j.wide+i))
	}
	if sum, err = pebble.AllReduce(j.rank, sum, func(a, b uint64) uint64 { return a + b }); err != nil {
		return err
	}
	j.result.Checksum = fmt.Sprintf("%016x", sum)
	return same(j.run, j.rows, own, twin.from, j.wide, math.Float64bits, "rows of the grid are wrong")
}

// serialGrid is the serial twin.
type serialGrid struct{ from, to []float64 }

func newSerialGrid(c Config) serialGrid {
	n := (c.Size + 2) * (c.Size + 2)
	g := serialGrid{make([]float64, n), make([]float64, n)}
	c.fillGrid(g.from, 0)
	copy(g.to, g.from)
	return g
}

func (g *serialGrid) run(c Config) {
	w := c.Size + 2
	for range c.Rounds {
		for at := w; at < len(g.to)-w; at += w {
			above, row, below, to := g.from[at-w:at], g.from[at:at+w], g.from[at+w:at+2*w], g.to[at:at+w]
			for i := 1; i < w-1; i++ {
				to[i] = 0.25 * ((above[i] + below[i]) + (row[i-1] + row[i+1]))
			}
		}
		g.from, g.to = g.to, g.from
	}
}

// SerialJacobi is Jacobi without a job. It returns the grid with its border, by rows. c must pass Check.
func SerialJacobi(c Config) []float64 {
	c = Jacobi.withDefaults(c)
	g := newSerialGrid(c)
	g.run(c)
	return g.from
}
