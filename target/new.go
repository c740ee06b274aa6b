package target

import (
	"reflect"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/reduce"
)

// New registers a target with a rank: pebbles of type V, addressed by keying, go to the rank that owner names for their
// key, and are handled there. All ranks register the same targets in the same order, between epochs; the next epoch
// compares them. A target that can't work ends the job with a pebble.RegistrationError that says why.
//
// A target holds about 160 bytes for each neighbour, and a frame for each that it has sent to.
func New[V any](r *pebble.Rank, name string, owner distribution.Map, keying Keying[V], handling Handling[V],
	options ...Option) *Target[V] {
	b := newBuilder(r, name, owner, reflect.TypeFor[V](), options)
	b.check(keying.many != nil, keying.low, handling.batch != nil || handling.bind != nil)
	c := &core[V]{made: b, handle: handling.batch}
	c.addressing = addressing[V]{
		core: c, keying: keying, shortcut: shortcutOf(keying.low, owner),
		owner: owner, owners: distribution.BatcherOf(owner), foreign: !distribution.Proven(owner),
	}
	c.reduction = reduction[V]{core: c, cache: newCache[V](b)}
	if c.cache != nil {
		b.cacheBytes = int64(c.cache.Bytes())
	}
	b.checkFactor()
	topology := b.topology()
	b.checkMemory(topology)
	var schema string
	c.carrier, schema = carrierOf(c)
	c.engine = b.register(topology, schema, c, &c.out)
	c.open(topology)
	c.openBuffers()
	c.engine.Reserve(b.cacheBytes)
	if c.cache != nil {
		c.prices = newPrices(topology, b.factor(), r.Place().Processes)
	}
	c.ways()
	t := &Target[V]{c}
	if handling.bind != nil {
		c.handle = handling.bind(t)
	}
	return t
}

// newCache makes the reduction cache, if there is to be one.
func newCache[V any](b *builder) *reduce.Cache[V] {
	if b.kind == nil {
		b.checkNoCache()
		return nil
	}
	kind, ok := b.kind.(reduce.Kind[V])
	if !ok {
		b.refuse("its reduction is a %T, its pebbles are %v", b.kind, b.pebble)
	}
	if b.cache == 0 {
		return nil
	}
	b.checkCache(int64(reduce.NewCache(kind, 1).SlotSize()))
	return reduce.NewCache(kind, b.cache)
}

// carrierOf makes the carrier of a target, and tells the schema of its pebbles.
func carrierOf[V any](c *core[V]) (carries carrier[V], schema string) {
	given := c.made.codec
	if given == nil {
		return &plain[V]{core: c}, c.made.plainSchema()
	}
	codec, ok := given.(Codec[V])
	if !ok {
		c.made.refuse("its codec is a %T, its pebbles are %v: give a target.Codec[%[2]v]", given, c.made.pebble)
	}
	return &coded[V]{core: c, codec: codec}, schemaOf(c.made.pebble, codec)
}
