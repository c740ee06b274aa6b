package target

import (
	"slices"
	"time"

	"github.com/activepebbles/pebbles/route"
)

// prices measures the cost of a look into the reduction cache, and the saving of a merged pebble. The cache uses them
// to decide when it pays (Active Pebbles, section 3.5: when hG > c). A few batches are timed, and the median of the
// last ones counts: a batch during which the goroutine was interrupted has no meaning.
type prices struct {
	look   timing // time per pebble in the cache
	handle timing // time per pebble in this rank's handler, which stands for those of others
	carry  time.Duration
}

const (
	sampled   = 32 // one batch of this number is timed
	minSample = 16 // pebbles of the smallest batch that is timed
)

// These are the costs to carry a pebble over one hop of the same process, its share of handing over a frame, the factor
// for a hop between processes, and the cost to sort pebbles before a look. They were measured on a machine of 2 cores.
// There, "pebbles reduce" is faster without a cache in one process and slower over TCP, even if all pebbles merge.
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
	return prices{carry: carry * time.Duration(hops+1) / 2} // the mean merge saves half of the hops
}

// due reports whether to time a batch.
func (t *timing) due(pebbles int) bool {
	if pebbles < minSample {
		return false
	}
	t.turn++
	return t.turn%sampled == 0
}

// timing is the time per pebble, by the last few batches that were timed.
type timing struct {
	last [7]time.Duration // per 1,000 pebbles
	n    int              // batches that were timed
	turn int              // batches that could have been timed
}

func (t *timing) add(took time.Duration, pebbles int) {
	t.last[t.n%len(t.last)] = 1000 * took / time.Duration(pebbles)
	t.n++
}

// median returns the time of 1,000 pebbles; 0 if too few batches were timed.
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

// timed runs the handler, and records its time.
func (d *reduction) timed(vs pebbles) {
	start := d.core.engine.Rank.Now()
	d.core.handle(vs)
	d.prices.handle.add(d.core.engine.Rank.Now()-start, vs.n)
}
