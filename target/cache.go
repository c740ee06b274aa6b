package target

import (
	"reflect"
	"time"

	"github.com/activepebbles/pebbles/reduce"
)

// cache is a [reduce.Cache], of whatever pebbles.
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

// reducing is what [Reduce] asks for.
type reducing struct {
	kind      any // a reduce.Kind
	pebble    reflect.Type
	writeBack bool
	slot      func() int // bytes of a slot
	make      func(entries int) cache
}

// reduction drops or merges pebbles on their way, in a cache.
type reduction struct {
	core       *core
	cache      cache   // nil when there is none
	prices     prices  // of the cache
	mergedSeen uint64  // merges that the rank's counter has
	atHops     bool    // arriving pebbles that go on meet the cache
	drained    scratch // of pebbles that leave the cache
	draining   bool    // the cache is being emptied: a flush may come while another waits for room
	heldDepth  uint8   // depth of the pebbles that the cache holds back
}

// advice is what the next n pebbles are to do about the cache.
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
func (d *reduction) watchAll(s *scratch, vs pebbles, lanes []uint32) {
	d.watch(s.keys[:vs.n], lanes)
	if d.core.encoded() {
		d.core.keys(vs, s.keys[:vs.n])
	}
}

// watch gives the cache the keys of pebbles that pass by it for other ranks. It overwrites keys.
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

// reduced takes the first pebbles of s.away through the cache, and what comes out to the lanes.
func (d *reduction) reduced(s *scratch, away int, inHandler bool) {
	d.regroup(inHandler)
	n := d.filter(s.away.first(away), s.keys[:away])
	d.core.carrier.scatter(s, s.away.first(n), d.core.lanesOf(s, s.keys[:n]), inHandler)
}

// reducedAtHop is reduced for pebbles that have arrived.
func (d *reduction) reducedAtHop(s *scratch, away int) {
	merged := d.cache.Merged()
	d.reduced(s, away, true)
	d.core.engine.Count.MergedAtHops += d.cache.Merged() - merged
}

// regroup empties the cache before pebbles of another depth than it holds come in, where depths travel apart.
func (d *reduction) regroup(inHandler bool) {
	if d.heldDepth != d.core.out.Now && d.core.engine.Deep && d.held() {
		d.release(inHandler)
	}
	d.heldDepth = d.core.out.Now
}

// held tells whether the cache holds pebbles back.
func (d *reduction) held() bool { return d.cache != nil && d.cache.Held() > 0 }

// release moves what the cache holds back into the lanes.
func (d *reduction) release(inHandler bool) {
	if d.cache == nil || d.draining {
		return
	}
	d.draining = true
	before, held := d.core.out.Now, d.heldDepth
	s := d.drained.ready(&d.core.element)
	did := inHandler && d.core.out.InstallQueue()
	for n := d.cache.drain(s.away, s.keys); n > 0; n = d.cache.drain(s.away, s.keys) {
		d.core.out.Now = held // handlers may have run
		d.core.carrier.scatter(s, s.away.first(n), d.core.lanesOf(s, s.keys[:n]), inHandler)
		if !inHandler {
			d.core.handleLocal()
		}
		d.core.element.forget(s.away.at, n)
	}
	d.core.out.RemoveQueue(did)
	d.core.out.Now = before
	d.draining = false
	d.countMerged()
}

// countMerged brings the rank's counter up to date.
func (d *reduction) countMerged() {
	n := d.cache.Merged()
	d.core.engine.Count.Merged += n - d.mergedSeen
	d.mergedSeen = n
}
