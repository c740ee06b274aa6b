package target

import (
	"github.com/activepebbles/pebbles/internal/engine"
	"github.com/activepebbles/pebbles/route"
)

// A target's lanes, credit and plan belong to its topology. Those of topologies that it had before are kept, for a tuner goes
// back and forth between two.

// apply takes over what the target's options leave open, and returns the topology when it is another one.
func (c *core[V]) apply(s engine.Setting) (other route.Topology) {
	b := c.made
	if b.tunes.Coalesce {
		b.coalesce = s.Coalesce
		b.checkFactor()
	}
	if b.tunes.Topology && s.Name != c.routed {
		b.settings.topology = s.Topology
		c.routed, other = s.Name, b.topology()
	}
	if b.tunes.Cache && s.Cache != b.cache {
		b.cache = s.Cache
		c.recache()
	}
	return other
}

// recache replaces the reduction cache, which holds nothing back.
func (c *core[V]) recache() {
	c.cache, c.mergedSeen = c.made.newCache(), 0
}

// renewed tells the door of the new setting, once all of it is in force.
func (c *core[V]) renewed(t route.Topology) {
	cacheBytes := int64(0)
	if c.cache != nil {
		cacheBytes = int64(c.cache.Bytes())
		c.prices = newPrices(t, c.made.coalesce, c.door.Place().Processes)
	}
	c.door.Renew(t, c.most*c.unit, cacheBytes)
	c.ways()
}

// ways works out by which way frames can hold only pebbles of this rank, and whether arriving pebbles meet the cache.
//
// A write-through cache drops a pebble because an equal or better one went on before it. That one must get to the handler,
// or be dropped for another that does. Along fixed routes it is nearer to their owner than the one that is dropped, so that
// this comes to an end. Where keys or routes change, a pebble may come to a rank twice, and be dropped for itself; or two be dropped for
// each other, at two ranks. There a pebble meets the cache of its source alone. What a cache holds back is no copy, so caches
// that hold are right everywhere.
func (c *core[V]) ways() {
	c.atHops = c.cache != nil && (c.made.writeBack() || !c.moving() && c.plan.Fixed())
	c.oneHop = c.plan.Identity() && !c.moving()
	c.lastHop = !c.moving() && c.shares == nil // a shared buffer has pebbles that came over other links than the frame's
}

// refactor takes over another coalescing factor. Frames that are filling keep their size.
func (o *outbox) refactor(most, factor int) {
	o.most, o.factor = most, factor
	o.least = leastOf(most, o.unit)
	o.credit.most = int64(o.door.Config().Credits(most * o.unit))
	for l := range o.rooms {
		o.rooms[l] = min(o.rooms[l], int32(most))
	}
}

// opened are the lanes of a topology that a target had before.
type opened[V any] struct {
	outbox
	spill []V
}

// Retune implements engine.Endpoint.
func (p *plain[V]) Retune(s engine.Setting) {
	before := p.routed
	topology := p.apply(s)
	factor := p.made.coalesce
	if topology == nil {
		topology = p.door.Topology()
	} else {
		p.turn(before, topology)
	}
	if factor != p.factor {
		p.refactor(factor, factor)
		p.stages.main.open(factor)
		p.stages.inner.open(factor)
	}
	p.renewed(topology)
}

// turn makes the lanes of a topology the target's, and keeps those of the one before.
func (p *plain[V]) turn(before string, t route.Topology) {
	if p.others == nil {
		p.others = map[string]*opened[V]{}
	}
	p.others[before] = &opened[V]{p.outbox, p.spill}
	if known := p.others[p.routed]; known != nil {
		p.outbox, p.spill = known.outbox, known.spill
		return
	}
	door := p.door
	door.Renew(t, p.most*p.unit, p.made.cacheBytes)
	p.outbox = outbox{}
	p.open(door, route.NewPlan(t, door.ID()), p.made.coalesce)
}

// Refactor implements engine.Endpoint.
func (p *plain[V]) Refactor(factor int) {
	if p.made.tunes.Coalesce {
		p.refactor(factor, factor)
	}
}

// Retune implements engine.Endpoint.
func (c *coded[V]) Retune(s engine.Setting) {
	before := c.routed
	topology := c.apply(s)
	if topology == nil {
		topology = c.door.Topology()
	} else {
		c.turn(before, topology)
	}
	c.refactor(codedBytesMax, c.made.coalesce)
	c.renewed(topology)
}

// turn is that of plain targets.
func (c *coded[V]) turn(before string, t route.Topology) {
	if c.others == nil {
		c.others = map[string]*outbox{}
	}
	kept := c.outbox
	c.others[before] = &kept
	if known := c.others[c.routed]; known != nil {
		c.outbox = *known
		return
	}
	door := c.door
	door.Renew(t, codedBytesMax, c.made.cacheBytes)
	c.outbox = outbox{}
	c.open(door, route.NewPlan(t, door.ID()), c.made.coalesce)
}

// Refactor implements engine.Endpoint.
func (c *coded[V]) Refactor(factor int) {
	if c.made.tunes.Coalesce {
		c.refactor(codedBytesMax, factor)
	}
}
