// Package gravity is what the N-body application computes on one rank, without messages: moments of particles up to
// hexadecapoles, softened forces, keys along Hilbert's curve, octrees, and Barnes-Hut walks over them (ChaNGa: TRAM,
// section VI A). The constant of gravity is 1; lengths, masses and times are in the units that follow from it.
//
// A tree is cut by cells of the curve alone: a cell is divided when it has more particles than a bucket holds. So the
// parts of one tree may be built by whoever has their particles, and together they are the tree that one would have
// built who has them all, bit by bit. A walk looks at cells in the order of the curve, wherever they come from, and
// adds forces up in that order.
package gravity

import "math"

// Vector has the components x, y and z.
type Vector [3]float64

// Plus is v + f w.
func (v Vector) Plus(f float64, w Vector) Vector {
	return Vector{v[0] + f*w[0], v[1] + f*w[1], v[2] + f*w[2]}
}

// Dot is the scalar product.
func (v Vector) Dot(w Vector) float64 { return v[0]*w[0] + v[1]*w[1] + v[2]*w[2] }

// Cross is the vector product.
func (v Vector) Cross(w Vector) Vector {
	return Vector{v[1]*w[2] - v[2]*w[1], v[2]*w[0] - v[0]*w[2], v[0]*w[1] - v[1]*w[0]}
}

// Particle is a body of a system.
type Particle struct {
	Pos, Vel Vector
	Mass     float64
	Soft     float64 // softening length; the force between two is Newton's from the sum of theirs on
}

// Source is what a particle attracts by. It has 40 bytes.
type Source struct {
	Pos  Vector
	Mass float64
	Soft float64
}

// Force is what particles do to one: its acceleration and its potential, which is negative.
type Force struct {
	Acc Vector
	Phi float64
}

// Box is the least one, along the axes, that holds some particles.
type Box struct{ Low, High Vector }

// Around is the box of one place.
func Around(p Vector) Box { return Box{p, p} }

// With is the box of two.
func (b Box) With(o Box) Box {
	for i := range b.Low {
		b.Low[i], b.High[i] = min(b.Low[i], o.Low[i]), max(b.High[i], o.High[i])
	}
	return b
}

// Distance2 is the square of the distance from a place to the nearest of the box.
func (b *Box) Distance2(p *Vector) float64 {
	sum := 0.0
	for i := range p {
		d := max(b.Low[i]-p[i], p[i]-b.High[i], 0)
		sum += d * d
	}
	return sum
}

// farthest2 is the square of the distance from a place to the farthest of the box.
func (b *Box) farthest2(p *Vector) float64 {
	sum := 0.0
	for i := range p {
		d := max(p[i]-b.Low[i], b.High[i]-p[i])
		sum += d * d
	}
	return sum
}

// isFinite reports whether all components are numbers.
func (v Vector) isFinite() bool {
	return !math.IsNaN(v.Dot(Vector{})) // 0 times infinity is none
}

// Check returns what is wrong with a particle, in words, or "".
func (p *Particle) Check() string {
	switch {
	case !p.Pos.isFinite():
		return "its position is no number"
	case !p.Vel.isFinite():
		return "its velocity is no number"
	case !(p.Mass >= 0) || math.IsInf(p.Mass, 0):
		return "its mass is not 0 or more"
	case !(p.Soft >= 0) || math.IsInf(p.Soft, 0):
		return "its softening is not 0 or more"
	}
	return ""
}

// spline is what two particles whose softening lengths add up to reach do to each other at a distance of the square
// root of r2, which is at most reach: the potential is -a and the acceleration -b times the vector between them, each
// times the mass. Their masses are spread by the cubic spline (Hernquist and Katz 1989, appendix A). At no distance
// and with no softening there is no force.
func spline(r2, reach float64) (a, b float64) {
	if reach == 0 {
		return 0, 0
	}
	r, inverse := math.Sqrt(r2), 2/reach
	u := r * inverse
	cube := inverse * inverse * inverse
	if u < 1 {
		u2 := u * u
		return inverse * (7./5 - u2*(2./3-u2*(3./10-u/10))), cube * (4./3 - u2*(6./5-u/2))
	}
	near := 1 / r
	a = inverse*(8./5-u*u*(4./3-u*(1-u*(3./10-u/30)))) - near/15
	b = cube*(8./3-u*(3-u*(6./5-u/6))) - near*near*near/15
	return a, b
}

// attract adds what sources do to a particle to f.
func (f *Force) attract(at *Vector, soft float64, sources []Source) {
	x, y, z := at[0], at[1], at[2]
	ax, ay, az, phi := f.Acc[0], f.Acc[1], f.Acc[2], f.Phi
	for i := range sources {
		s := &sources[i]
		dx, dy, dz := s.Pos[0]-x, s.Pos[1]-y, s.Pos[2]-z
		r2 := dx*dx + dy*dy + dz*dz
		reach := s.Soft + soft
		var a, b float64
		if r2 > reach*reach {
			a = 1 / math.Sqrt(r2)
			b = a * a * a
		} else {
			a, b = spline(r2, reach)
		}
		phi -= s.Mass * a
		b *= s.Mass
		ax += b * dx
		ay += b * dy
		az += b * dz
	}
	f.Acc, f.Phi = Vector{ax, ay, az}, phi
}

// Direct is what sources do to a particle, added up one by one. self is its own number among them, below 0 if it is
// none of them. It takes some 6 ns a source.
func Direct(at Vector, soft float64, sources []Source, self int) (f Force) {
	if self < 0 {
		f.attract(&at, soft, sources)
		return f
	}
	f.attract(&at, soft, sources[:self])
	f.attract(&at, soft, sources[self+1:])
	return f
}
