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
