package nbody

import "slices"

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
