package contagion

import (
	"slices"
	"time"
	"unsafe"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/reduce"
	"github.com/activepebbles/pebbles/route"
	"github.com/activepebbles/pebbles/target"
)

// Run simulates. Every rank calls it once, between epochs, with the same configuration except Progress. It registers
// two targets. The result is complete on every rank, except Infections, which only rank 0 gets. Its Errors counts the
// faults that the verification finds; an error means that the run could not start, or failed.
func Run(r *pebble.Rank, c Config) (Result, error) {
	if err := c.Check(r.Size()); err != nil {
		return Result{}, err
	}
	b := &bench{rank: r, config: c.withDefaults()}
	result := Result{Report: apps.NewReport(r, "contagion", c.Seed)}
	result.describe(b.config)
	var tally apps.Tally
	err := result.RunPhases(r, apps.Phases{
		Load: b.settle, Kernel: b.simulate,
		Verify: func() error {
			tally = b.part.tally
			return b.verify(&result)
		},
		Steps: &b.steps, Tally: &tally,
	})
	return result, err
}

// bench is one rank's part of a run.
type bench struct {
	rank      *pebble.Rank
	config    Config
	part      *part
	send      func(vs []visit) // sends visits
	flush     func()           // sends manually buffered visits
	bundles   int64            // bytes of the application's buffers
	exposures *target.Target[exposure]
	steps     apps.Steps // days
}

// Simulated times of people and locations, as measured.
const (
	perVisit = 150 * time.Nanosecond // made and taken
	perSwept = 100 * time.Nanosecond // visit to a location with possible infections
)

// settle makes the rank's people and locations, and registers the targets.
func (b *bench) settle() error {
	w := newRules(b.config, b.rank.Size())
	people, places := newSpot(w.people, b.rank.ID()).n, newSpot(w.locations, b.rank.ID()).n
	bytes := people*uint64(unsafe.Sizeof(person{})) + places*uint64(unsafe.Sizeof(place{}))
	if err := apps.MustFit(b.rank, "contagion: the people and locations", bytes,
		"give fewer, or more processes on other hosts"); err != nil {
		return err
	}
	b.part = newPart(w, b.rank.ID())
	b.flush = func() {}
	if b.config.Send == Manual {
		b.byHand()
	} else {
		t := target.New(b.rank, "visit", w.locations, target.Keys(locationsOf), target.Batch(b.take))
		b.send = func(vs []visit) {
			for i := range vs {
				b.part.tally.Sum += vs[i].fingerprint()
			}
			b.part.tally.Sent += uint64(len(vs))
			t.SendAll(vs)
		}
	}
	options := []target.Option{target.Reduce(reduce.Combine(merge))}
	if b.config.Send == Manual {
		options = append(options, target.Route(route.Direct)) // some detectors need the same topology for all targets
	}
	b.exposures = target.New(b.rank, "exposure", w.people, target.Keys(personsOf), target.Batch(b.part.expose), options...)
	return b.restore()
}

// take counts received visits, and takes them.
func (b *bench) take(vs []visit) {
	sum := uint64(0)
	for i := range vs {
		sum += vs[i].fingerprint()
	}
	b.part.tally.Handled += uint64(len(vs))
	b.part.tally.Sum -= sum
	b.part.take(vs)
}

// simulate is the kernel: two epochs a day.
func (b *bench) simulate() error {
	return b.steps.Run(func(day int) (more bool, err error) {
		if day >= b.config.Days {
			return false, nil
		}
		err = b.day(day)
		b.config.Progress.Passed(b.rank, 1, uint64(day), uint64(day+1), uint64(b.config.Days))
		return true, err
	})
}

func (b *bench) day(day int) (err error) {
	infected := uint64(0)
	if b.part.isAsked() {
		if infected, err = apps.Sum(b.rank, b.part.newly); err != nil {
			return err
		}
	}
	b.part.begin(day, infected)
	b.part.open()
	if err := b.epoch(func() {
		b.part.visit(day, func(vs []visit) {
			b.rank.Compute(time.Duration(len(vs)) * perVisit)
			b.send(vs)
		})
		b.flush()
	}); err != nil {
		return err
	}
	if err := b.epoch(func() {
		b.part.meet(day, b.expose)
		b.rank.Compute(time.Duration(len(b.part.order)) * perSwept)
	}); err != nil {
		return err
	}
	b.part.decide(day)
	return nil
}

// epoch is an epoch whose handlers send nothing.
func (b *bench) epoch(body func()) error {
	return b.rank.Epoch(func() error {
		body()
		return nil
	}, pebble.Depth(1))
}

// expose sends exposures.
func (b *bench) expose(xs []exposure) {
	for i := range xs {
		b.part.tally.Send(xs[i].fingerprint())
	}
	b.exposures.SendAll(xs)
}

// Serial is the simulation without a job: one goroutine with all people and locations. It shares the rules of people
// and locations with Run, but no messages. The result has no times, and has infections only if Config.List is set.
func Serial(c Config) (Result, error) {
	c.People, c.Locations = nil, nil
	if err := c.Check(1); err != nil {
		return Result{}, err
	}
	c = c.withDefaults()
	p := newPart(newRules(c, 1), 0)
	for day := range c.Days {
		p.begin(day, p.newly)
		p.open()
		p.visit(day, func(vs []visit) { p.take(vs) })
		p.meet(day, func(xs []exposure) { p.expose(xs) })
		p.decide(day)
	}
	r := Result{}
	r.describe(c)
	r.count(c, p.curve, p.totals())
	if c.List {
		r.Infections = slices.Clone(p.infections)
		sortInfections(r.Infections)
	}
	return r, nil
}
