package sssp

import (
	"math"

	"github.com/activepebbles/pebbles/apps/distgraph"
)

// bucketCount is how many buckets of width delta there are from the nearest on; what is further off waits in one heap
// for all.
const bucketCount = 1 << 10

// buckets are vertices that wait, by distance. A vertex stands in them once for each time that it came nearer; who
// takes it out sees by its distance whether that is still so. What is emptied is used again.
//
// The bucket of a distance is its quotient by delta. That of bucket b is ring[b % bucketCount] while b is less than
// bucketCount above from; others are in far, and come into the ring when from has come to the nearest of them. A bucket
// below from lets from fall, and then a place of the ring may hold vertices of two buckets: leave puts those aside that
// are not of the one that it empties.
type buckets[V distgraph.Index] struct {
	delta   float64
	ring    [bucketCount][]waiting[V]
	far     []waiting[V]
	from    uint64 // no vertex waits in a bucket below it
	nearFar uint64 // nor in far in one below this
	near    int    // vertices in the ring
}

type waiting[V distgraph.Index] struct {
	dist   float64
	vertex V
}

func (b *buckets[V]) clear() {
	for i := range b.ring {
		b.ring[i] = b.ring[i][:0]
	}
	b.far, b.from, b.nearFar, b.near = b.far[:0], 0, math.MaxUint64, 0
}

func (b *buckets[V]) isEmpty() bool { return b.near == 0 && len(b.far) == 0 }

// of is the bucket of a distance. Those too far to tell apart share the last.
func (b *buckets[V]) of(dist float64) uint64 {
	const last = 1 << 62
	if at := dist / b.delta; at < last {
		return uint64(at)
	}
	return last
}

func (b *buckets[V]) join(v V, dist float64) {
	at := b.of(dist)
	if b.isEmpty() {
		b.from = at
	}
	b.from = min(b.from, at)
	b.insert(waiting[V]{dist, v}, at)
}

func (b *buckets[V]) insert(w waiting[V], at uint64) {
	if at-b.from >= bucketCount {
		b.putFar(w, at)
		return
	}
	place := &b.ring[at%bucketCount]
	*place = append(*place, w)
	b.near++
}

func (b *buckets[V]) putFar(w waiting[V], at uint64) {
	b.far = append(b.far, w)
	b.nearFar = min(b.nearFar, at)
}

// nearest finds the nearest bucket that may have vertices. One must wait.
func (b *buckets[V]) nearest() uint64 {
	for {
		if b.near == 0 {
			b.from = b.nearFar
		}
		if b.from >= b.nearFar {
			b.refill()
		}
		if len(b.ring[b.from%bucketCount]) > 0 {
			return b.from
		}
		b.from++
	}
}

// refill takes those of the far ones into the ring that it has a place for.
func (b *buckets[V]) refill() {
	far := b.far
	b.far, b.nearFar = b.far[:0], math.MaxUint64
	for _, w := range far {
		b.insert(w, b.of(w.dist))
	}
}

// pop removes a vertex from a bucket, if there is one.
func (b *buckets[V]) pop(at uint64) (w waiting[V], ok bool) {
	place := &b.ring[at%bucketCount]
	for last := len(*place) - 1; last >= 0; last-- {
		w = (*place)[last]
		*place = (*place)[:last]
		b.near--
		if is := b.of(w.dist); is != at {
			b.putFar(w, is)
			continue
		}
		return w, true
	}
	return w, false
}
