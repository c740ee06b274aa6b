package gravity

import "math"

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
