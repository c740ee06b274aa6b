package target

import (
	"fmt"
	"reflect"

	"github.com/activepebbles/pebbles/coalesce"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/internal/engine"
	"github.com/activepebbles/pebbles/route"
)

// chunk is the number of pebbles of a chunk of a batch: its keys, owners and lanes fit in the first-level cache.
const chunk = 256

// core is a target: it finds the owner of a pebble, and handles the pebble there. Its outbox holds the pebbles for
// other ranks, and those for this rank that handlers send.
type core struct {
	addressing
	reduction
	out     coalesce.Outbox
	element element
	coded   *coded // the codec of the pebbles; nil for plain data
	engine  *engine.Target
	spec    *builder
	handle  func(vs pebbles)
	oneHop  bool   // a frame from a neighbour can hold only pebbles of this rank
	lastHop bool   // the last stage of the topology brings only pebbles of this rank
	mover   mover  // moves keys, but not while a batch is handled; nil if keys stay
	body    origin // the main function
	inner   origin // handlers and tasks
	hop     origin // arriving pebbles

	running struct { // by the handler
		vs pebbles
		at int // the pebble that an [Each] handler is called for; -1 for other handlers
	}
}

// addressing computes the lanes of pebbles: from keys to owners to lanes.
type addressing struct {
	core     *core
	keys     func(vs pebbles, keys []uint64)
	owner    distribution.Map
	owners   distribution.Batcher
	foreign  bool     // owners may be invalid: the distribution is not one of ours
	shortcut shortcut // from pebbles to owners, for batches that bypass the cache
	direct   bool     // lanes have the numbers of their ranks
	keyings  uint     // chunks whose keys were computed, in builds that check key functions
	rekeyed  []uint64 // room for keys that are computed twice
}

// open makes the lanes of a topology.
func (c *core) open(t route.Topology) {
	c.out.Open(c.engine.Sender, c.engine.Label, t, c.spec.shape())
}

// address computes the lanes of a chunk, in the memory of an origin. If keyed is set, it fills in o.keys.
func (a *addressing) address(o *origin, vs pebbles, keyed bool) (lanes []uint32) {
	if a.shortcut.taken && !keyed {
		own := o.owners[:vs.n]
		a.shortcut.owners(vs, a.core.element.size, own)
		return a.laneOfEach(o, own)
	}
	keys := o.keys[:vs.n]
	a.keys(vs, keys)
	if engine.Checked {
		a.checkKeys(vs, keys)
	}
	return a.lanesOf(o, keys)
}

// lanesOf computes the lanes of keys.
func (a *addressing) lanesOf(o *origin, keys []uint64) []uint32 {
	owners := o.owners[:len(keys)]
	bad := a.owners.Owners(keys, owners)
	if a.foreign {
		checkOwners(a.core.engine, a.owner, bad, keys, owners)
	}
	if bad >= 0 {
		failOutside(a.core.engine, a.owner, keys[bad])
	}
	return a.laneOfEach(o, owners)
}

// laneOfEach computes the lanes to owners. It is small enough to be inlined.
func (a *addressing) laneOfEach(o *origin, owners []uint32) (lanes []uint32) {
	if a.direct {
		return owners
	}
	return a.planned(o, owners)
}

// planned computes the lanes to owners by the topology's plan.
func (a *addressing) planned(o *origin, owners []uint32) (lanes []uint32) {
	lanes = o.lanes[:len(owners)]
	a.core.out.Plan.Fill(owners, lanes)
	return lanes
}

// run calls the handler with pebbles.
func (c *core) run(vs pebbles) {
	before := c.engine.Handle(vs.n)
	c.running.vs, c.running.at = vs, -1
	if c.mover != nil {
		c.mover.beforeBatch()
	}
	if c.cache != nil && c.prices.handle.due(vs.n) {
		c.timed(vs)
	} else {
		c.handle(vs)
	}
	if c.mover != nil {
		c.mover.afterBatch()
	}
	c.running.vs = pebbles{}
	if engine.Checked {
		c.element.poison(vs)
	}
	c.engine.Handled(before)
}

// EndEpoch implements engine.Endpoint.
func (c *core) EndEpoch() {
	if c.cache != nil {
		c.countMerged()
		c.cache.Clear()
	}
}

// mover is a distribution whose keys may move: a [Directory]. Between the two calls, all pebbles of a batch are home,
// and their keys must stay.
type mover interface {
	beforeBatch()
	afterBatch()
	freed() bool
}

func describe(m distribution.Map) string {
	if d, ok := m.(distribution.Describer); ok {
		return d.Describe()
	}
	return fmt.Sprintf("%v over %d ranks, %s", reflect.TypeOf(m), m.Ranks(), probe(m))
}

// probe samples a distribution that does not describe itself, to detect differences between ranks.
func probe(m distribution.Map) string {
	sum := uint64(1469598103934665603)
	for key := uint64(0); key < 64; key++ {
		sum = (sum ^ uint64(int64(m.Owner(key)))) * 1099511628211
	}
	return fmt.Sprintf("sample %016x", sum)
}

var (
	_ engine.Endpoint = (*core)(nil)
)
