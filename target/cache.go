package target

import "github.com/activepebbles/pebbles/reduce"

// reduction drops or merges pebbles on their way, in a cache.
type reduction[V any] struct {
	core       *core[V]
	cache      *reduce.Cache[V] // nil when there is none
	prices     prices           // of the cache
	mergedSeen uint64           // merges that the rank's counter has
	atHops     bool             // arriving pebbles that go on meet the cache
	drained    scratch[V]       // of pebbles that leave the cache
	draining   bool             // the cache is being emptied: a flush may come while another waits for room
	heldDepth  uint8            // depth of the pebbles that the cache holds back
}

// advice is what the next n pebbles are to do about the cache.
func (d *reduction[V]) advice(n int) reduce.Advice {
	if d.cache == nil || d.draining && d.core.engine.Deep {
		return reduce.Skip
	}
	return d.cache.Advise(n)
}

// adviceAtHop is advice for n pebbles that have arrived.
func (d *reduction[V]) adviceAtHop(n int) reduce.Advice {
	if !d.atHops {
		return reduce.Skip
	}
	return d.advice(n)
}

// watchAll is watch for pebbles whose keys may be needed again.
func (d *reduction[V]) watchAll(s *scratch[V], vs []V, lanes []uint32) {
	d.watch(s.keys[:len(vs)], lanes)
	if d.core.encoded() {
		d.core.keying.many(vs, s.keys[:len(vs)])
	}
}

// watch gives the cache the keys of pebbles that pass by it for other ranks. It overwrites keys.
func (d *reduction[V]) watch(keys []uint64, lanes []uint32) {
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
func (d *reduction[V]) reduced(s *scratch[V], away int, inHandler bool) {
	d.regroup(inHandler)
	n := d.filter(s.away[:away], s.keys[:away])
	d.core.carrier.scatter(s, s.away[:n], d.core.lanesOf(s, s.keys[:n]), inHandler)
}

// reducedAtHop is reduced for pebbles that have arrived.
func (d *reduction[V]) reducedAtHop(s *scratch[V], away int) {
	merged := d.cache.Merged()
	d.reduced(s, away, true)
	d.core.engine.Count.MergedAtHops += d.cache.Merged() - merged
}

// regroup empties the cache before pebbles of another depth than it holds come in, where depths travel apart.
func (d *reduction[V]) regroup(inHandler bool) {
	if d.heldDepth != d.core.out.Now && d.core.engine.Deep && d.held() {
		d.release(inHandler)
	}
	d.heldDepth = d.core.out.Now
}

// held tells whether the cache holds pebbles back.
func (d *reduction[V]) held() bool { return d.cache != nil && d.cache.Held() > 0 }

// release moves what the cache holds back into the lanes.
func (d *reduction[V]) release(inHandler bool) {
	if d.cache == nil || d.draining {
		return
	}
	d.draining = true
	before, held := d.core.out.Now, d.heldDepth
	s := d.drained.ready()
	did := inHandler && d.core.out.InstallQueue()
	for n := d.cache.Drain(s.away, s.keys); n > 0; n = d.cache.Drain(s.away, s.keys) {
		d.core.out.Now = held // handlers may have run
		d.core.carrier.scatter(s, s.away[:n], d.core.lanesOf(s, s.keys[:n]), inHandler)
		if !inHandler {
			d.core.handleLocal()
		}
		if d.core.encoded() {
			clear(s.away[:n]) // let go of what the pebbles point to
		}
	}
	d.core.out.RemoveQueue(did)
	d.core.out.Now = before
	d.draining = false
	d.countMerged()
}

// countMerged brings the rank's counter up to date.
func (d *reduction[V]) countMerged() {
	n := d.cache.Merged()
	d.core.engine.Count.Merged += n - d.mergedSeen
	d.mergedSeen = n
}
