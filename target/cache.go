package target

import "github.com/activepebbles/pebbles/reduce"

// advice is what the next n pebbles are to do about the cache.
func (c *core[V]) advice(n int) reduce.Advice {
	if c.cache == nil || c.draining && c.engine.Deep {
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

// watchAll is watch for pebbles whose keys may be needed again.
func (c *core[V]) watchAll(s *scratch[V], vs []V, lanes []uint32) {
	c.watch(s.keys[:len(vs)], lanes)
	if c.encoded() {
		c.keying.many(vs, s.keys[:len(vs)])
	}
}

// watch gives the cache the keys of pebbles that pass by it for other ranks. It overwrites keys.
func (c *core[V]) watch(keys []uint64, lanes []uint32) {
	self, away := uint32(c.Plan.Self), 0
	for i, l := range lanes {
		keys[away] = keys[i]
		if l != self {
			away++
		}
	}
	c.cache.Watch(keys[:away])
}

// reduced takes the first pebbles of s.away through the cache, and what comes out to the lanes.
func (c *core[V]) reduced(s *scratch[V], away int, inHandler bool) {
	c.regroup(inHandler)
	n := c.filter(s.away[:away], s.keys[:away])
	c.carrier.scatter(s, s.away[:n], s.keys[:n], c.lanesOf(s, s.keys[:n]), inHandler)
}

// reducedAtHop is reduced for pebbles that have arrived.
func (c *core[V]) reducedAtHop(s *scratch[V], away int) {
	merged := c.cache.Merged()
	c.reduced(s, away, true)
	c.engine.Count.MergedAtHops += c.cache.Merged() - merged
}

// regroup empties the cache before pebbles of another depth than it holds come in, where depths travel apart.
func (c *core[V]) regroup(inHandler bool) {
	if c.heldDepth != c.Now && c.engine.Deep && c.held() {
		c.release(inHandler)
	}
	c.heldDepth = c.Now
}

// held tells whether the cache holds pebbles back.
func (c *core[V]) held() bool { return c.cache != nil && c.cache.Held() > 0 }

// Release implements coalesce.Target: it moves what the cache holds back into the lanes.
func (c *core[V]) Release() { c.release(c.engine.InHandler()) }

func (c *core[V]) release(inHandler bool) {
	if c.cache == nil || c.draining {
		return
	}
	c.draining = true
	before, held := c.Now, c.heldDepth
	s := c.drained.ready()
	did := inHandler && c.InstallQueue()
	for n := c.cache.Drain(s.away, s.keys); n > 0; n = c.cache.Drain(s.away, s.keys) {
		c.Now = held // handlers may have run
		c.carrier.scatter(s, s.away[:n], s.keys[:n], c.lanesOf(s, s.keys[:n]), inHandler)
		if !inHandler {
			c.HandleLocal()
		}
		if c.encoded() {
			clear(s.away[:n]) // let go of what the pebbles point to
		}
	}
	c.RemoveQueue(did)
	c.Now = before
	c.draining = false
	c.countMerged()
}

// countMerged brings the rank's counter up to date.
func (c *core[V]) countMerged() {
	n := c.cache.Merged()
	c.engine.Count.Merged += n - c.mergedSeen
	c.mergedSeen = n
}
