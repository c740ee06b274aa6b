package target

import (
	"reflect"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
)

// New registers a target with a rank: pebbles of type V, addressed by keying, go to the rank that owner names for their
// key, and are handled there. All ranks register the same targets in the same order, between epochs; the next epoch
// compares them. An invalid target ends the job with a pebble.RegistrationError that gives the reason.
//
// Until [Target.Free], a target holds about 160 bytes for each neighbour, and a frame for each that it has sent to.
func New[V any](r *pebble.Rank, name string, owner distribution.Map, keying Keying[V], handling Handling[V],
	options ...Option) *Target[V] {
	b := newBuilder(r, name, owner, reflect.TypeFor[V](), options)
	b.check(keying.many != nil, keying.low, handling.batch != nil || handling.bind != nil)
	t := &Target[V]{newCore(b, keying.many, keying.low, handling.batch)}
	if handling.bind != nil {
		t.core.handle = handling.bind(t)
	}
	return t
}

// newCore makes and registers a target from checked parts. low is that of the keying.
func newCore(b *builder, keys func(vs pebbles, keys []uint64), low *int, handle func(vs pebbles)) *core {
	c := &core{spec: b, handle: handle, element: element{pebble: b.pebble, size: int(b.pebble.Size())}}
	c.addressing = addressing{
		core: c, keys: keys, shortcut: shortcutOf(low, b.owner),
		owner: b.owner, owners: distribution.BatcherOf(b.owner), foreign: !distribution.Proven(b.owner),
	}
	c.reduction = reduction{core: c, cache: b.newCache()}
	if c.cache != nil {
		b.cacheBytes = int64(c.cache.Bytes())
	}
	b.checkFactor()
	topology := b.topology()
	b.checkMemory(topology)
	schema := c.schema()
	c.engine = b.register(topology, schema, c, &c.out)
	c.open(topology)
	c.openOrigins()
	c.openBuffers()
	c.engine.Reserve(b.cacheBytes)
	if c.cache != nil {
		c.prices = newPrices(topology, b.factor(), b.rank.Place().Processes)
	}
	c.updateRouting()
	return c
}

// schema describes the pebbles of a target, and sets its codec if it has one.
func (c *core) schema() string {
	given := c.spec.codec
	if given.codec == nil {
		return c.spec.plainSchema()
	}
	if given.pebble != c.spec.pebble {
		c.spec.refuse("its codec is a %T, its pebbles are %v: give a target.Codec[%[2]v]", given.codec, c.spec.pebble)
	}
	c.element.coder = given.coder
	c.coded = &coded{core: c, codec: given.coder}
	return given.coder.schema
}
