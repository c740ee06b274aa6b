package target

import (
	"github.com/activepebbles/pebbles/internal/engine"
	"github.com/activepebbles/pebbles/route"
)

// Retune implements engine.Endpoint: it applies the settings that the target's options leave open. Lanes and plan
// belong to a topology, and are made again for another; credit belongs to ranks, and stays.
func (c *core) Retune(s engine.Setting) {
	b, t := c.spec, c.engine.Topology()
	if b.tunes.Cache && s.Cache != b.cache {
		b.cache = s.Cache
		c.cache, c.mergedSeen = b.newCache(), 0
	}
	if b.tunes.Coalesce && s.Coalesce != b.coalesce {
		b.coalesce, b.factorFree = s.Coalesce, false
		b.checkFactor()
		maxUnits := c.out.MaxUnits
		if c.coded == nil {
			maxUnits = b.coalesce
		}
		c.out.Reshape(maxUnits, b.coalesce)
		c.openBuffers()
	}
	if b.tunes.Topology && s.Name != b.routed {
		b.settings.topology, b.routed = s.Topology, s.Name
		t = b.topology()
		c.open(t)
	}
	c.renewed(t)
}

// renewed reports the setting to the engine, once all of it is in force.
func (c *core) renewed(t route.Topology) {
	cacheBytes := int64(0)
	if c.cache != nil {
		cacheBytes = int64(c.cache.Bytes())
		c.prices = newPrices(t, c.spec.factor(), c.engine.Rank.Place().Processes)
	}
	c.engine.Renew(t, c.out.Bytes(), cacheBytes)
	c.updateRouting()
}

// updateRouting determines which frames can hold only pebbles of this rank, and whether arriving pebbles meet the
// cache.
//
// A write-through cache drops a pebble because an equal or better one went on before it. That one must get to the
// handler, or be dropped for another that does. Along fixed routes, it is nearer to its owner than the dropped one, so
// this chain ends. If keys or routes change, a pebble may come to a rank twice, and be dropped for itself; or two
// pebbles may be dropped for each other, at two ranks. There, a pebble meets only the cache of its source. A pebble
// that a cache holds back is no copy, so caches that hold are right everywhere.
func (c *core) updateRouting() {
	c.mover, _ = c.owner.(mover)
	moving := c.mover != nil
	c.atHops = c.cache != nil && (c.spec.reduces.writeBack || !moving && c.out.Plan.Fixed())
	c.direct = c.out.Plan.Identity()
	c.oneHop = c.direct && !moving
	c.lastHop = !moving
}
