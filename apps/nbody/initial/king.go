package initial

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sort"

	"github.com/activepebbles/pebbles/apps/nbody/gravity"
)

// King is King's model (1966) of a central potential w, 0.1 to 12, in which speeds are below that of escape from a
// sphere. Its radius is 1, where the density has come to 0.
func King(c Config, w float64) (*System, error) {
	if !(w >= 0.1) || w > 12 {
		return nil, fmt.Errorf("a central potential of %v: give 0.1 to 12", w)
	}
	k := solveKing(w)
	return newSystem(fmt.Sprintf("King, W0 %g", w), c, func(rng *rand.Rand, _ int) gravity.Particle {
		return k.particle(rng)
	})
}

// king is a model as a table over the radius, scaled to a mass and a radius of 1.
type king struct {
	radius, mass, depth []float64 // depth is the potential below that at the edge, in squares of sigma
	sigma               float64
	cores               float64 // the radius, in King's core radii
}

// kingDensity is the density where the potential is w, but for a factor.
func kingDensity(w float64) float64 {
	if w <= 0 {
		return 0
	}
	root := math.Sqrt(w)
	if w < 1e-3 {
		return 8 * w * w * root / (15 * math.Sqrt(math.Pi)) // of which what follows is the difference of large numbers
	}
	return math.Exp(w)*math.Erf(root) - math.Sqrt(4*w/math.Pi)*(1+2*w/3)
}

// solveKing integrates Poisson's equation outwards, by Runge and Kutta's rule of fourth order, in units in which it is
// w" + 2/r w' = -9 density / density in the middle.
func solveKing(w0 float64) *king {
	middle := kingDensity(w0)
	k := &king{}
	// m is -r² w', which the mass is proportional to.
	slope := func(r, w, m float64) (dw, dm float64) {
		if r == 0 {
			return 0, 0
		}
		return -m / (r * r), 9 * r * r * kingDensity(w) / middle
	}
	for r, w, m := 0.0, w0, 0.0; ; {
		k.radius, k.mass, k.depth = append(k.radius, r), append(k.mass, m), append(k.depth, w)
		h := min(0.002*(1+r), 0.02*(1+r)*max(w/w0, 1e-3))
		w1, m1 := slope(r, w, m)
		w2, m2 := slope(r+h/2, w+h/2*w1, m+h/2*m1)
		w3, m3 := slope(r+h/2, w+h/2*w2, m+h/2*m2)
		w4, m4 := slope(r+h, w+h*w3, m+h*m3)
		next := w + h/6*(w1+2*w2+2*w3+w4)
		if next <= 0 {
			break
		}
		r, w, m = r+h, next, m+h/6*(m1+2*m2+2*m3+m4)
	}
	last := len(k.radius) - 1
	edge, all := k.radius[last], k.mass[last]
	k.cores = edge
	for i := range k.radius {
		k.radius[i] /= edge
		k.mass[i] /= all
	}
	k.sigma = math.Sqrt(edge / all) // the potential's slope at the edge is 1, that of w is all / edge²
	return k
}

func (k *king) particle(rng *rand.Rand) (p gravity.Particle) {
	m := rng.Float64()
	i := min(max(sort.SearchFloat64s(k.mass, m), 1), len(k.mass)-1)
	part := (m - k.mass[i-1]) / (k.mass[i] - k.mass[i-1])
	r := k.radius[i-1] + part*(k.radius[i]-k.radius[i-1])
	w := k.depth[i-1] + part*(k.depth[i]-k.depth[i-1])
	p.Pos = towards(rng, r)
	// The speed is a part of that of escape, by the density q² (exp(w (1-q²)) - 1).
	density := func(q float64) float64 { return q * q * math.Expm1(w*(1-q*q)) }
	most := 0.0
	const looks = 32
	for i := range looks {
		most = max(most, density((float64(i)+0.5)/looks))
	}
	for {
		if q := rng.Float64(); 1.1*most*rng.Float64() <= density(q) {
			p.Vel = towards(rng, q*math.Sqrt(2*w)*k.sigma)
			return p
		}
	}
}
