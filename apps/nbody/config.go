package nbody

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/nbody/gravity"
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
	// Progress, when not nil, is called on rank 0 after each step.
	Progress func(done, total uint64)
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
	sampleDefault = 100
	sampleMost    = 1 << 16
	twinMost      = 1 << 17 // particles times steps for which the twin is run without being asked
)

func (c Config) withDefaults() Config {
	for _, x := range []struct {
		n        *int
		standard int
	}{{&c.Order, gravity.OrderMost}, {&c.Bucket, bucketDefault}, {&c.Sample, sampleDefault}} {
		if *x.n == 0 {
			*x.n = x.standard
		}
	}
	for _, x := range []struct {
		n        *float64
		standard float64
	}{{&c.Step, stepDefault}, {&c.Theta, thetaDefault}, {&c.Eta, etaDefault}} {
		if *x.n == 0 {
			*x.n = x.standard
		}
	}
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
	case ranks <= 0:
		return fmt.Errorf("%d ranks: a job has at least one", ranks)
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
