// Package nbody simulates systems of particles that attract each other (ChaNGa: TRAM, section VI A): Barnes-Hut trees
// with moments up to hexadecapoles, and leapfrog steps, global ones or each particle's own.
//
// Particles are in the order of a space-filling curve, and each rank has a piece of it, whose work in the last step was
// the same as that of others. Ranks build the trees of their pieces; all know the tree's top. A walk that has to open a
// cell of another process asks its owner by a pebble of 16 bytes, which is aggregated with others; the answer, moments
// of the cells below or the particles of a bucket, goes as it is into a cache that the ranks of a process share. Walks
// that need the same wait once, and others go on meanwhile.
//
// # The same answer everywhere
//
// The tree is cut by cells of the curve, whoever has their particles, and a walk that waited goes on where it was. So
// all forces are added up in the same order on any number of ranks, over any network, and with any buffers, by tasks or
// by asks: positions, velocities and numbers of interactions are those of the serial twin to the last bit.
//
// # What verification proves
//
// Handlers count particles, questions and answers with their fingerprints, and whether they are at their owner. All
// particles must be there after each step, and all walks must have ended. Forces on a sample of the particles are
// compared with direct sums. Where a simulation is small, rank 0 runs its serial twin, which must have the same
// particles.
package nbody

import (
	"cmp"
	"fmt"
	"image"
	"math"
	"slices"
	"time"
	"unsafe"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/nbody/gravity"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
)

// Source is where particles come from, such as a system of package initial or a file of package tipsy. All ranks of a
// process share it, and read at the same time.
type Source interface {
	Name() string
	Time() float64 // at which a simulation begins
	Particles() int
	// Read reads the particles from a number on.
	Read(first int, into []gravity.Particle) error
}

// Config is what a simulation can be told. Source is needed; all ranks give the same.
type Config struct {
	Source Source
	Seed   uint64  // for the report
	Steps  int     // 0 is none: forces alone
	Step   float64 // time of one; 0 is 0.01
	Theta  float64 // opening angle; 0 is 0.7
	Order  int     // of moments, 1 (the mass) to 4 (hexadecapoles); 0 is 4
	Bucket int     // particles of a leaf, at most; 0 is 16
	// Rungs is how often a step may be halved for particles that need it: 0 is never, so that steps are global. A
	// particle's own step is at most Eta times the root of its softening over its acceleration; 0 is 0.2.
	Rungs int
	Eta   float64
	Walk  By // "" is Asks
	// Sample is on how many particles, at the end, the forces are compared with direct sums; 0 is 100, below 0 none.
	Sample int
	// Twin runs the serial twin on rank 0, too, and compares with it. Without it, only small simulations are compared.
	Twin bool
	// List gathers all particles on rank 0; Picture draws them at the end, and Frames after each step too.
	List, Picture, Frames bool
	Progress              apps.Progress // after each step
}

// By is what walks are.
type By string

// The ways to walk.
const (
	Asks  By = "asks"  // by questions whose answers come to callbacks
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
	twinMost      = 1 << 17 // particles times steps for which the twin is run without being asked
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

// Check returns an error that says what is wrong with c for a job of so many ranks.
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
		return fmt.Errorf("steps of %v: give a time above 0, or 0 for %v", c.Step, stepDefault)
	case !(c.Theta >= 0.1) || c.Theta > 1.5:
		return fmt.Errorf("an opening angle of %v: give 0.1 to 1.5, or 0 for %v", c.Theta, thetaDefault)
	case c.Order < 1 || c.Order > gravity.OrderMost:
		return fmt.Errorf("moments of order %d: give 1 (mass) to %d (hexadecapoles), or 0 for %[2]d", c.Order,
			gravity.OrderMost)
	case c.Bucket < 1 || c.Bucket > bucketMost:
		return fmt.Errorf("buckets of %d particles: give 1 to %d, or 0 for %d", c.Bucket, bucketMost, bucketDefault)
	case c.Rungs < 0 || c.Rungs > rungsMost:
		return fmt.Errorf("steps halved %d times: give 0 to %d", c.Rungs, rungsMost)
	case !isLength(c.Eta):
		return fmt.Errorf("steps of %v of what fits: give a number above 0, or 0 for %v", c.Eta, etaDefault)
	case !slices.Contains(Walks, c.Walk):
		return fmt.Errorf("no way to walk %q: use one of %s", c.Walk, apps.Names(Walks))
	case c.Sample > sampleMost:
		return fmt.Errorf("a sample of %d particles: give up to %d", c.Sample, sampleMost)
	}
	return nil
}

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
	return append(rows, r.TwinRow(r.Twin), [2]string{"checksum", r.Checksum})
}

// Run simulates. Every rank calls it once, between epochs, with the same configuration but for Progress. It registers
// four targets. The result is complete on every rank, but for Particles and pictures, which rank 0 has. What went wrong
// is counted in its Errors; an error means that the job failed, or can't work.
func Run(r *pebble.Rank, c Config) (Result, error) {
	if err := c.Check(r.Size()); err != nil {
		return Result{}, err
	}
	c = c.withDefaults()
	b := &bench{rank: r, config: c, part: newPart(c, r.ID())}
	result := Result{Report: apps.NewReport(r, "nbody", c.Seed)}
	result.describe(c)
	err := result.RunPhases(r, apps.Phases{
		Load:   b.settle,
		Kernel: func() error { return b.simulate(&result) },
		Verify: func() error { return b.verify(&result) },
		Tally:  &b.tally,
	})
	return result, err
}

// bench is one rank's part of a run.
type bench struct {
	rank    *pebble.Rank
	config  Config
	part    *part
	tally   apps.Tally
	walks   *walks
	moves   *target.Target[move]
	trees   int
	astray  uint64 // steps after which not all bodies were there
	gravity time.Duration
	frame   frame
	start   totals
}

// move is a body that goes to the rank that has its piece of the curve from now on.
type move struct {
	body
	To uint64
}

// bytesPerBody is what a body takes at the most, with its share of the tree.
const bytesPerBody = 2*unsafe.Sizeof(body{}) + unsafe.Sizeof(gravity.Source{}) + unsafe.Sizeof(gravity.Cell{})

// settle reads the rank's share of the particles, and registers what ranks send.
func (b *bench) settle() error {
	n, self, ranks := uint64(b.config.Source.Particles()), uint64(b.rank.ID()), uint64(b.rank.Size())
	if err := apps.MustFit(b.rank, "nbody: the particles", n/ranks*uint64(bytesPerBody),
		"give fewer, or more processes on other hosts"); err != nil {
		return err
	}
	first, last := n*self/ranks, n*(self+1)/ranks
	if err := b.part.read(int(first), int(last-first)); err != nil {
		return err
	}
	b.moves = target.New(b.rank, "particle", distribution.Ranks(b.rank.Size()),
		target.Key(func(m move) uint64 { return m.To }), target.Batch(b.take))
	b.walks = openWalks(b.rank, b.part, &b.tally)
	return nil
}

// simulate is the kernel: the first forces, and the steps.
func (b *bench) simulate(result *Result) error {
	if err := b.forces(all); err != nil {
		return err
	}
	var err error
	if b.start, err = pebble.AllReduce(b.rank, b.part.totals(), totals.plus); err != nil {
		return err
	}
	if err := b.addFrame(result); err != nil {
		return err
	}
	most := func(n uint64) (uint64, error) { return pebble.AllReduce(b.rank, n, pebble.Max[uint64]) }
	l := leapfrog{b.part, b.forces, most}
	for step := range b.config.Steps {
		if err := l.step(); err != nil {
			return err
		}
		bodies, err := apps.Sum(b.rank, uint64(len(b.part.bodies)))
		if err != nil {
			return err
		}
		if bodies != uint64(b.config.Source.Particles()) {
			b.astray++
		}
		if err := b.addFrame(result); err != nil {
			return err
		}
		b.config.Progress.Passed(b.rank, 1, uint64(step), uint64(step+1), uint64(b.config.Steps))
	}
	return nil
}

// forces finds the forces on active bodies: it divides the curve anew, moves bodies to where they belong, builds the
// tree and walks it.
func (b *bench) forces(active func(b *body) bool) error {
	box, err := pebble.AllReduce(b.rank, b.part.box(), gravity.Box.With)
	if err != nil {
		return err
	}
	if err := b.part.assignKeys(box); err != nil {
		return err
	}
	if b.trees == 0 {
		b.frame = frameOf(box)
	}
	pieces, err := b.split()
	if err != nil {
		return err
	}
	if err := b.exchange(pieces); err != nil {
		return err
	}
	root, own, err := b.build(pieces)
	if err != nil {
		return err
	}
	before := b.rank.Now()
	err = b.walks.run(root, own, active)
	b.gravity += b.rank.Now() - before
	return err
}

// movesMade is how many bodies are sent together.
const movesMade = 256

// exchange sends bodies to the ranks that have their pieces.
func (b *bench) exchange(pieces []piece) error {
	self, all := b.rank.ID(), b.part.bodies
	b.part.bodies = b.part.spare[:0] // which take adds to
	err := b.rank.Epoch(func() error {
		out := make([]move, 0, movesMade)
		for i := range all {
			to := ownerOf(pieces, all[i].key)
			if to == self {
				b.part.bodies = append(b.part.bodies, all[i])
				continue
			}
			b.tally.Send(all[i].fingerprint())
			if out = append(out, move{all[i], uint64(to)}); len(out) == cap(out) {
				b.moves.SendAll(out)
				out = out[:0]
			}
		}
		b.moves.SendAll(out)
		return nil
	}) // which declares no depth, since walks can't, so that all epochs end alike
	b.part.spare = all[:0]
	if err != nil {
		return err
	}
	b.part.sort()
	return nil
}

// take takes bodies of this rank's pieces.
func (b *bench) take(ms []move) {
	for i := range ms {
		b.tally.Take(ms[i].fingerprint(), ms[i].To == uint64(b.rank.ID()))
		b.part.bodies = append(b.part.bodies, ms[i].body)
	}
}

// build builds the trees of this rank's pieces, and the tree's top.
func (b *bench) build(pieces []piece) (root *gravity.Cell, own []*gravity.Cell, err error) {
	b.trees++
	b.part.prepare()
	var summaries []gravity.Summary
	for _, p := range pieces {
		if from, to := b.part.within(p.cell); p.owner != b.rank.ID() || from == to {
			continue
		}
		cell := new(gravity.Cell)
		summaries = append(summaries, b.part.builder.Build(p.cell, cell))
		own = append(own, cell)
		b.walks.cache.add(b.trees, cell)
	}
	of, err := pebble.AllGatherSlice(b.rank, summaries)
	if err != nil {
		return nil, nil, err
	}
	return b.walks.cache.top(b.trees, slices.Concat(of...), b.config.Bucket), own, nil
}

// Serial is the simulation without a job: one goroutine that has all particles. It shares trees and steps with Run, and
// has nothing of its messages. The result has no times, and no force errors.
func Serial(c Config) (Result, error) {
	if err := c.Check(1); err != nil {
		return Result{}, err
	}
	c = c.withDefaults()
	p := newPart(c, 0)
	r := Result{}
	r.describe(c)
	if err := p.read(0, c.Source.Particles()); err != nil {
		return r, err
	}
	l := leapfrog{p, p.serialForces, func(n uint64) (uint64, error) { return n, nil }}
	if err := p.serialForces(all); err != nil {
		return r, err
	}
	start := p.totals()
	for range c.Steps {
		if err := l.step(); err != nil {
			return r, err
		}
	}
	r.count(start, p.totals(), p.counts)
	if c.List {
		r.list(slices.Clone(p.bodies))
	}
	return r, nil
}

// verify sums up what all ranks have counted, and adds to the result what is wrong with it.
func (b *bench) verify(r *Result) error {
	if err := b.collect(r); err != nil {
		return err
	}
	if err := r.FoundOnce(b.rank, b.astray,
		"steps went wrong: not all particles were there afterwards"); err != nil {
		return err
	}
	if err := r.Found(b.rank, b.walks.lost, "walks went wrong: they waited in vain"); err != nil {
		return err
	}
	if err := b.sample(r); err != nil {
		return err
	}
	return b.compare(r)
}

// seen is what a rank has counted.
type seen struct {
	gravity.Counts
	Asked, Shared uint64
	Gravity       time.Duration
}

func (s seen) plus(o seen) seen {
	s.Add(o.Counts)
	return seen{s.Counts, s.Asked + o.Asked, s.Shared + o.Shared, max(s.Gravity, o.Gravity)}
}

// collect fills in the result.
func (b *bench) collect(r *Result) error {
	end, err := pebble.AllReduce(b.rank, b.part.totals(), totals.plus)
	if err != nil {
		return err
	}
	s, err := pebble.AllReduce(b.rank, seen{b.part.counts, b.walks.asked, b.walks.shared, b.gravity}, seen.plus)
	if err != nil {
		return err
	}
	r.count(b.start, end, s.Counts)
	// A cell that was asked for is opened when it has come, once for each walk that has waited.
	r.Requests, r.SharedWaits, r.CacheHits = s.Asked, s.Shared, s.Hits-min(s.Asked+s.Shared, s.Hits)
	r.Gravity = s.Gravity.Seconds()
	r.PerSecond = apps.Rate(float64(r.Interactions), r.Seconds)
	if b.config.Picture {
		if r.Picture, err = b.draw(pictureSide); err != nil {
			return err
		}
	}
	if !b.config.List {
		return nil
	}
	of, err := pebble.GatherSlice(b.rank, 0, b.part.bodies)
	if err == nil && b.rank.ID() == 0 {
		r.list(slices.Concat(of...))
	}
	return err
}

// probe is a body whose force is compared with direct sums.
type probe struct {
	At     gravity.Vector
	Soft   float64
	Acc    gravity.Vector
	Number uint32
}

// The worst errors of forces that are no fault: the least exact configurations have a tenth of them.
const (
	medianMost = 0.1
	worstMost  = 0.5
)

// forcesAtOnce is how many forces are added up over all ranks together.
const forcesAtOnce = 32

// sample compares the forces on some bodies with direct sums over all.
func (b *bench) sample(r *Result) error {
	n := min(max(b.config.Sample, 0), r.Particles)
	if n == 0 {
		return nil
	}
	var own []probe
	for i := range b.part.bodies {
		x := &b.part.bodies[i]
		if at := uint64(x.number) * uint64(n); at%uint64(r.Particles) < uint64(n) {
			own = append(own, probe{x.Pos, x.Soft, x.Acc, x.number})
		}
	}
	of, err := pebble.AllGatherSlice(b.rank, own)
	if err != nil {
		return err
	}
	b.part.prepare() // bodies are where they were in the last walk, but velocities
	var errors []float64
	for some := range slices.Chunk(slices.Concat(of...), forcesAtOnce) {
		var forces [forcesAtOnce]gravity.Force
		for i, p := range some {
			self := slices.IndexFunc(b.part.bodies, func(x body) bool { return x.number == p.Number })
			forces[i] = gravity.Direct(p.At, p.Soft, b.part.builder.Sources, self)
		}
		b.rank.Compute(time.Duration(len(some)*len(b.part.bodies)) * perParticle)
		sums, err := pebble.AllReduce(b.rank, forces, func(a, b [forcesAtOnce]gravity.Force) [forcesAtOnce]gravity.Force {
			for i := range a {
				a[i] = gravity.Force{Acc: a[i].Acc.Plus(1, b[i].Acc), Phi: a[i].Phi + b[i].Phi}
			}
			return a
		})
		if err != nil {
			return err
		}
		for i, p := range some {
			errors = append(errors, errorOf(p.Acc, sums[i].Acc))
		}
	}
	if len(errors) == 0 {
		return nil
	}
	slices.Sort(errors)
	r.Sample, r.ErrorMedian, r.Error99 = len(errors), errors[len(errors)/2], errors[len(errors)*99/100]
	wrong := uint64(0)
	if !(r.ErrorMedian <= medianMost) || !(r.Error99 <= worstMost) {
		wrong = 1
	}
	return r.FoundOnce(b.rank, wrong, "sample of forces went wrong: they are not those of direct sums")
}

// errorOf is the relative error of an acceleration.
func errorOf(got, want gravity.Vector) float64 {
	d := got.Plus(-1, want)
	if off := d.Dot(d); off > 0 {
		return math.Sqrt(off / want.Dot(want))
	}
	return 0
}

// compare compares the result with the serial twin's, which rank 0 runs.
func (b *bench) compare(r *Result) error {
	r.Twin = b.config.Twin || uint64(r.Particles)*uint64(r.Steps+1) <= twinMost
	return r.Compare(b.rank, r.Twin, func() (uint64, error) {
		c := b.config
		c.List = false
		twin, err := Serial(c)
		return apart(*r, twin), err
	})
}

// apart is in how many of their results two runs differ: particles and counts to the last bit, energies as far as sums
// in another order may.
func apart(a, b Result) (n uint64) {
	near := func(x, y float64) bool { return math.Abs(x-y) <= 1e-11*max(math.Abs(x), math.Abs(y)) }
	return apps.Differ(a.Checksum == b.Checksum, a.WithCells == b.WithCells, a.WithOthers == b.WithOthers,
		near(a.EnergyStart, b.EnergyStart), near(a.EnergyEnd, b.EnergyEnd))
}
