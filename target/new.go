package target

import (
	"fmt"
	"reflect"
	"unsafe"

	"github.com/activepebbles/pebbles/coalesce"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/internal/codecs"
	"github.com/activepebbles/pebbles/internal/engine"
	"github.com/activepebbles/pebbles/internal/layout"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/reduce"
	"github.com/activepebbles/pebbles/route"
)

// New registers a target with a rank: pebbles of type V, addressed by keying, go to the rank that owner names for their
// key, and are handled there. All ranks register the same targets in the same order, between epochs; the next epoch
// compares them. A target that can't work ends the job with a pebble.RegistrationError that says why.
//
// A target holds about 160 bytes for each neighbour, and a frame for each that it has sent to.
func New[V any](r *pebble.Rank, name string, owner distribution.Map, keying Keying[V], handling Handling[V],
	options ...Option) *Target[V] {
	job := r.Config()
	s := settings{
		coalesce: job.Coalesce, topology: job.Topology, cache: job.Cache,
		tunes: engine.Tunes{Topology: true, Coalesce: true, Cache: true},
	}
	for _, o := range options {
		o.apply(&s)
	}
	if s.kind == nil && s.tunes.Cache { // the job's cache is for targets with a reduction
		s.cache, s.tunes.Cache = 0, false
	}
	b := &builder[V]{rank: r, engine: engine.RankOf(r), name: name, owner: owner, settings: s}
	b.tunes.Topology = b.tunes.Topology && !b.moving()
	c := b.core(keying, handling)
	b.checkFactor()
	topology := b.topology()
	b.checkMemory(topology)
	schema := b.carry(c)
	c.engine = b.engine.Register(engine.Description{
		Name:   name,
		Schema: schema,
		Settings: fmt.Sprintf("distribution %s, topology %s, coalescing %d, reduction %s",
			describe(owner), topology.Name(), b.coalesce, b.reduction()),
		Topology: topology, Moving: b.moving(), Frame: b.shape().Bytes(), Cache: b.cacheBytes, Tunes: b.tunes, Beyond: b.beyond, Pebble: b.unit,
	}, c, &c.out)
	c.open(topology)
	c.openBuffers()
	c.engine.Reserve(b.cacheBytes)
	if c.cache != nil {
		c.prices = newPrices(topology, b.coalesce, r.Place().Processes)
	}
	c.ways()
	t := &Target[V]{c}
	if handling.bind != nil {
		c.handle = handling.bind(t)
	}
	return t
}

// builder checks what a target is made of.
type builder[V any] struct {
	rank   *pebble.Rank
	engine *engine.Rank
	name   string
	owner  distribution.Map
	settings
	unit       int   // bytes of a plain pebble; 0 for others
	cacheBytes int64 // of the reduction cache
}

func (b *builder[V]) refuse(format string, args ...any) {
	b.engine.Refuse(b.name, fmt.Sprintf(format, args...))
}

func (b *builder[V]) core(keying Keying[V], handling Handling[V]) *core[V] {
	switch {
	case b.answers:
		b.refuse("it has options of answers, which nobody sends to it: leave target.Answers out, or use target.NewAsk")
	case b.owner == nil:
		b.refuse("it has no distribution: give one of package distribution, or your own")
	case b.owner.Ranks() != b.rank.Size():
		b.refuse("its distribution is over %d ranks, the job has %d", b.owner.Ranks(), b.rank.Size())
	case keying.many == nil:
		b.refuse("it has no key function: give target.Key, target.Keys or target.LowBits")
	case keying.low != nil && (*keying.low < 0 || *keying.low > 63):
		b.refuse("its keys are %d bits of a pebble: give 0 to 63", *keying.low)
	case keying.low != nil && unsafe.Sizeof(*new(V)) < 8:
		b.refuse("its pebbles have %d bytes, and target.LowBits takes keys from the first 8: use target.Key",
			unsafe.Sizeof(*new(V)))
	case keying.low != nil && b.codec != nil:
		b.refuse("its keys are bits of its pebbles, which are encoded: use target.Key")
	case handling.batch == nil && handling.bind == nil:
		b.refuse("it has no handler: give target.Each or target.Batch")
	}
	cache := b.newCache()
	if cache != nil {
		b.cacheBytes = int64(cache.Bytes())
	}
	if b.codec == nil {
		b.unit = int(unsafe.Sizeof(*new(V)))
	}
	c := &core[V]{made: b, handle: handling.batch}
	c.addressing = addressing[V]{
		core: c, keying: keying, shortcut: shortcutOf(keying, b.owner),
		owner: b.owner, owners: distribution.BatcherOf(b.owner), foreign: !distribution.Proven(b.owner),
	}
	c.reduction = reduction[V]{core: c, cache: cache}
	return c
}

func (b *builder[V]) newCache() *reduce.Cache[V] {
	entries := b.cache
	if b.kind == nil {
		if entries > 0 {
			b.refuse("it asks for a cache of %d entries and no reduction: add target.Reduce", entries)
		}
		return nil
	}
	kind, ok := b.kind.(reduce.Kind[V])
	if !ok {
		b.refuse("its reduction is a %T, its pebbles are %v", b.kind, reflect.TypeFor[V]())
	}
	if entries < 0 {
		b.refuse("a cache of %d entries: give a positive number, or 0 for none", entries)
	}
	if entries == 0 {
		return nil
	}
	slot := int64(reduce.NewCache(kind, 1).SlotSize())
	if limit := b.rank.Config().MemoryLimit; int64(entries) > limit/slot {
		b.refuse("a cache of %d entries of %d bytes is larger than the memory limit of %d bytes", entries, slot, limit)
	}
	if entries > reduce.SizeMax {
		b.refuse("a cache of %d entries: give at most %d", entries, reduce.SizeMax)
	}
	return reduce.NewCache(kind, entries)
}

// writeBack tells whether the reduction holds pebbles back.
func (b *builder[V]) writeBack() bool {
	kind, ok := b.kind.(reduce.Kind[V])
	return ok && kind.WriteBack()
}

// topology makes the topology and, when it is not one of ours, proves the routes that start at this rank. All ranks
// together prove all routes.
func (b *builder[V]) topology() (t route.Topology) {
	defer func() {
		if why := recover(); why != nil && t == nil {
			b.refuse("%v", why)
		}
	}()
	if b.settings.topology == nil {
		b.refuse("its topology is nil: give a route.Constructor")
	}
	if b.moving() {
		return route.Direct(b.rank.Size())
	}
	made := b.settings.topology(b.rank.Size())
	if placed, ok := made.(route.Placed); ok {
		made = placed.Place(b.rank.Place().Firsts())
	}
	if watching, ok := made.(route.Watching); ok {
		made = watching.Watch(b.rank.Links())
	}
	if made == nil || made.Ranks() != b.rank.Size() {
		b.refuse("its topology does not connect the job's %d ranks", b.rank.Size())
	}
	if !route.Proven(made) {
		if _, err := route.CheckFrom(made, b.rank.ID()); err != nil {
			b.refuse("%v", err)
		}
	}
	return made
}

// moving tells whether the distribution's keys may move, or the target moves them.
func (b *builder[V]) moving() bool {
	_, ok := b.owner.(moves)
	return ok || b.prompt
}

// carry gives a target its carrier, and returns the schema of its pebbles.
func (b *builder[V]) carry(c *core[V]) (schema string) {
	pebble := reflect.TypeFor[V]()
	if b.codec == nil {
		if b.coded {
			b.refuse("%v", codecs.ErrNone)
		}
		if err := layout.Plain(pebble); err != nil {
			b.refuse("%v: %s", err, codecs.Advice(pebble))
		}
		c.carrier = &plain[V]{core: c}
		return layout.Describe(pebble)
	}
	codec, ok := b.codec.(Codec[V])
	if !ok {
		b.refuse("its codec is a %T, its pebbles are %v: give a target.Codec[%v]", b.codec, pebble, pebble)
	}
	c.carrier = &coded[V]{core: c, codec: codec}
	return schemaOf(codec)
}

// shape is what the target's frames hold.
func (b *builder[V]) shape() coalesce.Shape {
	s := coalesce.Shape{Unit: b.unit, MaxUnits: b.coalesce, Factor: b.coalesce, Prompt: b.prompt}
	if b.codec != nil {
		s.Unit, s.MaxUnits, s.Records = 1, codedBytesMax, true
	}
	return s
}

// checkFactor refuses a coalescing factor that can't be.
func (b *builder[V]) checkFactor() {
	switch {
	case b.coalesce <= 0:
		b.refuse("a coalescing factor of %d: a buffer holds at least one pebble", b.coalesce)
	case b.coalesce > netio.FrameBytesMax/max(1, b.unit):
		b.refuse("a coalescing factor of %d is too large: a frame can hold %d of these pebbles: lower the "+
			"coalescing factor",
			b.coalesce, netio.FrameBytesMax/max(1, b.unit))
	}
}

func (b *builder[V]) reduction() string {
	if b.kind == nil {
		return "none"
	}
	return fmt.Sprintf("%v with %d entries", b.kind, b.cache)
}

// checkMemory checks that the memory limit has room for the routes and for a small frame to every neighbour, before
// there are any.
func (b *builder[V]) checkMemory(t route.Topology) {
	s := b.shape()
	need := int64(len(t.Neighbors(b.rank.ID())))*int64(coalesce.MinUnits(s.MaxUnits,
		s.Unit)*s.Unit) + route.TableBytes(t)
	if limit := b.rank.Config().MemoryLimit; need > limit {
		b.refuse("its buffers and routes need %d bytes at the least, the memory limit is %d: raise the limit, or "+
			"use a topology with fewer neighbours",
			need, limit)
	}
}

// schemaOf describes what a codec writes; the type of the pebbles tells apart what a schema does not, such as signed
// and unsigned numbers.
func schemaOf[V any](codec Codec[V]) string {
	if s, ok := codec.(interface{ Schema() string }); ok {
		return fmt.Sprintf("%v as %s", reflect.TypeFor[V](), s.Schema())
	}
	return fmt.Sprintf("%v by %T", reflect.TypeFor[V](), codec)
}
