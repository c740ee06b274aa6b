package nbody

import (
	"cmp"
	"fmt"
	"image"
	"math"
	"slices"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/nbody/gravity"
)

// Result is what a simulation tells. Lengths, times and energies are in the units of the particles, in which the
// constant of gravity is 1.
type Result struct {
	apps.Report
	System       string  `json:"system"`
	Particles    int     `json:"particles"`
	Steps        int     `json:"steps"`
	Step         float64 `json:"step"`
	Theta        float64 `json:"theta"`
	Order        int     `json:"order"`
	Bucket       int     `json:"bucket"`
	Rungs        int     `json:"rungs"`
	Walk         By      `json:"walk"`
	Interactions uint64  `json:"interactions"`          // of particles, with cells and with each other
	WithCells    uint64  `json:"cell_interactions"`     //
	WithOthers   uint64  `json:"particle_interactions"` //
	PerSecond    float64 `json:"interactions_per_second"`
	Gravity      float64 `json:"gravity_seconds"` // of the kernel: the walks, on the slowest rank
	Requests     uint64  `json:"requests"`        // of 16 bytes, for what is below a cell of another process
	CacheHits    uint64  `json:"cache_hits"`      // cells of other processes that were opened without one
	SharedWaits  uint64  `json:"shared_waits"`    // waits for what another walk had asked for
	EnergyStart  float64 `json:"energy_start"`    // kinetic and potential
	EnergyEnd    float64 `json:"energy_end"`
	Momentum     float64 `json:"momentum_change"` // length of the change of the sum of all
	Spin         float64 `json:"spin_change"`     // the same of the angular momentum
	Sample       int     `json:"force_sample"`    // particles whose accelerations were compared with direct sums
	ErrorMedian  float64 `json:"force_error_median"`
	Error99      float64 `json:"force_error_99"`
	Checksum     string  `json:"checksum"` // of all particles at the end, 16 hexadecimal digits
	Twin         bool    `json:"twin"`     // the serial twin was run, and compared with

	End        []gravity.Particle `json:"-"` // on rank 0, if Config.List asks: as they are in the end, by number
	Potentials []float64          `json:"-"` // of each
	Picture    *image.Paletted    `json:"-"` // on rank 0, if Config.Picture asks for it
	Frames     []*image.Paletted  `json:"-"` // on rank 0, if Config.Frames asks: at the start and after each step
}

// describe fills in what is known before a run.
func (r *Result) describe(c Config) {
	r.System, r.Particles, r.Steps, r.Step = c.Source.Name(), c.Source.Particles(), c.Steps, c.Step
	r.Theta, r.Order, r.Bucket, r.Rungs, r.Walk = c.Theta, c.Order, c.Bucket, c.Rungs, c.Walk
}

// count fills in what was counted over all parts.
func (r *Result) count(start, end totals, counts gravity.Counts) {
	r.WithCells, r.WithOthers, r.Interactions = counts.Cells, counts.Particles, counts.Cells+counts.Particles
	r.EnergyStart, r.EnergyEnd = start.Kinetic+start.Potential, end.Kinetic+end.Potential
	length := func(v gravity.Vector) float64 { return math.Sqrt(v.Dot(v)) }
	r.Momentum = length(end.Momentum.Plus(-1, start.Momentum))
	r.Spin = length(end.Spin.Plus(-1, start.Spin))
	r.Checksum = fmt.Sprintf("%016x", end.Checksum)
}

// list fills in the particles.
func (r *Result) list(bodies []body) {
	slices.SortFunc(bodies, func(a, b body) int { return cmp.Compare(a.number, b.number) })
	for i := range bodies {
		r.End = append(r.End, bodies[i].Particle)
		r.Potentials = append(r.Potentials, bodies[i].Phi)
	}
}

// Rows is the result for display: labels and values.
func (r Result) Rows() [][2]string {
	rows := [][2]string{
		{"system", fmt.Sprintf("%s, %d particles", r.System, r.Particles)},
		{"steps", fmt.Sprintf("%d of %g", r.Steps, r.Step)},
		{"interactions", fmt.Sprintf("%d, %.1f %% of them with cells", r.Interactions,
			100*apps.Rate(float64(r.WithCells), float64(r.Interactions)))},
		{"interactions a second", fmt.Sprintf("%.3g million", r.PerSecond/1e6)},
		{"gravity", fmt.Sprintf("%.3g s of %.3g s", r.Gravity, r.Seconds)},
		{"requests", fmt.Sprintf("%d, and %d cells from the cache", r.Requests, r.CacheHits)},
		{"energy", fmt.Sprintf("%.8g at the start, %.8g at the end", r.EnergyStart, r.EnergyEnd)},
	}
	if r.Sample > 0 {
		rows = append(rows, [2]string{"force errors", fmt.Sprintf("median %.2g, 99th percentile %.2g of %d", r.ErrorMedian,
			r.Error99, r.Sample)})
	}
	twin := "not run"
	if r.Twin {
		twin = "the same"
		if r.Errors > 0 {
			twin = "compared with"
		}
	}
	return append(rows, [2]string{"serial twin", twin}, [2]string{"checksum", r.Checksum})
}
