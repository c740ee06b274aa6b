package nbody

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/nbody/gravity"
)

// body is a moving particle. It is plain data.
type body struct {
	gravity.Particle
	gravity.Force        // as last computed
	key           uint64 // place along the curve
	number        uint32 // in the source
	work          uint32 // of the walks for the last force, in interactions with particles
	rung          uint8  // number of halvings of its steps
}

// fingerprint distinguishes bodies by their motion and their forces.
func (b *body) fingerprint() uint64 {
	print := uint64(b.number)<<8 | uint64(b.rung)
	for _, v := range [...]float64{
		b.Mass, b.Soft, b.Pos[0], b.Pos[1], b.Pos[2], b.Vel[0], b.Vel[1], b.Vel[2], b.Acc[0], b.Acc[1], b.Acc[2], b.Phi,
	} {
		print = apps.Fold(print, math.Float64bits(v))
	}
	return print
}

// part is the bodies of a rank, and its work for them. The serial twin is a single part.
type part struct {
	Config
	bodies  []body
	spare   []body
	order   []place
	builder gravity.Builder
	counts  gravity.Counts
}

// place is the position of a body in the part, and along the curve.
type place struct {
	key        uint64
	number, at uint32
}

func newPart(c Config, owner int) *part {
	return &part{Config: c, builder: gravity.Builder{Most: c.Bucket, Owner: int32(owner)}}
}

// read reads the bodies from a number on.
func (p *part) read(first, n int) error {
	particles := make([]gravity.Particle, n)
	if n == 0 {
		return nil
	}
	if err := p.Source.Read(first, particles); err != nil {
		return err
	}
	p.bodies = make([]body, n)
	for i := range p.bodies {
		p.bodies[i] = body{Particle: particles[i], number: uint32(first + i), work: 1}
	}
	return nil
}

// box returns the box of all bodies of the part. Without bodies it is neutral for With.
func (p *part) box() gravity.Box {
	far := math.Inf(1)
	b := gravity.Box{Low: gravity.Vector{far, far, far}, High: gravity.Vector{-far, -far, -far}}
	for i := range p.bodies {
		b = b.With(gravity.Around(p.bodies[i].Pos))
	}
	return b
}

// assignKeys gives bodies their places along the curve through the box of all bodies.
func (p *part) assignKeys(all gravity.Box) error {
	cube := gravity.CubeOf(all)
	if cube.Side == 0 {
		if p.Source.Particles() > 1 {
			return fmt.Errorf("nbody: all %d particles are in one place", p.Source.Particles())
		}
		cube.Side = 1
	}
	if !(cube.Side <= math.MaxFloat64) {
		return fmt.Errorf("nbody: particles have gone beyond all numbers: give smaller steps, or more softening")
	}
	for i := range p.bodies {
		p.bodies[i].key = cube.Key(p.bodies[i].Pos)
	}
	p.sort()
	return nil
}

// sort puts the bodies into the order of the curve; those at one place are in the order of their numbers.
func (p *part) sort() {
	p.order = p.order[:0]
	for i := range p.bodies {
		b := &p.bodies[i]
		p.order = append(p.order, place{b.key, b.number, uint32(i)})
	}
	slices.SortFunc(p.order, func(a, b place) int {
		return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.number, b.number))
	})
	p.spare = p.spare[:0]
	for _, x := range p.order {
		p.spare = append(p.spare, p.bodies[x.at])
	}
	p.bodies, p.spare = p.spare, p.bodies
}

// prepare passes the sorted bodies to the builder of trees. Walks of the previous ones must have ended.
func (p *part) prepare() {
	g := &p.builder
	g.Buckets, g.Keys, g.Sources = g.Buckets[:0], g.Keys[:0], g.Sources[:0]
	for i := range p.bodies {
		b := &p.bodies[i]
		g.Keys = append(g.Keys, b.key)
		g.Sources = append(g.Sources, gravity.Source{Pos: b.Pos, Mass: b.Mass, Soft: b.Soft})
	}
}

// begin begins the walk of a bucket for its active bodies, and reports whether there are any.
func (p *part) begin(w *gravity.Walk, root *gravity.Cell, bucket int, active func(b *body) bool) bool {
	w.Bucket = bucket
	return w.Begin(root, gravity.Criterion{Theta: p.Theta, Order: p.Order}, &p.builder.Buckets[bucket], p.builder.Sources,
		func(i int) bool { return active(&p.bodies[i]) })
}

// cellCost is the cost of an interaction with a cell, in interactions with particles.
const cellCost = 6

// end stores the forces of a walk that has ended in its bodies.
func (p *part) end(w *gravity.Walk) {
	from := p.builder.Buckets[w.Bucket].From
	work := (cellCost*w.Counts.Cells + w.Counts.Particles) / uint64(len(w.Forces))
	for i, at := range w.Active() {
		b := &p.bodies[from+at]
		b.Force, b.work = w.Forces[i], uint32(min(max(work, 1), math.MaxUint32))
	}
	p.counts.Add(w.Counts)
}

// serialForces computes the forces on all active bodies, for a single part.
func (p *part) serialForces(active func(b *body) bool) error {
	if err := p.assignKeys(p.box()); err != nil {
		return err
	}
	p.prepare()
	root := new(gravity.Cell)
	p.builder.Build(gravity.Root, root)
	var w gravity.Walk
	for i := range p.builder.Buckets {
		if p.begin(&w, root, i, active) {
			w.Go()
			p.end(&w)
		}
	}
	return nil
}

// within returns the range of the sorted bodies in a cell of the curve.
func (p *part) within(c gravity.ID) (from, to int) {
	at := func(key uint64) int {
		return sort.Search(len(p.bodies), func(i int) bool { return p.bodies[i].key >= key })
	}
	return at(c.First()), at(c.Last() + 1)
}

// totals are sums over bodies. The last bits of floating-point sums depend on the order.
type totals struct {
	Kinetic, Potential float64
	Momentum, Spin     gravity.Vector // linear and angular
	Bodies, Checksum   uint64
}

func (t totals) plus(o totals) totals {
	return totals{
		t.Kinetic + o.Kinetic, t.Potential + o.Potential, t.Momentum.Plus(1, o.Momentum), t.Spin.Plus(1, o.Spin),
		t.Bodies + o.Bodies, t.Checksum + o.Checksum,
	}
}

func (p *part) totals() (t totals) {
	t.Bodies = uint64(len(p.bodies))
	for i := range p.bodies {
		b := &p.bodies[i]
		t.Kinetic += b.Mass * b.Vel.Dot(b.Vel) / 2
		t.Potential += b.Mass * b.Phi / 2
		t.Momentum = t.Momentum.Plus(b.Mass, b.Vel)
		t.Spin = t.Spin.Plus(b.Mass, b.Pos.Cross(b.Vel))
		t.Checksum += b.fingerprint()
	}
	return t
}

// leapfrog moves bodies by kicks of half a step, drifts of a whole one, and kicks of half a step. A body on rung r has
// steps of 1/2^r of a whole one. Time within a step is counted in the smallest of these.
type leapfrog struct {
	*part
	forces func(active func(b *body) bool) error // computes forces on active bodies; may move bodies to other parts
	most   func(n uint64) (uint64, error)        // over all parts
}

// all selects all bodies, at the beginning and at the end of a step.
func all(*body) bool { return true }

// ticks returns the number of the smallest steps in a step of a rung.
func (l *leapfrog) ticks(rung uint8) uint64 { return 1 << (uint(l.Rungs) - uint(rung)) }

// step is one whole step. Before the first one the forces on all bodies must have been computed.
func (l *leapfrog) step() error {
	whole := l.ticks(0)
	for tick := uint64(0); tick < whole; {
		l.choose(tick)
		l.kick(tick)
		own := uint64(0)
		for i := range l.bodies {
			own = max(own, uint64(l.bodies[i].rung))
		}
		highest, err := l.most(own)
		if err != nil {
			return err
		}
		ticks := l.ticks(uint8(highest))
		l.drift(l.Step * float64(ticks) / float64(whole))
		tick += ticks
		if err := l.forces(func(b *body) bool { return l.isActive(b, tick) }); err != nil {
			return err
		}
		l.kick(tick)
	}
	return nil
}

// isActive reports whether a step of the body ends at a tick, and the next one begins.
func (l *leapfrog) isActive(b *body, tick uint64) bool { return tick%l.ticks(b.rung) == 0 }

// kick changes the velocities of active bodies by half of their steps.
func (l *leapfrog) kick(tick uint64) {
	for i := range l.bodies {
		if b := &l.bodies[i]; l.isActive(b, tick) {
			b.Vel = b.Vel.Plus(math.Ldexp(l.Step/2, -int(b.rung)), b.Acc)
		}
	}
}

func (l *leapfrog) drift(time float64) {
	for i := range l.bodies {
		b := &l.bodies[i]
		b.Pos = b.Pos.Plus(time, b.Vel)
	}
}

// choose sets the rungs of active bodies by their accelerations. Larger steps begin at multiples of themselves.
func (l *leapfrog) choose(tick uint64) {
	if l.Rungs == 0 {
		return
	}
	for i := range l.bodies {
		b := &l.bodies[i]
		if !l.isActive(b, tick) {
			continue
		}
		fits := l.Eta * math.Sqrt(b.Soft/math.Sqrt(b.Acc.Dot(b.Acc)))
		rung := 0
		for rung < l.Rungs && (math.Ldexp(l.Step, -rung) > fits || tick%l.ticks(uint8(rung)) != 0) {
			rung++
		}
		b.rung = uint8(rung)
	}
}
