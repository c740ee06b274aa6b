// Package gravity is the computation of the N-body application on one rank, without messages: moments of particles up
// to hexadecapoles, softened forces, keys along a Hilbert curve, octrees, and Barnes-Hut walks over them (ChaNGa: TRAM,
// section VI A). The constant of gravity is 1; lengths, masses and times are in the corresponding units.
//
// A tree is only cut at cells of the curve: a cell is divided if it has more particles than a bucket holds. So ranks
// may build the parts of a tree from their own particles, and together they equal, bit by bit, the tree built from all
// particles at once. A walk visits cells in the order of the curve, regardless of their origin, and adds up forces in
// that order.
package gravity

import "math"

// Vector has the components x, y and z.
type Vector [3]float64

// Plus returns v + f w.
func (v Vector) Plus(f float64, w Vector) Vector {
	return Vector{v[0] + f*w[0], v[1] + f*w[1], v[2] + f*w[2]}
}

// Dot returns the scalar product.
func (v Vector) Dot(w Vector) float64 { return v[0]*w[0] + v[1]*w[1] + v[2]*w[2] }

// Cross returns the vector product.
func (v Vector) Cross(w Vector) Vector {
	return Vector{v[1]*w[2] - v[2]*w[1], v[2]*w[0] - v[0]*w[2], v[0]*w[1] - v[1]*w[0]}
}

// Particle is a body of a system.
type Particle struct {
	Pos, Vel Vector
	Mass     float64
	Soft     float64 // softening length; the force between two particles is Newton's beyond the sum of their lengths
}

// Source is the data of a particle that attracts others. It has 40 bytes.
type Source struct {
	Pos  Vector
	Mass float64
	Soft float64
}

// Force is the effect of particles on one: its acceleration and its potential, which is negative.
type Force struct {
	Acc Vector
	Phi float64
}

// Box is the smallest box, along the axes, that contains some particles.
type Box struct{ Low, High Vector }

// Around returns the box of one place.
func Around(p Vector) Box { return Box{p, p} }

// With returns the box of two boxes.
func (b Box) With(o Box) Box {
	for i := range b.Low {
		b.Low[i], b.High[i] = min(b.Low[i], o.Low[i]), max(b.High[i], o.High[i])
	}
	return b
}

// Distance2 returns the square of the distance from a place to the nearest point of the box.
func (b *Box) Distance2(p *Vector) float64 {
	sum := 0.0
	for i := range p {
		d := max(b.Low[i]-p[i], p[i]-b.High[i], 0)
		sum += d * d
	}
	return sum
}

// farthest2 returns the square of the distance from a place to the farthest point of the box.
func (b *Box) farthest2(p *Vector) float64 {
	sum := 0.0
	for i := range p {
		d := max(p[i]-b.Low[i], b.High[i]-p[i])
		sum += d * d
	}
	return sum
}

// isFinite reports whether all components are finite numbers.
func (v Vector) isFinite() bool {
	return !math.IsNaN(v.Dot(Vector{})) // 0 times infinity is NaN
}

// Check returns the error of a particle in words, or "".
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

// spline returns the interaction of two particles with softening lengths of sum reach, at a distance of the square root
// of r2, at most reach: the potential is -a and the acceleration -b times the vector between them, each times the mass.
// The cubic spline spreads their masses (Hernquist and Katz 1989, appendix A). At distance 0 without softening there is
// no force.
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

// attract adds the effect of sources on a particle to f.
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

// Direct returns the effect of sources on a particle, summed one by one. self is its own number among them, below 0 if
// it is not one of them. It takes some 6 ns for each source.
func Direct(at Vector, soft float64, sources []Source, self int) (f Force) {
	if self < 0 {
		f.attract(&at, soft, sources)
		return f
	}
	f.attract(&at, soft, sources[:self])
	f.attract(&at, soft, sources[self+1:])
	return f
}
