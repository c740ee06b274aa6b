package treadmarks

import (
	"math"
	"math/cmplx"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/memory/pages"
)

// fft transforms a cube of complex numbers and back, again and again. A rank has some planes of the cube z, y, x.
// It transforms their lines in x and y, and puts the lines in y where the ranks that come next find those that they
// need together; then it reads its own planes of the cube x, y, z from there, and transforms the lines in z. Back
// it goes the same way: from x, y, z to z, y, x.
type fft struct {
	*run
	rows
	cube, between, image *pages.Slice[complex128] // z, y, x; by ranks z, x, y; x, y, z
	plan                 [2]*plan                 // there, and back
	lines                []complex128
	pieces               [][]complex128
	forward              []complex128 // this rank's part of the image of the last round
}

// fftPoint is picoseconds that a point takes in simulated runs, of one transform.
const fftPoint = 15000

func newFFT(u *run) part {
	n := u.config.Size
	return &fft{
		run: u, rows: u.rows(n, n*n), plan: newPlans(n), lines: make([]complex128, batch*n),
		pieces: make([][]complex128, u.rank.Size()),
	}
}

func (f *fft) load() (err error) {
	each := uint64(f.each * f.wide * 16)
	if err := apps.MustFit(f.rank, "treadmarks: the cubes", 4*each, "give a shorter side"); err != nil {
		return err
	}
	for _, x := range []struct {
		v    **pages.Slice[complex128]
		name string
	}{{&f.cube, "cube"}, {&f.between, "between"}, {&f.image, "image"}} {
		if *x.v, err = newSlice[complex128](f.run, x.name, f.distribution(f.rank.Size())); err != nil {
			return err
		}
		lo, hi := f.own()
		f.config.fillCube((*x.v).Write(lo, hi), lo)
	}
	lo, hi := f.own()
	f.forward = make([]complex128, hi-lo)
	return nil
}

// fillCube sets points from one on to what the seed says.
func (c Config) fillCube(points []complex128, from uint64) {
	for i := range points {
		at := 2 * (from + uint64(i))
		points[i] = complex(number(c.Seed, at)-0.5, number(c.Seed, at+1)-0.5)
	}
}

func (f *fft) kernel() error {
	for round := range f.config.Rounds {
		if err := f.transform(f.cube, f.image, f.plan[0]); err != nil {
			return err
		}
		if round == f.config.Rounds-1 {
			copy(f.forward, f.image.Read(f.own()))
		}
		if err := f.transform(f.image, f.cube, f.plan[1]); err != nil {
			return err
		}
		f.tick(round + 1)
	}
	return nil
}

// transform transforms a cube, which it changes, into its image.
func (f *fft) transform(cube, image *pages.Slice[complex128], p *plan) error {
	if !f.empty() {
		planes, between := cube.Write(f.own()), f.between.Write(f.own())
		here := f.last - f.first
		for z := range here {
			plane := planes[z*f.wide : (z+1)*f.wide]
			p.alongX(plane, f.lines, func(x int) []complex128 {
				// The lines of a rank's planes in x lie together, and before those of the next rank.
				to := f.of(x / f.each)
				at := (to.first*here + z*(to.last-to.first) + x - to.first) * p.n
				return between[at : at+p.n]
			})
		}
		f.work(here*f.wide, fftPoint*2/3)
	}
	if err := f.space.Barrier(); err != nil {
		return err
	}
	if !f.empty() {
		planes, here := image.Write(f.own()), f.last-f.first
		pieces := f.pieces
		for rank := range pieces {
			if from := f.of(rank); !from.empty() {
				lo, _ := from.own()
				lo += uint64(f.first * (from.last - from.first) * p.n)
				pieces[rank] = f.between.Read(lo, lo+uint64(here*(from.last-from.first)*p.n))
			}
		}
		for x := range here {
			plane := planes[x*f.wide : (x+1)*f.wide]
			for rank, piece := range pieces {
				from := f.of(rank)
				for z := from.first; z < from.last; z++ {
					p.turn(plane, z, piece[((z-from.first)*here+x)*p.n:][:p.n])
				}
			}
			p.all(plane)
		}
		f.work(here*f.wide, fftPoint/3)
	}
	return f.space.Barrier()
}

func (f *fft) judge() error {
	c := f.config
	var twin serialCube
	points := 2 * c.Rounds * c.Size * c.Size * c.Size
	err := f.twin(func() { twin = newSerialCube(c) }, func() { twin.run(c.Rounds) }, points, fftPoint)
	if err != nil {
		return err
	}
	lo, hi := f.own()
	bits := func(v complex128) uint64 { return apps.Fold(math.Float64bits(real(v)), math.Float64bits(imag(v))) }
	err = same(f.run, f.rows, f.forward, twin.forward, f.wide, bits, "planes of the image are wrong")
	if err != nil {
		return err
	}
	before, wrong := make([]complex128, hi-lo), uint64(0)
	c.fillCube(before, lo)
	for i, v := range f.cube.Read(lo, hi) {
		if cmplx.Abs(v-before[i]) > 1e-12*float64(c.Rounds+8) {
			wrong++
		}
	}
	return f.result.Found(f.rank, wrong, "points of the cube are not what they were before")
}

// serialCube is the serial twin: the same in one piece.
type serialCube struct {
	cube, between, image, lines, forward []complex128
	plan                                 [2]*plan
}

func newSerialCube(c Config) serialCube {
	n := c.Size
	cube := func() []complex128 {
		points := make([]complex128, n*n*n)
		c.fillCube(points, 0)
		return points
	}
	return serialCube{cube(), cube(), cube(), make([]complex128, batch*n), cube(), newPlans(n)}
}

func (s *serialCube) run(rounds int) {
	for round := range rounds {
		s.transform(s.cube, s.image, s.plan[0])
		if round == rounds-1 {
			copy(s.forward, s.image)
		}
		s.transform(s.image, s.cube, s.plan[1])
	}
}

func (s *serialCube) transform(cube, image []complex128, p *plan) {
	wide := p.n * p.n
	for z := range p.n {
		p.alongX(cube[z*wide:(z+1)*wide], s.lines, func(x int) []complex128 { return s.between[(z*p.n+x)*p.n:][:p.n] })
	}
	for x := range p.n {
		plane := image[x*wide : (x+1)*wide]
		for z := range p.n {
			p.turn(plane, z, s.between[(z*p.n+x)*p.n:][:p.n])
		}
		p.all(plane)
	}
}

// SerialFFT is FFT without a job: the image of the last round, by x, y and z, and the cube after it, by z, y and x.
func SerialFFT(c Config) (image, cube []complex128) {
	c = FFT.withDefaults(c)
	s := newSerialCube(c)
	s.run(c.Rounds)
	return s.forward, s.cube
}
