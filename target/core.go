package target

import (
	"fmt"
	"reflect"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/internal/engine"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/reduce"
)

// chunk is how many pebbles a batch is cut into: keys, owners and lanes of a chunk stay in the first-level cache.
const chunk = 256

// core is what plain and coded targets share: who owns a pebble, and what happens to it there.
type core[V any] struct {
	outbox
	made       *builder[V]
	routed     string // what tuning calls the topology; "" for the one that it was made with
	keying     Keying[V]
	handle     func(vs []V)
	owner      distribution.Map
	owners     distribution.Batcher
	foreign    bool             // owners may be no ranks: the distribution is not of ours
	shortcut   shortcut         // from pebbles to owners, for batches that pass by the cache
	cache      *reduce.Cache[V] // nil when there is none
	prices     prices           // of the cache
	mergedSeen uint64           // merges that the rank's counter has
	atHops     bool             // arriving pebbles that go on meet the cache
	oneHop     bool             // a frame from a neighbour can hold only pebbles of this rank
	lastHop    bool             // the last stage of the topology brings only pebbles of this rank
	mover      moves            // what moves keys, and must not while a batch is handled; nil when they stay
	main       scratch[V]       // of sends from the main function
	inner      scratch[V]       // of sends from handlers
	hop        scratch[V]       // of arriving pebbles
	drained    scratch[V]       // of pebbles that leave the cache
	draining   bool             // the cache is being emptied: a flush may come while another waits for room
	heldDepth  uint8            // depth of the pebbles that the cache holds back
}

// scratch is working memory for one chunk. There is one for each place from which sends can be under way at the same
// time: a send of the main function may wait and let handlers run, and their sends use another.
type scratch[V any] struct {
	keys   []uint64
	owners []uint32
	lanes  []uint32
	vs     []V // pebbles that stay
	away   []V // pebbles that go on
	bytes  []byte
}

func (s *scratch[V]) ready() *scratch[V] {
	if s.keys == nil {
		s.keys = make([]uint64, chunk)
		s.owners = make([]uint32, chunk)
		s.lanes = make([]uint32, chunk)
		s.vs = make([]V, chunk+1) // one more than a chunk fills
		s.away = make([]V, chunk)
	}
	return s
}

// side is the scratch for a send.
func (c *core[V]) side(inHandler bool) *scratch[V] {
	if inHandler {
		return c.inner.ready()
	}
	return c.main.ready()
}

// address fills in the lanes of a chunk, and the keys when keyed asks for them, and returns the lanes.
func (c *core[V]) address(s *scratch[V], vs []V, keyed bool) (lanes []uint32) {
	if c.shortcut.taken && !keyed {
		own := s.owners[:len(vs)]
		owners(c.shortcut, vs, own)
		return c.laneOfEach(s, own)
	}
	keys := s.keys[:len(vs)]
	c.keying.many(vs, keys)
	return c.lanesOf(s, keys)
}

// lanesOf works out the lanes of keys.
func (c *core[V]) lanesOf(s *scratch[V], keys []uint64) []uint32 {
	owners := s.owners[:len(keys)]
	bad := c.owners.Owners(keys, owners)
	if c.foreign {
		c.checkOwners(bad, keys, owners)
	}
	if bad >= 0 {
		c.door.Rank.Fail(&pebble.KeyError{Rank: c.door.ID(), Target: c.made.name, Key: keys[bad], Distribution: describe(c.owner)})
	}
	return c.laneOfEach(s, owners)
}

// laneOfEach is the lanes to owners.
func (c *core[V]) laneOfEach(s *scratch[V], owners []uint32) (lanes []uint32) {
	if c.plan.Identity() {
		return owners
	}
	lanes = s.lanes[:len(owners)]
	c.plan.Fill(owners, lanes)
	return lanes
}

// key works out the key of one pebble.
func (c *core[V]) key(s *scratch[V], v V) uint64 {
	if c.keying.one != nil {
		return c.keying.one(v)
	}
	s.vs[0] = v
	c.keying.many(s.vs[:1], s.keys[:1])
	return s.keys[0]
}

// laneOf is lanesOf for one key.
func (c *core[V]) laneOf(s *scratch[V], key uint64) int {
	s.keys[0] = key
	return int(c.lanesOf(s, s.keys[:1])[0])
}

// run gives pebbles to the handler.
func (c *core[V]) run(vs []V) {
	before := c.door.Handle(len(vs))
	if c.mover != nil {
		c.mover.beforeBatch()
	}
	if c.cache != nil && c.prices.handle.due(len(vs)) {
		c.timed(vs)
	} else {
		c.handle(vs)
	}
	if c.mover != nil {
		c.mover.afterBatch()
	}
	c.door.Handled(before)
}

// EndEpoch implements engine.Endpoint.
func (c *core[V]) EndEpoch() {
	if c.cache != nil {
		c.merged()
		c.cache.Clear()
	}
}

// advice is what the next n pebbles are to do about the cache.
func (c *core[V]) advice(n int) reduce.Advice {
	if c.cache == nil || c.draining && c.door.Deep() {
		return reduce.Skip
	}
	return c.cache.Advise(n)
}

// adviceAtHop is advice for n pebbles that have arrived.
func (c *core[V]) adviceAtHop(n int) reduce.Advice {
	if !c.atHops {
		return reduce.Skip
	}
	return c.advice(n)
}

// watch gives the cache the keys of pebbles that pass by it for other ranks. It overwrites keys.
func (c *core[V]) watch(keys []uint64, lanes []uint32) {
	self, away := uint32(c.plan.Self), 0
	for i, l := range lanes {
		keys[away] = keys[i]
		if l != self {
			away++
		}
	}
	c.cache.Watch(keys[:away])
}

// regroup empties the cache before pebbles of another depth than it holds come in, where depths travel apart.
func (c *core[V]) regroup(inHandler bool) {
	if c.heldDepth != c.now && c.door.Deep() && c.held() {
		c.release(inHandler)
	}
	c.heldDepth = c.now
}

// held tells whether the cache holds pebbles back.
func (c *core[V]) held() bool { return c.cache != nil && c.cache.Held() > 0 }

// merged brings the rank's counter up to date.
func (c *core[V]) merged() {
	n := c.cache.Merged()
	c.door.Count().Merged += n - c.mergedSeen
	c.mergedSeen = n
}

// moving tells whether keys may leave this rank while their pebbles wait here.
func (c *core[V]) moving() bool { return c.mover != nil }

// moves is a distribution whose keys may move: a [Directory]. Between the two calls all pebbles of a batch are home, and
// their keys must stay.
type moves interface {
	beforeBatch()
	afterBatch()
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

var _ engine.Endpoint = (*plain[int])(nil)
