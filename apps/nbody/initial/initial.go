// Package initial makes initial systems of particles: Plummer's and King's models of star clusters, and two galaxies
// about to collide. Each particle comes from random numbers that depend on its number, so that every rank can make its
// own part, and a system does not depend on its division among ranks.
package initial

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"sort"

	"github.com/activepebbles/pebbles/apps/nbody/gravity"
)

// Config configures a system. Masses add up to 1, and the constant of gravity is 1.
type Config struct {
	Particles int
	Seed      uint64
	Soft      float64 // softening of each particle; 0 means half of the mean distance in a cube of side 1
}

const particlesMost = math.MaxInt32

// System makes particles, each from its own random numbers.
type System struct {
	name   string
	config Config
	make   func(rng *rand.Rand, i int) gravity.Particle // without mass and softening
}

// Name describes the system.
func (s *System) Name() string { return s.name }

// Time returns the time at the beginning of a system.
func (s *System) Time() float64 { return 0 }

// Particles returns the number of particles.
func (s *System) Particles() int { return s.config.Particles }

// Read makes the particles from a number on. It may be called concurrently.
func (s *System) Read(first int, into []gravity.Particle) error {
	pcg := &rand.PCG{}
	rng := rand.New(pcg)
	for i := range into {
		pcg.Seed(s.config.Seed, uint64(first+i))
		p := s.make(rng, first+i)
		p.Mass, p.Soft = 1/float64(s.config.Particles), s.config.Soft
		into[i] = p
	}
	return nil
}

func newSystem(name string, c Config, particle func(rng *rand.Rand, i int) gravity.Particle) (*System, error) {
	if c.Particles < 1 || c.Particles > particlesMost {
		return nil, fmt.Errorf("%d particles: give 1 to %d", c.Particles, particlesMost)
	}
	if !(c.Soft >= 0) || math.IsInf(c.Soft, 1) {
		return nil, fmt.Errorf("a softening of %v: give a length above 0, or 0 for one that fits", c.Soft)
	}
	c.Soft = cmp.Or(c.Soft, 0.5/math.Cbrt(float64(c.Particles)))
	return &System{name, c, particle}, nil
}

// Plummer returns Plummer's model in the units of Hénon: its energy is -1/4, and its length 3π/16. Particles stay
// within 99.9 % of the mass (Aarseth, Hénon and Wielen 1974).
func Plummer(c Config) (*System, error) {
	return newSystem("Plummer", c, func(rng *rand.Rand, _ int) gravity.Particle { return plummer(rng) })
}

func plummer(rng *rand.Rand) (p gravity.Particle) {
	const length, mostMass = 3 * math.Pi / 16, 0.999
	r := 1 / math.Sqrt(math.Pow(mostMass*(1-rng.Float64()), -2./3)-1)
	p.Pos = towards(rng, r*length)
	// The speed is a part q of the escape speed, by the density q² (1-q²)^(7/2), which is below 0.1.
	for {
		q := rng.Float64()
		if 0.1*rng.Float64() < q*q*math.Pow(1-q*q, 3.5) {
			p.Vel = towards(rng, q*math.Sqrt2/math.Pow(1+r*r, 0.25)/math.Sqrt(length))
			return p
		}
	}
}

// towards returns a vector of a length in a random direction.
func towards(rng *rand.Rand, length float64) gravity.Vector {
	z := 2*rng.Float64() - 1
	s, c := math.Sincos(2 * math.Pi * rng.Float64())
	flat := math.Sqrt(1 - z*z)
	return gravity.Vector{length * flat * c, length * flat * s, length * z}
}

// Collision returns two of Plummer's models, each with half of the particles. They approach from afar on a parabola
// about each other, and would pass at a distance of about their lengths.
func Collision(c Config) (*System, error) {
	const apart, nearest = 6.0, 0.6
	// On a parabola of two bodies with masses that add up to 1, the speed is √(2/r) and the angular momentum √(2
	// nearest).
	speed, swing := math.Sqrt(2/apart), math.Sqrt(2*nearest)
	across := swing / apart
	along := math.Sqrt(speed*speed - across*across)
	return newSystem("collision", c, func(rng *rand.Rand, i int) gravity.Particle {
		p := plummer(rng)
		half := 0.5
		if i >= c.Particles/2 {
			half = -0.5
		}
		// Half of the mass has the same length at half of the squared speeds.
		p.Vel = gravity.Vector{}.Plus(math.Sqrt(0.5), p.Vel)
		p.Pos = p.Pos.Plus(half, gravity.Vector{apart, 0, 0})
		p.Vel = p.Vel.Plus(half, gravity.Vector{-along, across, 0})
		return p
	})
}

// King returns King's model (1966) of a central potential w, 0.1 to 12. Speeds are below the escape speed from a
// sphere. Its radius is 1, where the density is 0.
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

// kingDensity returns the density, except for a factor, where the potential is w.
func kingDensity(w float64) float64 {
	if w <= 0 {
		return 0
	}
	root := math.Sqrt(w)
	if w < 1e-3 {
		return 8 * w * w * root / (15 * math.Sqrt(math.Pi)) // the formula below is then a difference of large numbers
	}
	return math.Exp(w)*math.Erf(root) - math.Sqrt(4*w/math.Pi)*(1+2*w/3)
}

// solveKing integrates Poisson's equation outwards, by the fourth-order Runge-Kutta method. In its units the equation
// is w" + 2/r w' = -9 density / central density.
func solveKing(w0 float64) *king {
	middle := kingDensity(w0)
	k := &king{}
	// m is -r² w', which is proportional to the mass.
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
	// The speed is a part q of the escape speed, by the density q² (exp(w (1-q²)) - 1).
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
