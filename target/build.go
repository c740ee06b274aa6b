package target

import (
	"fmt"
	"reflect"

	"github.com/activepebbles/pebbles/coalesce"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/internal/codecs"
	"github.com/activepebbles/pebbles/internal/engine"
	"github.com/activepebbles/pebbles/internal/frame"
	"github.com/activepebbles/pebbles/internal/layout"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/reduce"
	"github.com/activepebbles/pebbles/route"
)

// builder checks the parts of a target. It treats the type of the pebbles as a value: generic code is compiled once for
// each type.
type builder struct {
	rank   *pebble.Rank
	engine *engine.Rank
	name   string
	owner  distribution.Map
	pebble reflect.Type
	settings
	routed     string // tuning's name of the topology; "" for the one that the target was made with
	cacheBytes int64  // of the reduction cache
	factorFree bool   // no coalescing factor was given
}

func newBuilder(r *pebble.Rank, name string, owner distribution.Map, t reflect.Type, options []Option) *builder {
	job := r.Config()
	s := settings{
		coalesce: job.Coalesce, topology: job.Topology, cache: job.Cache,
		tunes: engine.Tunes{Topology: true, Coalesce: true, Cache: true},
	}
	for _, o := range options {
		o.apply(&s)
	}
	if s.reduces == nil && s.tunes.Cache { // the job's cache is for targets with a reduction
		s.cache, s.tunes.Cache = 0, false
	}
	b := &builder{rank: r, engine: r.Inside(frame.Access{}), name: name, owner: owner, pebble: t, settings: s}
	b.tunes.Topology = b.tunes.Topology && !b.moving()
	b.factorFree = b.tunes.Coalesce && b.engine.Job.Config().FactorFree
	return b
}

// register registers the target with the engine.
func (b *builder) register(t route.Topology, schema string, e engine.Endpoint, out *coalesce.Outbox) *engine.Target {
	return b.engine.Register(engine.Description{
		Name:   b.name,
		Schema: schema,
		Settings: fmt.Sprintf("distribution %s, topology %s, coalescing %d, reduction %s",
			describe(b.owner), t.Name(), b.factor(), b.reduction()),
		Topology: t, Moving: b.moving(), Frame: b.shape().Bytes(), Cache: b.cacheBytes, Tunes: b.tunes,
		ExtraDepth: b.extraDepth, Pebble: b.unit(),
	}, e, out)
}

func (b *builder) refuse(format string, args ...any) {
	b.engine.Refuse(b.name, fmt.Sprintf(format, args...))
}

// unit returns the size of a plain pebble in bytes; 0 for others.
func (b *builder) unit() int {
	if b.codec.codec != nil {
		return 0
	}
	return int(b.pebble.Size())
}

// check refuses a target with a missing part, or with parts that don't fit together. low is that of the keying.
func (b *builder) check(keyed bool, low *int, handled bool) {
	directory, moving := b.owner.(mover)
	switch {
	case b.answers:
		b.refuse("it has options of answers, but its pebbles get none: leave target.Answers out, or use target.NewAsk")
	case b.owner == nil:
		b.refuse("it has no distribution: give one of package distribution, or your own")
	case b.owner.Ranks() != b.rank.Size():
		b.refuse("its distribution is over %d ranks, the job has %d", b.owner.Ranks(), b.rank.Size())
	case moving && directory.freed():
		b.refuse("its directory was freed: make another one")
	case !keyed:
		b.refuse("it has no key function: give target.Key, target.Keys or target.LowBits")
	case low != nil && (*low < 0 || *low > 63):
		b.refuse("its keys are %d bits of a pebble: give 0 to 63", *low)
	case low != nil && b.pebble.Size() < 4:
		b.refuse("its pebbles have %d bytes, and target.LowBits takes keys from 4 or 8: use target.Key",
			b.pebble.Size())
	case low != nil && b.codec.codec != nil:
		b.refuse("its keys are bits of its pebbles, which are encoded: use target.Key")
	case !handled:
		b.refuse("it has no handler: give target.Each or target.Batch")
	case b.cache < 0 && b.reduces != nil:
		b.refuse("a cache of %d entries: give a positive number, or 0 for none", b.cache)
	}
}

// checkNoCache refuses a cache without a reduction.
func (b *builder) checkNoCache() {
	if b.cache > 0 {
		b.refuse("it asks for a cache of %d entries and no reduction: add target.Reduce", b.cache)
	}
}

// checkCache refuses a cache that is too large; slot is the size of a slot in bytes.
func (b *builder) checkCache(slot int64) {
	if limit := b.rank.Config().MemoryLimit; int64(b.cache) > limit/slot {
		b.refuse("a cache of %d entries of %d bytes is larger than the memory limit of %d bytes", b.cache, slot, limit)
	}
	if b.cache > reduce.SizeMax {
		b.refuse("a cache of %d entries: give at most %d", b.cache, reduce.SizeMax)
	}
}

// newCache makes the reduction cache; nil if the target has none.
func (b *builder) newCache() cache {
	r := b.reduces
	if r == nil {
		b.checkNoCache()
		return nil
	}
	if r.pebble != b.pebble {
		b.refuse("its reduction is a %T, its pebbles are %v", r.kind, b.pebble)
	}
	if b.cache == 0 {
		return nil
	}
	b.checkCache(int64(r.slot()))
	return r.make(b.cache)
}

// topology makes the topology. Unless it is one of ours, it proves the routes that start at this rank; all ranks
// together prove all routes.
func (b *builder) topology() (t route.Topology) {
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
	made := route.PlaceOn(b.settings.topology(b.rank.Size()), b.rank.Place())
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

// moving reports whether the distribution's keys may move, or the target moves them.
func (b *builder) moving() bool {
	_, ok := b.owner.(mover)
	return ok || b.prompt
}

// plainSchema returns the schema of the pebbles, which must be plain data.
func (b *builder) plainSchema() string {
	if b.coded {
		b.refuse("%v", codecs.ErrNone)
	}
	if err := layout.Plain(b.pebble); err != nil {
		b.refuse("%v: %s", err, codecs.Advice(b.pebble))
	}
	return layout.Describe(b.pebble)
}

// factor returns the number of pebbles in a full buffer.
func (b *builder) factor() int {
	if b.factorFree {
		return coalesce.FactorFor(b.unit())
	}
	return b.coalesce
}

// shape returns the contents of the target's frames.
func (b *builder) shape() coalesce.Shape {
	s := coalesce.Shape{Unit: b.unit(), MaxUnits: b.factor(), Factor: b.factor(), FlushOnCredit: b.prompt}
	if b.codec.codec != nil {
		s.Unit, s.MaxUnits, s.Records = 1, codedBytesMax, true
	}
	return s
}

// checkFactor refuses a coalescing factor that is out of range.
func (b *builder) checkFactor() {
	switch {
	case b.coalesce <= 0:
		b.refuse("a coalescing factor of %d: a buffer holds at least one pebble", b.coalesce)
	case b.factor() > netio.FrameBytesMax/max(1, b.unit()):
		b.refuse("a coalescing factor of %d is too large: a frame can hold %d of these pebbles: lower the "+
			"coalescing factor",
			b.factor(), netio.FrameBytesMax/max(1, b.unit()))
	}
}

func (b *builder) reduction() string {
	if b.reduces == nil {
		return "none"
	}
	return fmt.Sprintf("%v with %d entries", b.reduces.kind, b.cache)
}

// checkMemory checks, before they are made, that the memory limit has room for the routes and for a small frame to
// every neighbour.
func (b *builder) checkMemory(t route.Topology) {
	s := b.shape()
	need := int64(len(t.Neighbors(b.rank.ID())))*int64(coalesce.MinUnits(s.MaxUnits,
		s.Unit)*s.Unit) + route.TableBytes(t)
	if limit := b.rank.Config().MemoryLimit; need > limit {
		b.refuse("its buffers and routes need %d bytes at the least, the memory limit is %d: raise the limit, or "+
			"use a topology with fewer neighbours",
			need, limit)
	}
}

// schemaOf describes the output of a codec. The type of the pebbles distinguishes kinds that a schema does not, such as
// signed and unsigned numbers.
func schemaOf(pebble reflect.Type, codec any) string {
	if s, ok := codec.(interface{ Schema() string }); ok {
		return fmt.Sprintf("%v as %s", pebble, s.Schema())
	}
	return fmt.Sprintf("%v by %T", pebble, codec)
}
