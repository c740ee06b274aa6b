package treadmarks

import (
	"math"
	"math/bits"
	"math/cmplx"
)

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
