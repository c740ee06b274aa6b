package treadmarks

import (
	"math"
	"math/bits"
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
		*x.v = newSlice[complex128](f.run, x.name, f.distribution(f.rank.Size()))
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

// plan is how lines of n numbers are transformed, in one direction.
type plan struct {
	n     int
	back  bool
	swap  [][2]uint8   // for the order of reversed bits
	turns []complex128 // the roots of unity of each stage, after those of the one before
}

// batch is how many lines that are not in one piece are transformed at once: as many numbers as a few lines of a
// cache hold.
const batch = 8

// newPlans are the plans there and back. n is a power of two from 4 to 256.
func newPlans(n int) [2]*plan { return [2]*plan{newPlan(n, false), newPlan(n, true)} }

func newPlan(n int, back bool) *plan {
	p := &plan{n: n, back: back}
	shift := 64 - bits.TrailingZeros(uint(n))
	for i := range n {
		if j := int(bits.Reverse64(uint64(i)) >> shift); i < j {
			p.swap = append(p.swap, [2]uint8{uint8(i), uint8(j)})
		}
	}
	sign := -1.0
	if back {
		sign = 1
	}
	for half := 4; half < n; half *= 2 {
		for i := range half {
			p.turns = append(p.turns, cmplx.Rect(1, sign*math.Pi*float64(i)/float64(half)))
		}
	}
	return p
}

// line transforms a line in place; back, a line of n times its numbers comes out.
func (p *plan) line(a []complex128) {
	a = a[:p.n]
	for _, s := range p.swap {
		i, j := int(s[0]), int(s[1])
		a[i], a[j] = a[j], a[i]
	}
	for i := 0; i+3 < len(a); i += 4 { // the first two stages
		v := a[i : i+4 : i+4]
		s, t, u, w := v[0]+v[1], v[0]-v[1], v[2]+v[3], v[2]-v[3]
		if p.back {
			w = complex(-imag(w), real(w))
		} else {
			w = complex(imag(w), -real(w))
		}
		v[0], v[1], v[2], v[3] = s+u, t+w, s-u, t-w
	}
	turns := p.turns
	for half := 4; half < len(a); half *= 2 {
		turn := turns[:half]
		for i := 0; i < len(a); i += 2 * half {
			low, high := a[i : i+half][:len(turn)], a[i+half : i+2*half][:len(turn)]
			for k, w := range turn {
				x, y := low[k], w*high[k]
				low[k], high[k] = x+y, x-y
			}
		}
		turns = turns[half:]
	}
}

// all transforms all lines of planes, and has back what comes out be what was before.
func (p *plan) all(planes []complex128) {
	scale := 1 / float64(p.n*p.n*p.n)
	for at := 0; at < len(planes); at += p.n {
		line := planes[at : at+p.n]
		p.line(line)
		if p.back {
			for i, v := range line {
				line[i] = complex(real(v)*scale, imag(v)*scale)
			}
		}
	}
}

// alongX transforms the lines of a plane in x, which lie in one piece, in place, and then those in y, which it puts
// where to says: one for each x. lines is room for batch lines.
func (p *plan) alongX(plane, lines []complex128, to func(x int) []complex128) {
	n := p.n
	for at := 0; at < len(plane); at += n {
		p.line(plane[at : at+n])
	}
	for x := 0; x < n; x += batch {
		for y := range n {
			for k, v := range plane[y*n+x : y*n+x+batch] {
				lines[k*n+y] = v
			}
		}
		for k := range batch {
			line := lines[k*n : (k+1)*n]
			p.line(line)
			copy(to(x+k), line)
		}
	}
}

// turn puts a line in y into a plane y, z, at one z.
func (p *plan) turn(plane []complex128, z int, line []complex128) {
	for y, v := range line {
		plane[y*p.n+z] = v
	}
}
