// Package nbody simulates systems of particles that attract each other (ChaNGa: TRAM, section VI A): Barnes-Hut trees
// with moments up to hexadecapoles, and leapfrog steps, global ones or individual ones of each particle.
//
// Particles are in the order of a space-filling curve. Each rank has some pieces of it, with about the same work in the
// last step as other ranks. Ranks build the trees of their pieces; each rank has the tree's top. A walk that has to
// open a cell of another process sends a request, a pebble of 16 bytes, to the cell's owner, aggregated with others.
// The answer contains the moments of the cells below or the particles of a bucket, and goes unchanged into a cache that
// the ranks of a process share. Walks that need the same branch share one request, and other walks go on meanwhile.
//
// # The same answer everywhere
//
// The tree is cut at cells of the curve, whichever rank has their particles, and a walk continues where it waited. So
// all forces are added up in the same order on any number of ranks, over any network, and with any buffers, by tasks or
// by asks: positions, velocities and numbers of interactions equal those of the serial twin to the last bit.
//
// # The proof of the verification
//
// Handlers count particles, questions and answers with their fingerprints, and check that they are at their owner. All
// particles must be present after each step, and all walks must have ended. Forces on a sample of the particles are
// compared with direct sums. For a small simulation, rank 0 also runs its serial twin, which must have the same
// particles.
package nbody

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/nbody/gravity"
)

// Source is a source of particles, such as a system of package initial or a file of package tipsy. All ranks of a
// process share it, and read concurrently.
type Source interface {
	Name() string
	Time() float64 // at the beginning of a simulation
	Particles() int
	// Read reads the particles from a number on.
	Read(first int, into []gravity.Particle) error
}

// Config configures a simulation. Source is required. It is the same on all ranks.
type Config struct {
	apps.Common // Seed is only in the report; Progress counts steps
	Source      Source
	Steps       int     // 0 means none: only forces
	Step        float64 // time of one; 0 means 0.01
	Theta       float64 // opening angle; 0 means 0.7
	Order       int     // of moments, 1 (the mass) to 4 (hexadecapoles); 0 means 4
	Bucket      int     // limit of particles of a leaf; 0 means 16
	// Rungs is the largest number of times that a step is halved for particles that need it; 0 means never: steps are
	// global. A particle's step is at most Eta times the root of its softening over its acceleration; 0 means 0.2.
	Rungs int
	Eta   float64
	Walk  By // "" means Asks
	// Sample is the number of particles whose final forces are compared with direct sums; 0 means 100, below 0 none.
	Sample int
	// Twin also runs the serial twin on rank 0, for comparison. Otherwise only small simulations are compared.
	Twin bool
	List bool // gather all particles on rank 0 at the end
}

// By is the way to walk.
type By string

// The ways to walk.
const (
	Asks  By = "asks"  // by questions with callbacks for answers
	Tasks By = "tasks" // by a task for each bucket, which waits
)

// Walks are all ways to walk.
var Walks = []By{Asks, Tasks}

const (
	stepsMost     = 1 << 30
	stepDefault   = 0.01
	thetaDefault  = 0.7
	bucketDefault = 16
	bucketMost    = 1 << 12
	rungsMost     = 30
	etaDefault    = 0.2
	sampleMost    = 1 << 16
	twinMost      = 1 << 17 // largest number of particles times steps for which the twin runs by default
)

func (c Config) withDefaults() Config {
	c.Order = cmp.Or(c.Order, gravity.OrderMost)
	c.Bucket = cmp.Or(c.Bucket, bucketDefault)
	c.Sample = cmp.Or(c.Sample, 100)
	c.Step = cmp.Or(c.Step, stepDefault)
	c.Theta = cmp.Or(c.Theta, thetaDefault)
	c.Eta = cmp.Or(c.Eta, etaDefault)
	c.Walk = cmp.Or(c.Walk, Asks)
	return c
}

// Check returns an error if c is invalid for a job of this number of ranks.
func (c Config) Check(ranks int) error {
	if err := c.withDefaults().check(ranks); err != nil {
		return fmt.Errorf("nbody: %w", err)
	}
	return nil
}

func (c Config) check(ranks int) error {
	isLength := func(x float64) bool { return x > 0 && !math.IsInf(x, 1) }
	switch {
	case c.Source == nil:
		return fmt.Errorf("no particles: give a source of them")
	case c.Source.Particles() < ranks:
		return fmt.Errorf("%d particles on %d ranks: give at least one to each", c.Source.Particles(), ranks)
	case c.Steps < 0 || c.Steps > stepsMost:
		return fmt.Errorf("%d steps: give 0 to %d", c.Steps, stepsMost)
	case !isLength(c.Step):
		return fmt.Errorf("steps of %v: give a time above 0", c.Step)
	case !(c.Theta >= 0.1) || c.Theta > 1.5:
		return fmt.Errorf("an opening angle of %v: give 0.1 to 1.5", c.Theta)
	case c.Order < 1 || c.Order > gravity.OrderMost:
		return fmt.Errorf("moments of order %d: give 1 (mass) to %d (hexadecapoles)", c.Order, gravity.OrderMost)
	case c.Bucket < 1 || c.Bucket > bucketMost:
		return fmt.Errorf("buckets of %d particles: give 1 to %d", c.Bucket, bucketMost)
	case c.Rungs < 0 || c.Rungs > rungsMost:
		return fmt.Errorf("steps halved %d times: give 0 to %d", c.Rungs, rungsMost)
	case !isLength(c.Eta):
		return fmt.Errorf("steps of %v of what fits: give a number above 0", c.Eta)
	case !slices.Contains(Walks, c.Walk):
		return fmt.Errorf("no way to walk %q: use one of %s", c.Walk, apps.Names(Walks))
	case c.Sample > sampleMost:
		return fmt.Errorf("a sample of %d particles: give up to %d", c.Sample, sampleMost)
	}
	return nil
}

// Result is the report of a simulation. Lengths, times and energies are in the units of the particles, where the
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
	Requests     uint64  `json:"requests"`        // of 16 bytes, for branches below cells of another process
	CacheHits    uint64  `json:"cache_hits"`      // cells of other processes that were opened without one
	SharedWaits  uint64  `json:"shared_waits"`    // waits for a branch that another walk had requested
	EnergyStart  float64 `json:"energy_start"`    // kinetic and potential
	EnergyEnd    float64 `json:"energy_end"`
	Momentum     float64 `json:"momentum_change"` // length of the change of the total
	Spin         float64 `json:"spin_change"`     // the same of the angular momentum
	Sample       int     `json:"force_sample"`    // particles whose accelerations were compared with direct sums
	ErrorMedian  float64 `json:"force_error_median"`
	Error99      float64 `json:"force_error_99"`
	Checksum     string  `json:"checksum"` // of all particles at the end, 16 hexadecimal digits
	Twin         bool    `json:"twin"`     // the serial twin was run and compared

	End        []gravity.Particle `json:"-"` // on rank 0, if Config.List is set: the final state, by number
	Potentials []float64          `json:"-"` // of each
}

// describe sets the fields known before a run.
func (r *Result) describe(c Config) {
	r.System, r.Particles, r.Steps, r.Step = c.Source.Name(), c.Source.Particles(), c.Steps, c.Step
	r.Theta, r.Order, r.Bucket, r.Rungs, r.Walk = c.Theta, c.Order, c.Bucket, c.Rungs, c.Walk
}

// count sets the fields with the counts of all parts.
func (r *Result) count(start, end totals, counts gravity.Counts) {
	r.WithCells, r.WithOthers, r.Interactions = counts.Cells, counts.Particles, counts.Cells+counts.Particles
	r.EnergyStart, r.EnergyEnd = start.Kinetic+start.Potential, end.Kinetic+end.Potential
	length := func(v gravity.Vector) float64 { return math.Sqrt(v.Dot(v)) }
	r.Momentum = length(end.Momentum.Plus(-1, start.Momentum))
	r.Spin = length(end.Spin.Plus(-1, start.Spin))
	r.Checksum = fmt.Sprintf("%016x", end.Checksum)
}

// list sets the particles.
func (r *Result) list(bodies []body) {
	slices.SortFunc(bodies, func(a, b body) int { return cmp.Compare(a.number, b.number) })
	for i := range bodies {
		r.End = append(r.End, bodies[i].Particle)
		r.Potentials = append(r.Potentials, bodies[i].Phi)
	}
}

// Rows returns labels and values of the result for display.
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
	return append(rows, r.TwinRow(r.Twin), [2]string{"checksum", r.Checksum})
}
