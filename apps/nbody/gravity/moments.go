package gravity

import (
	"math"
	"sync"
)

// OrderMost is the highest order of moments: hexadecapoles. Order 3 is octupoles, 2 quadrupoles, and 1 the mass
// alone, since moments are about the centre of mass, where dipoles vanish.
const OrderMost = 4

// moments is the number of products of up to four coordinates.
const moments = 35

// raw are the sums of mass times products of coordinates relative to a centre, in the order of powers.
type raw [moments]float64

// powers are the exponents of x, y and z of each product: the mass, 3 of one coordinate, 6 of two, 10 of three, 15 of
// four, with higher powers of x before those of y.
var powers = func() (all [moments][3]int) {
	n := 0
	for degree := range OrderMost + 1 {
		for x := degree; x >= 0; x-- {
			for y := degree - x; y >= 0; y-- {
				all[n] = [3]int{x, y, degree - x - y}
				n++
			}
		}
	}
	return all
}()

// shift is a term of moments about another centre: a factor times a moment times a product of the distance.
type shift struct {
	to, from, by uint8
	times        float64
}

// shifts returns all terms, by the binomial theorem.
var shifts = sync.OnceValue(func() (all []shift) {
	at := map[[3]int]uint8{}
	for i, p := range powers {
		at[p] = uint8(i)
	}
	for to, p := range powers {
		for x := range p[0] + 1 {
			for y := range p[1] + 1 {
				for z := range p[2] + 1 {
					all = append(all, shift{
						uint8(to), at[[3]int{x, y, z}], at[[3]int{p[0] - x, p[1] - y, p[2] - z}],
						choose(p[0], x) * choose(p[1], y) * choose(p[2], z),
					})
				}
			}
		}
	}
	return all
})

func choose(n, k int) float64 {
	c := 1.0
	for i := range k {
		c = c * float64(n-i) / float64(i+1)
	}
	return c
}

// products returns all products of up to four coordinates.
func products(d Vector) (all raw) {
	all[0] = 1
	n := 1
	for from, count := 0, 1; n < moments; count++ {
		// The products of a degree follow from those of the degree before: each times x, those without x times y, and
		// the last times z.
		rows := count * (count + 1) / 2
		for i := range rows {
			all[n] = all[from+i] * d[0]
			n++
		}
		for i := rows - count; i < rows; i++ {
			all[n] = all[from+i] * d[1]
			n++
		}
		all[n] = all[from+rows-1] * d[2]
		n++
		from += rows
	}
	return all
}

// add adds a mass at a distance d from the centre.
func (m *raw) add(mass float64, d Vector) {
	p := products(d)
	for i := range m {
		m[i] += mass * p[i]
	}
}

// join adds moments about a centre at a distance d.
func (m *raw) join(o *raw, d Vector) {
	p := products(d)
	for _, s := range shifts() {
		m[s.to] += s.times * p[s.by] * o[s.from]
	}
}

// Moments are the moments of some particles about their centre of mass, each with its factor in the potential. They are
// traceless, so those with two z follow from others and are left out: xzz is -xxx - xyy.
type Moments struct {
	Mass   float64
	Center Vector
	Q2     [5]float64 // xx xy xz yy yz
	Q3     [7]float64 // xxx xxy xxz xyy xyz yyy yyz
	Q4     [9]float64 // xxxx xxxy xxxz xxyy xxyz xyyy xyyz yyyy yyyz
}

// traceless makes moments from sums about a centre.
func (m *raw) traceless(center Vector) Moments {
	q := Moments{Mass: m[0], Center: center}
	s2, s3, s4 := m[4:10], m[10:20], m[20:35]
	trace := (s2[0] + s2[3] + s2[5]) / 3
	for i, t := range [...]float64{trace, 0, 0, trace, 0} {
		q.Q2[i] = 3. / 2 * (s2[i] - t)
	}
	x, y, z := (s3[0]+s3[3]+s3[5])/5, (s3[1]+s3[6]+s3[8])/5, (s3[2]+s3[7]+s3[9])/5
	at3 := [...]int{0, 1, 2, 3, 4, 6, 7}
	for i, t := range [...]float64{3 * x, y, z, x, 0, 3 * y, z} {
		q.Q3[i] = 5. / 2 * (s3[at3[i]] - t)
	}
	xx, xy, xz := (s4[0]+s4[3]+s4[5])/7, (s4[1]+s4[6]+s4[8])/7, (s4[2]+s4[7]+s4[9])/7
	yy, yz, zz := (s4[3]+s4[10]+s4[12])/7, (s4[4]+s4[11]+s4[13])/7, (s4[5]+s4[12]+s4[14])/7
	all := (xx + yy + zz) / 5
	at4 := [...]int{0, 1, 2, 3, 4, 6, 7, 10, 11}
	for i, t := range [...]float64{
		6*xx - 3*all, 3 * xy, 3 * xz, xx + yy - all, yz, 3 * xy, xz, 6*yy - 3*all, 3 * yz,
	} {
		q.Q4[i] = 35. / 8 * (s4[at4[i]] - t)
	}
	return q
}

// attract adds to f the effect of the particles of the moments on a particle at a place, by moments up to an order. It
// takes some 20 ns with hexadecapoles.
func (m *Moments) attract(at *Vector, f *Force, order int) {
	x, y, z := at[0]-m.Center[0], at[1]-m.Center[1], at[2]-m.Center[2]
	r1 := 1 / math.Sqrt(x*x+y*y+z*z)
	r2 := r1 * r1
	phi := m.Mass * r1
	radial := phi * r2 // times (x, y, z), in the opposite direction
	var ax, ay, az float64
	if order >= 2 {
		q := &m.Q2
		tx := q[0]*x + q[1]*y + q[2]*z
		ty := q[1]*x + q[3]*y + q[4]*z
		tz := q[2]*x + q[4]*y - (q[0]+q[3])*z
		r5 := r1 * r2 * r2
		a := (tx*x + ty*y + tz*z) * r5
		phi += a
		radial += 5 * a * r2
		ax, ay, az = 2*r5*tx, 2*r5*ty, 2*r5*tz
		if order >= 3 {
			// Products of two coordinates, minus the parts for moments with two z.
			zz := z * z
			xx, yy, xy, xz, yz := x*x-zz, y*y-zz, 2*x*y, 2*x*z, 2*y*z
			q := &m.Q3
			tx = q[0]*xx + q[3]*yy + q[1]*xy + q[2]*xz + q[4]*yz
			ty = q[1]*xx + q[5]*yy + q[3]*xy + q[4]*xz + q[6]*yz
			tz = q[2]*xx + q[6]*yy + q[4]*xy - (q[0]+q[3])*xz - (q[1]+q[5])*yz
			r7 := r5 * r2
			a = (tx*x + ty*y + tz*z) * r7
			phi += a
			radial += 7 * a * r2
			ax, ay, az = ax+3*r7*tx, ay+3*r7*ty, az+3*r7*tz
			if order >= 4 {
				// Products of three.
				xxx, xyy, yyy, xxy := x*(xx-2*zz), 3*x*yy, y*(yy-2*zz), 3*y*xx
				xxz, yyz, xyz := z*(3*xx+2*zz), z*(3*yy+2*zz), 3*xy*z
				q := &m.Q4
				tx = q[0]*xxx + q[1]*xxy + q[2]*xxz + q[3]*xyy + q[4]*xyz + q[5]*yyy + q[6]*yyz
				ty = q[1]*xxx + q[3]*xxy + q[4]*xxz + q[5]*xyy + q[6]*xyz + q[7]*yyy + q[8]*yyz
				tz = q[2]*xxx + q[4]*xxy - (q[0]+q[3])*xxz + q[6]*xyy - (q[1]+q[5])*xyz + q[8]*yyy - (q[3]+q[7])*yyz
				r9 := r7 * r2
				a = (tx*x + ty*y + tz*z) * r9
				phi += a
				radial += 9 * a * r2
				ax, ay, az = ax+4*r9*tx, ay+4*r9*ty, az+4*r9*tz
			}
		}
	}
	f.Phi -= phi
	f.Acc[0] += ax - radial*x
	f.Acc[1] += ay - radial*y
	f.Acc[2] += az - radial*z
}
