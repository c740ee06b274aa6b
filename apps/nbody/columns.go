package nbody

import (
	"github.com/activepebbles/pebbles/apps/nbody/gravity"
	"github.com/activepebbles/pebbles/export"
)

// Columns returns a row for each particle at the end: mass, position, velocity, softening length and potential. It
// needs Config.List.
func (r Result) Columns() (all []export.Column) {
	for _, c := range []struct {
		name string
		of   func(p *gravity.Particle) float64
	}{
		{"mass", func(p *gravity.Particle) float64 { return p.Mass }},
		{"x", func(p *gravity.Particle) float64 { return p.Pos[0] }},
		{"y", func(p *gravity.Particle) float64 { return p.Pos[1] }},
		{"z", func(p *gravity.Particle) float64 { return p.Pos[2] }},
		{"vx", func(p *gravity.Particle) float64 { return p.Vel[0] }},
		{"vy", func(p *gravity.Particle) float64 { return p.Vel[1] }},
		{"vz", func(p *gravity.Particle) float64 { return p.Vel[2] }},
		{"softening", func(p *gravity.Particle) float64 { return p.Soft }},
	} {
		values := make([]float64, len(r.End))
		for i := range r.End {
			values[i] = c.of(&r.End[i])
		}
		all = append(all, export.Column{Name: c.name, Values: values})
	}
	return append(all, export.Column{Name: "potential", Values: r.Potentials})
}
