package nbody

import (
	"slices"
	"time"
	"unsafe"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/nbody/gravity"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
)

// Run simulates. Every rank calls it once, between epochs, with the same configuration except Progress. It registers
// four targets. The result is complete on every rank, except End and Potentials, which only rank 0 gets. Its Errors
// counts the faults that the verification finds; an error means that the run could not start, or failed.
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
		Kernel: func() error { return b.simulate() },
		Verify: func() error { return b.verify(&result) },
		Steps:  &b.steps,
		Tally:  &b.tally,
	})
	return result, err
}

// bench is one rank's part of a run.
type bench struct {
	rank    *pebble.Rank
	config  Config
	part    *part
	steps   apps.Steps // the first forces, and then the steps of bodies
	tally   apps.Tally
	walks   *walks
	moves   *target.Target[move]
	trees   int
	astray  uint64 // steps after which bodies were missing
	gravity time.Duration
	start   totals
}

// move is a body on its way to the new owner of its piece of the curve.
type move struct {
	body
	To uint64
}

// bytesPerBody is the largest memory of a body, with its share of the tree.
const bytesPerBody = 2*unsafe.Sizeof(body{}) + unsafe.Sizeof(gravity.Source{}) + unsafe.Sizeof(gravity.Cell{})

// settle reads the rank's share of the particles, and registers the targets.
func (b *bench) settle() error {
	source := distribution.Block(uint64(b.config.Source.Particles()), b.rank.Size())
	n := source.LocalLen(b.rank.ID())
	if err := apps.MustFit(b.rank, "nbody: the particles", uint64(n)*uint64(bytesPerBody),
		"give fewer, or more processes on other hosts"); err != nil {
		return err
	}
	if err := b.part.read(int(source.Key(b.rank.ID(), 0)), n); err != nil {
		return err
	}
	b.moves = target.New(b.rank, "particle", distribution.Ranks(b.rank.Size()),
		target.Key(func(m move) uint64 { return m.To }), target.Batch(b.take))
	b.walks = openWalks(b.rank, b.part, &b.tally)
	return b.restore(source)
}

// simulate is the kernel: the first forces, and the steps.
func (b *bench) simulate() error {
	most := func(n uint64) (uint64, error) { return pebble.AllReduce(b.rank, n, pebble.Max[uint64]) }
	l := leapfrog{b.part, b.forces, most}
	return b.steps.Run(func(n int) (more bool, err error) {
		switch {
		case n > b.config.Steps:
			return false, nil
		case n == 0:
			return true, b.first()
		}
		if err := l.step(); err != nil {
			return false, err
		}
		b.config.Progress.Passed(b.rank, 1, uint64(n-1), uint64(n), uint64(b.config.Steps))
		return true, b.count()
	})
}

// first finds the forces on all bodies as they were read.
func (b *bench) first() (err error) {
	if err := b.forces(all); err != nil {
		return err
	}
	b.start, err = pebble.AllReduce(b.rank, b.part.totals(), totals.plus)
	return err
}

// count counts the bodies after a step.
func (b *bench) count() error {
	bodies, err := apps.Sum(b.rank, uint64(len(b.part.bodies)))
	if err == nil && bodies != uint64(b.config.Source.Particles()) {
		b.astray++
	}
	return err
}

// forces computes the forces on active bodies: it divides the curve again, moves bodies to their owners, builds the
// tree and walks it.
func (b *bench) forces(active func(b *body) bool) error {
	box, err := pebble.AllReduce(b.rank, b.part.box(), gravity.Box.With)
	if err != nil {
		return err
	}
	if err := b.part.assignKeys(box); err != nil {
		return err
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

// movesMade is the number of bodies sent together.
const movesMade = 256

// exchange sends bodies to the owners of their pieces.
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
	}) // no declared depth, since walks have none, so that all epochs end alike
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

// Serial is the simulation without a job: one goroutine with all particles. It shares trees and steps with Run, but no
// messages. The result has no times, and no force errors.
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
