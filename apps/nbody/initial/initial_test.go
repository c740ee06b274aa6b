package initial

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/nbody/gravity"
	"github.com/activepebbles/pebbles/internal/seeds"
)

// energies returns the kinetic and the potential energy of a system by direct sums.
func energies(all []gravity.Particle) (kinetic, potential float64) {
	sources := make([]gravity.Source, len(all))
	for i, p := range all {
		sources[i] = gravity.Source{Pos: p.Pos, Mass: p.Mass, Soft: 1e-4}
		kinetic += p.Mass * p.Vel.Dot(p.Vel) / 2
	}
	for i, p := range all {
		potential += p.Mass * gravity.Direct(p.Pos, 1e-4, sources, i).Phi / 2
	}
	return kinetic, potential
}

func read(t *testing.T, s *System) []gravity.Particle {
	t.Helper()
	all := make([]gravity.Particle, s.Particles())
	require.NoError(t, s.Read(0, all))
	mass := 0.0
	for _, p := range all {
		require.Empty(t, p.Check())
		mass += p.Mass
	}
	require.InDelta(t, 1, mass, 1e-9)
	return all
}

// Models are in equilibrium: twice the kinetic energy equals minus the potential energy.
func TestEquilibrium(t *testing.T) {
	seed := seeds.Of(t)
	c := Config{Particles: 4000, Seed: seed}
	systems := map[string]float64{}
	plummer, err := Plummer(c)
	require.NoError(t, err)
	all := []*System{plummer}
	systems[plummer.Name()] = -0.25
	for _, w := range []float64{0.5, 3, 7, 11} {
		s, err := King(c, w)
		require.NoError(t, err)
		all = append(all, s)
	}
	for _, s := range all {
		kinetic, potential := energies(read(t, s))
		t.Log(s.Name(), kinetic, potential)
		require.InDelta(t, 1, -2*kinetic/potential, 0.1, s.Name())
		if want, ok := systems[s.Name()]; ok {
			require.InDelta(t, want, kinetic+potential, 0.02)
		}
	}
}

// Half of the mass of Plummer's model is within 1.305 of its lengths, and King's model ends at 1.
func TestRadii(t *testing.T) {
	radii := func(s *System) (all []float64) {
		for _, p := range read(t, s) {
			all = append(all, math.Sqrt(p.Pos.Dot(p.Pos)))
		}
		slices.Sort(all)
		return all
	}
	seed := seeds.Of(t)
	plummer, err := Plummer(Config{Particles: 10_000, Seed: seed})
	require.NoError(t, err)
	require.InDelta(t, 1.305*3*math.Pi/16, radii(plummer)[5000], 0.04)
	for _, w := range []float64{0.1, 3, 6, 12} {
		k, err := King(Config{Particles: 2000, Seed: seed}, w)
		require.NoError(t, err)
		require.LessOrEqual(t, radii(k)[1999], 1.0)
		require.Greater(t, radii(k)[1999], 0.5*radii(k)[1000])
	}
	// The published concentrations: W0 3, 6 and 9 have radii of 10^0.67, 10^1.25 and 10^2.12 cores.
	for w, want := range map[float64]float64{3: 0.67, 6: 1.25, 9: 2.12} {
		require.InDelta(t, want, math.Log10(solveKing(w).cores), 0.01)
	}
}

// The two models of a collision fall towards each other on a parabola: the energy is that of the two alone.
func TestCollision(t *testing.T) {
	s, err := Collision(Config{Particles: 4000, Seed: 3})
	require.NoError(t, err)
	all := read(t, s)
	kinetic, potential := energies(all)
	_, left := energies(all[:2000])
	_, right := energies(all[2000:])
	require.InDelta(t, -1./4/6, potential-left-right, 0.002) // their mutual energy
	require.InDelta(t, 0, kinetic+left/2+right/2+potential-left-right, 0.01)
}

// Every part of a system is independent of the other parts read.
func TestParts(t *testing.T) {
	s, err := King(Config{Particles: 100, Seed: 1, Soft: 0.3}, 5)
	require.NoError(t, err)
	all := read(t, s)
	some := make([]gravity.Particle, 10)
	require.NoError(t, s.Read(50, some))
	require.Equal(t, all[50:60], some)
	require.InDelta(t, 0.3, all[7].Soft, 0)
	require.Zero(t, s.Time())
}

func TestMistakes(t *testing.T) {
	_, err := Plummer(Config{})
	require.ErrorContains(t, err, "0 particles: give 1")
	_, err = Collision(Config{Particles: 2, Soft: -1})
	require.ErrorContains(t, err, "softening of -1")
	_, err = King(Config{Particles: 2}, 20)
	require.ErrorContains(t, err, "central potential of 20: give 0.1 to 12")
}
