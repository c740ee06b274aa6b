package treadmarks

import (
	"math"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/memory/pages"
)

// sor is red-black successive over-relaxation: points are red and black as the fields of a chessboard, and each red
// one is set to the mean of its neighbours, which are black; then each black one. A rank has some rows, and reads
// one row of each neighbour. Points of one colour lie together: row by row, half a row each.
type sor struct {
	*run
	rows
	colours [2]*pages.Slice[float32] // red, on the diagonal, and black

	// Where ranks wait for each other by a lock: how often they have.
	lock *pages.Lock
	met  *pages.Slice[uint64]
}

const (
	sorRows  = 2000
	sorPoint = 800 // picoseconds that a point takes in simulated runs
)

// sorWide is how many points of a colour a row has, with those of the border.
func (c Config) sorWide() int { return c.Size/2 + 1 }

func newSOR(u *run) part { return &sor{run: u, rows: u.rows(sorRows+2, u.config.sorWide())} }

func (s *sor) load() (err error) {
	each := uint64(s.each * s.wide * 4)
	if err := apps.MustFit(s.rank, "treadmarks: the grid", 2*each, "give fewer columns"); err != nil {
		return err
	}
	for i, name := range []string{"red", "black"} {
		s.colours[i] = newSlice[float32](s.run, name, s.distribution(s.rank.Size()))
		lo, hi := s.own()
		s.config.fillColour(s.colours[i].Write(lo, hi), i, lo)
	}
	if s.config.Way != ByLocks {
		return nil
	}
	s.lock = newLock(s.run, "count")
	s.met = newSlice[uint64](s.run, "met", s.atRank0(1))
	return nil
}

// fillColour sets points of a colour, from one on, to what the seed says.
func (c Config) fillColour(points []float32, colour int, from uint64) {
	for i := range points {
		points[i] = float32(number(c.Seed+uint64(colour), from+uint64(i)))
	}
}

func (s *sor) kernel() error {
	for round := range s.config.Rounds {
		for colour := range s.colours {
			if !s.empty() {
				s.sweep(colour)
			}
			if err := s.meet(uint64(2*round + colour + 1)); err != nil {
				return err
			}
		}
		s.tick(round + 1)
	}
	return nil
}

// meet waits until all ranks have come here so many times.
func (s *sor) meet(times uint64) error {
	if s.lock == nil {
		return s.space.Barrier()
	}
	s.lock.Lock()
	s.met.Write(0, 1)[0]++
	s.lock.Unlock()
	for met, all := uint64(0), times*uint64(s.rank.Size()); met < all; {
		s.lock.Lock()
		met = s.met.Read(0, 1)[0]
		s.lock.Unlock()
	}
	return nil
}

// sweep sets the points of a colour in this rank's rows.
func (s *sor) sweep(colour int) {
	first, last := max(s.first, 1), min(s.last, s.n-1)
	if first >= last {
		return
	}
	others := s.colours[1-colour]
	own := others.Read(s.own())
	var above, below []float32
	if s.first > 0 {
		above = others.Read(s.span(s.first-1, s.first))
	}
	if s.last < s.n {
		below = others.Read(s.span(s.last, s.last+1))
	}
	row := func(i int) []float32 {
		switch {
		case i < s.first:
			return above
		case i == s.last:
			return below
		}
		at := (i - s.first) * s.wide
		return own[at : at+s.wide]
	}
	out := s.colours[colour].Write(s.span(first, last))
	for i := first; i < last; i++ {
		relaxColour(out[(i-first)*s.wide:(i-first+1)*s.wide], row(i-1), row(i), row(i+1), (i+colour)%2 == 0)
	}
	s.work((last-first)*(s.wide-1), sorPoint)
}

// relaxColour sets the inner points of one colour of a row to the mean of their neighbours, which have the other
// colour. The point of the border is the first one where the row's first point has this colour, and else the last.
func relaxColour(out, above, row, below []float32, border bool) {
	if border {
		row, out, above, below = row[:len(out)], out[1:], above[1:], below[1:]
	} else {
		out = out[:len(out)-1]
	}
	n := len(out)
	above, below, left, right := above[:n], below[:n], row[:n], row[1:][:n]
	for i := range out {
		out[i] = 0.25 * ((above[i] + below[i]) + (left[i] + right[i]))
	}
}

func (s *sor) judge() error {
	var twin [2][]float32
	points := sorRows * s.config.Size * s.config.Rounds
	err := s.twin(func() { twin = s.config.newColours() }, func() { s.config.runColours(twin) }, points, sorPoint)
	if err != nil {
		return err
	}
	for i, name := range []string{"red", "black"} {
		bits := func(v float32) uint64 { return uint64(math.Float32bits(v)) }
		own := s.colours[i].Read(s.own())
		err := same(s.run, s.rows, own, twin[i], s.wide, bits, "rows of "+name+" points are wrong")
		if err != nil {
			return err
		}
	}
	return nil
}

func (c Config) newColours() (colours [2][]float32) {
	for i := range colours {
		colours[i] = make([]float32, (sorRows+2)*c.sorWide())
		c.fillColour(colours[i], i, 0)
	}
	return colours
}

func (c Config) runColours(colours [2][]float32) {
	w := c.sorWide()
	for range c.Rounds {
		for colour, points := range colours {
			others := colours[1-colour]
			for i := 1; i <= sorRows; i++ {
				at := i * w
				relaxColour(points[at:at+w], others[at-w:at], others[at:at+w], others[at+w:at+2*w], (i+colour)%2 == 0)
			}
		}
	}
}

// SerialSOR is SOR without a job: the red points of the grid with its border, and the black ones, by rows.
func SerialSOR(c Config) (red, black []float32) {
	c = SOR.withDefaults(c)
	colours := c.newColours()
	c.runColours(colours)
	return colours[0], colours[1]
}
