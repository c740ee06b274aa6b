package treadmarks

import (
	"math"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/memory/pages"
)

// jacobi sets each point of a grid to the mean of its four neighbours, again and again: from one grid into another,
// and back. The border stays. A rank has some rows, and reads one row of each neighbour.
type jacobi struct {
	*run
	rows
	grids [2]*pages.Slice[float64]
}

// jacobiPoint is picoseconds that a point takes in simulated runs.
const jacobiPoint = 1200

func newJacobi(u *run) part { return &jacobi{run: u, rows: u.rows(u.config.Size+2, u.config.Size+2)} }

func (j *jacobi) load() (err error) {
	each := uint64(j.each * j.wide * 8)
	if err := apps.MustFit(j.rank, "treadmarks: the grids", 2*each, "give fewer rows"); err != nil {
		return err
	}
	for i, name := range []string{"even", "odd"} {
		if j.grids[i], err = newSlice[float64](j.run, name, j.distribution(j.rank.Size())); err != nil {
			return err
		}
		lo, hi := j.own()
		j.config.fillGrid(j.grids[i].Write(lo, hi), lo)
	}
	return nil
}

// fillGrid sets points from one on to what the seed says.
func (c Config) fillGrid(points []float64, from uint64) {
	for i := range points {
		points[i] = number(c.Seed, from+uint64(i))
	}
}

func (j *jacobi) kernel() error {
	for round := range j.config.Rounds {
		if !j.empty() {
			j.sweep(j.grids[round%2], j.grids[1-round%2])
		}
		if err := j.space.Barrier(); err != nil {
			return err
		}
		j.tick(round + 1)
	}
	return nil
}

// sweep sets this rank's rows of a grid.
func (j *jacobi) sweep(from, to *pages.Slice[float64]) {
	own := from.Read(j.own())
	var above, below []float64
	if j.first > 0 {
		above = from.Read(j.span(j.first-1, j.first))
	}
	if j.last < j.n {
		below = from.Read(j.span(j.last, j.last+1))
	}
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
	if first >= last {
		return
	}
	out := to.Write(j.span(first, last))
	for i := first; i < last; i++ {
		relax(out[(i-first)*j.wide:(i-first+1)*j.wide], row(i-1), row(i), row(i+1))
	}
	j.work((last-first)*(j.wide-2), jacobiPoint)
}

// relax sets the inner points of a row to the mean of their neighbours.
func relax(out, above, row, below []float64) {
	n := len(out)
	above, row, below = above[:n], row[:n], below[:n]
	for i := 1; i < n-1; i++ {
		out[i] = 0.25 * ((above[i] + below[i]) + (row[i-1] + row[i+1]))
	}
}

func (j *jacobi) judge() error {
	var twin serialGrid
	points := j.config.Size * j.config.Size * j.config.Rounds
	err := j.twin(func() { twin = newSerialGrid(j.config) }, func() { twin.run(j.config) }, points, jacobiPoint)
	if err != nil {
		return err
	}
	own := j.grids[j.config.Rounds%2].Read(j.own())
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
			relax(g.to[at:at+w], g.from[at-w:at], g.from[at:at+w], g.from[at+w:at+2*w])
		}
		g.from, g.to = g.to, g.from
	}
}

// SerialJacobi is Jacobi without a job: the grid with its border, by rows. The configuration must pass Check, here
// and below.
func SerialJacobi(c Config) []float64 {
	c = Jacobi.withDefaults(c)
	g := newSerialGrid(c)
	g.run(c)
	return g.from
}
