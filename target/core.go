package target

import (
	"fmt"
	"reflect"
	"unsafe"

	"github.com/activepebbles/pebbles/coalesce"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/internal/engine"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/route"
)

// chunk is how many pebbles a batch is cut into: keys, owners and lanes of a chunk stay in the first-level cache.
const chunk = 256

// core is a target: who owns a pebble, and what happens to it there. Its outbox holds what goes to other ranks, and
// answers when a lane is full: the core waits, and lets handlers run, where the main function sends.
//
// The outbox's lane to this rank holds pebbles as values, in local, while the main function sends a chunk; and what the
// carrier makes of them while the queue of handlers is installed.
type core struct {
	addressing
	reduction
	out     coalesce.Outbox
	element element
	carrier carrier
	engine  *engine.Target
	made    *builder
	handle  func(vs pebbles)
	oneHop  bool           // a frame from a neighbour can hold only pebbles of this rank
	lastHop bool           // the last stage of the topology brings only pebbles of this rank
	mover   moves          // what moves keys, and must not while a batch is handled; nil when they stay
	local   unsafe.Pointer // pebbles of the main function for its own rank, for as long as one chunk is sent
	buffers struct{ main, inner sendBuffer }
	main    scratch // of sends from the main function
	inner   scratch // of sends from handlers
	hop     scratch // of arriving pebbles
	busy    bool    // the main function's scratch is in use

	running struct { // by the handler
		vs pebbles
		at int // the pebble that an [Each] handler is called for; -1 for other handlers
	}
}

// addressing tells which lanes pebbles go to: from keys to owners to lanes.
type addressing struct {
	core     *core
	keys     func(vs pebbles, keys []uint64)
	owner    distribution.Map
	owners   distribution.Batcher
	foreign  bool     // owners may be no ranks: the distribution is not of ours
	shortcut shortcut // from pebbles to owners, for batches that pass by the cache
	direct   bool     // lanes have the numbers of their ranks
	keyings  uint     // chunks whose keys have been worked out, where builds check key functions
	rekeyed  []uint64 // room for keys that are worked out twice
}

// A carrier puts pebbles into frames, and finds them there: plain data as it lies in memory, other pebbles as records
// of a codec. It is called for batches.
type carrier interface {
	// blanks are what lanes without a frame are: so many, and one more for the queue's.
	blanks(lanes int) []coalesce.Lane
	// scatter puts pebbles into their lanes. Their keys are the first of s.keys, where the carrier needs them.
	scatter(s *scratch, vs pebbles, lanes []uint32, inHandler bool)
	// keep puts pebbles of this rank into its own lane. It may overwrite keys.
	keep(s *scratch, vs pebbles, keys []uint64, inHandler bool)
	// arrived handles the pebbles of a frame that are home, which all are if that is known, and passes the others on.
	arrived(f *netio.Frame, home bool) error
}

// scratch is working memory for one chunk. There is one for each place from which sends can be in progress at the same
// time: a send of the main function may wait and let handlers run, and their sends use another.
type scratch struct {
	keys   []uint64
	owners []uint32
	lanes  []uint32
	home   pebbles        // that stay
	away   pebbles        // that go on
	aside  unsafe.Pointer // a pebble that waits until its lane has a frame
	record []byte         // a pebble that is being encoded
}

func (s *scratch) ready(e *element) *scratch {
	if s.keys == nil {
		s.keys = make([]uint64, chunk)
		s.owners = make([]uint32, chunk)
		s.lanes = make([]uint32, chunk)
		s.home = pebbles{e.room(chunk + 1), chunk + 1} // one more than a chunk fills
		s.away = pebbles{e.room(chunk), chunk}
		s.aside = e.room(1)
	}
	return s
}

// forget lets go of what the pebbles in the scratch point to.
func (s *scratch) forget(e *element, home, away int) {
	e.forget(s.home.at, home)
	e.forget(s.away.at, away)
}

// open makes the lanes of a topology.
func (c *core) open(t route.Topology) {
	if c.local == nil {
		c.local = c.element.room(chunk + 1) // one more than a chunk fills, so that it is never full
	}
	plan := route.NewPlan(t, c.engine.ID())
	blanks := c.carrier.blanks(len(plan.Lanes))
	c.out.Open(&c.engine.Sender, c.engine.Label, t, plan, blanks, c.made.shape())
	*c.out.Own() = coalesce.NewLane(c.local, chunk+1)
}

// encoded tells whether pebbles travel through a codec. They may hold pointers.
func (c *core) encoded() bool { return c.out.Records }

// address fills in the lanes of a chunk, and the keys when keyed asks for them, and returns the lanes.
func (a *addressing) address(s *scratch, vs pebbles, keyed bool) (lanes []uint32) {
	if a.shortcut.taken && !keyed {
		own := s.owners[:vs.n]
		a.shortcut.owners(vs, a.core.element.size, own)
		return a.laneOfEach(s, own)
	}
	keys := s.keys[:vs.n]
	a.keys(vs, keys)
	if engine.Checked {
		a.checkKeys(vs, keys)
	}
	return a.lanesOf(s, keys)
}

// lanesOf works out the lanes of keys.
func (a *addressing) lanesOf(s *scratch, keys []uint64) []uint32 {
	owners := s.owners[:len(keys)]
	bad := a.owners.Owners(keys, owners)
	if a.foreign {
		checkOwners(a.core.engine, a.owner, bad, keys, owners)
	}
	if bad >= 0 {
		failOutside(a.core.engine, a.owner, keys[bad])
	}
	return a.laneOfEach(s, owners)
}

// laneOfEach is the lanes to owners. It is small enough to be inlined.
func (a *addressing) laneOfEach(s *scratch, owners []uint32) (lanes []uint32) {
	if a.direct {
		return owners
	}
	return a.planned(s, owners)
}

// planned is the lanes to owners by the topology's plan.
func (a *addressing) planned(s *scratch, owners []uint32) (lanes []uint32) {
	lanes = s.lanes[:len(owners)]
	a.core.out.Plan.Fill(owners, lanes)
	return lanes
}

// run gives pebbles to the handler.
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

// moves is a distribution whose keys may move: a [Directory]. Between the two calls all pebbles of a batch are home,
// and their keys must stay.
type moves interface {
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

// probe samples a distribution that does not describe itself, so that one which differs between ranks is noticed.
func probe(m distribution.Map) string {
	sum := uint64(1469598103934665603)
	for key := uint64(0); key < 64; key++ {
		sum = (sum ^ uint64(int64(m.Owner(key)))) * 1099511628211
	}
	return fmt.Sprintf("sample %016x", sum)
}

var (
	_ engine.Endpoint = (*core)(nil)
	_ carrier         = (*plain)(nil)
	_ carrier         = (*coded)(nil)
)
