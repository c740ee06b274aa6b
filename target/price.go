package target

import (
	"slices"
	"time"

	"github.com/activepebbles/pebbles/route"
)

// prices measures what a look into the reduction cache costs, and what a merged pebble saves, so that the cache knows
// when it pays (Active Pebbles, section 3.5: when hG > c). It times one batch in many, and goes by the median of the
// last few: a batch in which the goroutine was interrupted says nothing.
type prices struct {
	look   timing // of a pebble in the cache
	handle timing // of a pebble in the handler of this rank, which stands for those of others
	carry  time.Duration
}

const (
	sampled   = 32 // one batch in so many is timed
	minSample = 16 // pebbles of a batch that is worth timing
)

// What it costs to carry a pebble over one hop of the same process, its part of a frame's hand-over, how much more that
// is between processes, and what it costs to sort pebbles out ahead of a look: by measurement on a machine of 2 cores,
// where "pebbles reduce" is faster without a cache than with one in process, and slower over TCP, even when all pebbles
// merge.
const (
	carryPebble  = 5 * time.Nanosecond
	carryFrame   = 500 * time.Nanosecond
	carryBetween = 8
	sortOut      = 6 * time.Nanosecond
)

func newPrices(t route.Topology, factor int, processes int) prices {
	hops, ok := route.Hops(t)
	if !ok {
		hops = 1
	}
	carry := carryPebble + carryFrame/time.Duration(factor)
	if processes > 1 {
		carry *= carryBetween
	}
	return prices{carry: carry * time.Duration(hops+1) / 2} // as half of the hops lie behind the mean merge
}

// due tells whether a batch is to be timed.
func (t *timing) due(pebbles int) bool {
	if pebbles < minSample {
		return false
	}
	t.turn++
	return t.turn%sampled == 0
}

// timing is the time that pebbles take, by the last few batches that were timed.
type timing struct {
	last [7]time.Duration // of 1,000 pebbles
	n    int              // batches that were timed
	turn int              // batches that could have been
}

func (t *timing) add(took time.Duration, pebbles int) {
	t.last[t.n%len(t.last)] = 1000 * took / time.Duration(pebbles)
	t.n++
}

// median is for 1,000 pebbles; 0 when too few batches were timed.
func (t *timing) median() time.Duration {
	if t.n < len(t.last) {
		return 0
	}
	sorted := t.last
	slices.Sort(sorted[:])
	return sorted[len(sorted)/2]
}

// filter is the cache's Filter, timed now and then.
func (d *reduction) filter(vs pebbles, keys []uint64) int {
	if !d.prices.look.due(vs.n) {
		return d.cache.filter(vs, keys)
	}
	start := d.core.engine.Rank.Now()
	n := d.cache.filter(vs, keys)
	d.prices.look.add(d.core.engine.Rank.Now()-start, vs.n)
	if look := d.prices.look.median(); look > 0 {
		d.cache.Price(look+1000*sortOut, 1000*d.prices.carry+d.prices.handle.median())
	}
	return n
}

// timed runs the handler, and notes how long it takes.
func (d *reduction) timed(vs pebbles) {
	start := d.core.engine.Rank.Now()
	d.core.handle(vs)
	d.prices.handle.add(d.core.engine.Rank.Now()-start, vs.n)
}
