package target

import (
	"reflect"
	"time"

	"github.com/activepebbles/pebbles/reduce"
)

// cache is a [reduce.Cache] of any type of pebbles.
type cache interface {
	Advise(n int) reduce.Advice
	Watch(keys []uint64)
	Price(look, saved time.Duration)
	Merged() uint64
	Held() int
	Bytes() int
	Clear()
	filter(vs pebbles, keys []uint64) int
	drain(vs pebbles, keys []uint64) int
}

type cacheOf[V any] struct{ *reduce.Cache[V] }

func (c cacheOf[V]) filter(vs pebbles, keys []uint64) int { return c.Filter(values[V](vs), keys) }
func (c cacheOf[V]) drain(vs pebbles, keys []uint64) int  { return c.Drain(values[V](vs), keys) }

// reducing holds the arguments of [Reduce].
type reducing struct {
	kind      any // a reduce.Kind
	pebble    reflect.Type
	writeBack bool
	slot      func() int // size of a slot in bytes
	make      func(entries int) cache
}

// reduction drops or merges pebbles on their way, in a cache.
type reduction struct {
	core       *core
	cache      cache  // nil for none
	prices     prices // of the cache
	mergedSeen uint64 // merges that the rank's counter has
	atHops     bool   // arriving pebbles that go on meet the cache
	drained    origin // of pebbles that leave the cache
	draining   bool   // the cache is being emptied; a flush may come while another one waits for room
	heldDepth  uint8  // depth of the pebbles that the cache holds back
}

// advice returns the cache's advice for the next n pebbles.
func (d *reduction) advice(n int) reduce.Advice {
	if d.cache == nil || d.draining && d.core.engine.Deep {
		return reduce.Skip
	}
	return d.cache.Advise(n)
}

// adviceAtHop is advice for n pebbles that have arrived.
func (d *reduction) adviceAtHop(n int) reduce.Advice {
	if !d.atHops {
		return reduce.Skip
	}
	return d.advice(n)
}

// watchAll is watch for pebbles whose keys may be needed again.
func (d *reduction) watchAll(o *origin, vs pebbles, lanes []uint32) {
	d.watch(o.keys[:vs.n], lanes)
	if d.core.coded != nil {
		d.core.keys(vs, o.keys[:vs.n])
	}
}

// watch shows the cache the keys of pebbles for other ranks that bypass it. It overwrites keys.
func (d *reduction) watch(keys []uint64, lanes []uint32) {
	self, away := uint32(d.core.out.Plan.Self), 0
	for i, l := range lanes {
		keys[away] = keys[i]
		if l != self {
			away++
		}
	}
	d.cache.Watch(keys[:away])
}

// reduced takes the first pebbles of o.away through the cache, and puts those that come out into lanes.
func (d *reduction) reduced(o *origin, away int) {
	d.regroup(o)
	n := d.filter(o.away.first(away), o.keys[:away])
	d.core.put(o, o.away.first(n), d.core.lanesOf(o, o.keys[:n]))
}

// reducedAtHop is reduced for pebbles that have arrived.
func (d *reduction) reducedAtHop(o *origin, away int) {
	if away == 0 {
		return
	}
	d.core.engine.Count.Forwarded += uint64(away)
	merged := d.cache.Merged()
	d.reduced(o, away)
	d.core.engine.Count.MergedAtHops += d.cache.Merged() - merged
}

// regroup empties the cache before pebbles of another depth enter it, if depths travel apart.
func (d *reduction) regroup(o *origin) {
	if d.heldDepth != o.Depth && d.core.engine.Deep && d.held() {
		d.release(o)
	}
	d.heldDepth = o.Depth
}

// held reports whether the cache holds pebbles back.
func (d *reduction) held() bool { return d.cache != nil && d.cache.Held() > 0 }

// release moves the pebbles that the cache holds back into lanes. It may wait if its cause may.
func (d *reduction) release(cause *origin) {
	if d.cache == nil || d.draining {
		return
	}
	d.draining = true
	o := d.drained.ready()
	o.Depth, o.Waiter, o.Queued = d.heldDepth, nil, cause.Waiter == nil
	if !o.Queued {
		o.Waiter = o
	}
	for n := d.cache.drain(o.away, o.keys); n > 0; n = d.cache.drain(o.away, o.keys) {
		d.core.put(o, o.away.first(n), d.core.lanesOf(o, o.keys[:n]))
		d.core.handleHome(o)
		d.core.element.forget(o.away.at, n)
	}
	d.draining = false
	d.countMerged()
}

// countMerged updates the rank's counter of merges.
func (d *reduction) countMerged() {
	n := d.cache.Merged()
	d.core.engine.Count.Merged += n - d.mergedSeen
	d.mergedSeen = n
}
