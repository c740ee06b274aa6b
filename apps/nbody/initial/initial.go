// Package initial makes systems of particles to begin with: Plummer's and King's models of star clusters, and two
// galaxies about to collide. Particle by particle they come from random numbers that are counted by its number, so that
// every rank can make its own part, and a system is the same whoever makes it.
package initial

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/activepebbles/pebbles/apps/nbody/gravity"
)

// Config is what a system can be told. Masses add up to 1, and so does the constant of gravity.
type Config struct {
	Particles int
	Seed      uint64
	Soft      float64 // softening of each particle; 0 is half of the mean distance that they had in a cube of side 1
}

const particlesMost = math.MaxInt32

// System makes particles, each from random numbers of its own.
type System struct {
	name   string
	config Config
	make   func(rng *rand.Rand, i int) gravity.Particle // without mass and softening
}

// Name says what the system is.
func (s *System) Name() string { return s.name }

// Time is that at which a system begins.
func (s *System) Time() float64 { return 0 }

// Particles is how many there are.
func (s *System) Particles() int { return s.config.Particles }

// Read makes the particles from a number on. Several may read at the same time.
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

// Plummer is Plummer's model in the units of Hénon: its energy is -1/4, and its length 3π/16. Particles beyond 99.9 %
// of the mass are drawn anew (Aarseth, Hénon and Wielen 1974).
func Plummer(c Config) (*System, error) {
	return newSystem("Plummer", c, func(rng *rand.Rand, _ int) gravity.Particle { return plummer(rng) })
}

func plummer(rng *rand.Rand) (p gravity.Particle) {
	const length, mostMass = 3 * math.Pi / 16, 0.999
	r := 1 / math.Sqrt(math.Pow(mostMass*(1-rng.Float64()), -2./3)-1)
	p.Pos = towards(rng, r*length)
	// The speed is a part q of that of escape, by the density q² (1-q²)^(7/2), which is below 0.1.
	for {
		q := rng.Float64()
		if 0.1*rng.Float64() < q*q*math.Pow(1-q*q, 3.5) {
			p.Vel = towards(rng, q*math.Sqrt2/math.Pow(1+r*r, 0.25)/math.Sqrt(length))
			return p
		}
	}
}

// towards is a vector of a length in any direction.
func towards(rng *rand.Rand, length float64) gravity.Vector {
	z := 2*rng.Float64() - 1
	s, c := math.Sincos(2 * math.Pi * rng.Float64())
	flat := math.Sqrt(1 - z*z)
	return gravity.Vector{length * flat * c, length * flat * s, length * z}
}

// Collision is two of Plummer's models, each with half of the particles, that come from afar on a parabola about each
// other and would pass at a distance of their own lengths.
func Collision(c Config) (*System, error) {
	const apart, nearest = 6.0, 0.6
	// On a parabola of two bodies whose masses add up to 1, the speed is √(2/r) and the swing √(2 nearest).
	speed, swing := math.Sqrt(2/apart), math.Sqrt(2*nearest)
	across := swing / apart
	along := math.Sqrt(speed*speed - across*across)
	return newSystem("collision", c, func(rng *rand.Rand, i int) gravity.Particle {
		p := plummer(rng)
		half := 0.5
		if i >= c.Particles/2 {
			half = -0.5
		}
		// Half of the mass has the same length at half of the speeds' squares.
		p.Vel = gravity.Vector{}.Plus(math.Sqrt(0.5), p.Vel)
		p.Pos = p.Pos.Plus(half, gravity.Vector{apart, 0, 0})
		p.Vel = p.Vel.Plus(half, gravity.Vector{-along, across, 0})
		return p
	})
}
