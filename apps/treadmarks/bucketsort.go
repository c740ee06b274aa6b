package treadmarks

import (
	"slices"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/memory/pages"
)

// bucketSort sorts random keys. Each rank puts its keys in order of buckets, and writes how many are in each: the
// counts of one bucket lie together, so that all ranks write to all pages of them. Then each rank takes the keys of
// some buckets from all, sorts them, and writes them to where they belong.
type bucketSort struct {
	*run
	rows                  // one key each
	counts                rows
	keys                  []uint32 // this rank's
	grouped, sorted, many *pages.Slice[uint32]
	room                  []uint32 // for the keys of its buckets, twice
}

const (
	bucketBits = 10
	buckets    = 1 << bucketBits
	sortKey    = 20000 // picoseconds that a key takes in simulated runs
)

func bucketOf(key uint32) int { return int(key >> (32 - bucketBits)) }

func newBucketSort(u *run) part {
	return &bucketSort{run: u, rows: u.rows(u.config.Size, 1), counts: u.rows(buckets, u.rank.Size())}
}

func (b *bucketSort) load() (err error) {
	if err := apps.MustFit(b.rank, "treadmarks: the keys", uint64(b.each*4*6), "give fewer"); err != nil {
		return err
	}
	ranks := b.rank.Size()
	b.grouped = newSlice[uint32](b.run, "by bucket", b.distribution(ranks))
	b.sorted = newSlice[uint32](b.run, "sorted", b.distribution(ranks))
	b.many = newSlice[uint32](b.run, "counts", b.counts.distribution(ranks))
	b.keys = make([]uint32, b.last-b.first)
	b.config.fillKeys(b.keys, uint64(b.first))
	clear(b.sorted.Write(b.own()))
	b.room = make([]uint32, 2*(b.each+b.each/8))
	clear(b.room) // so that no page faults are timed
	return nil
}

func (c Config) fillKeys(keys []uint32, from uint64) {
	for i := range keys {
		keys[i] = uint32(apps.Fold(c.Seed, from+uint64(i)))
	}
}

func (b *bucketSort) kernel() error {
	for round := range b.config.Rounds {
		b.group()
		if err := b.space.Barrier(); err != nil {
			return err
		}
		b.sortOwn()
		if err := b.space.Barrier(); err != nil {
			return err
		}
		b.tick(round + 1)
	}
	return nil
}

// group puts this rank's keys in order of buckets, and tells how many are in each.
func (b *bucketSort) group() {
	var n [buckets]int
	for _, key := range b.keys {
		n[bucketOf(key)]++
	}
	ranks, me := uint64(b.rank.Size()), uint64(b.rank.ID())
	b.counts.pieces(0, buckets*ranks, func(lo, hi uint64) {
		counts := b.many.Write(lo, hi)
		for i := lo + (me+ranks-lo%ranks)%ranks; i < hi; i += ranks {
			counts[i-lo] = uint32(n[i/ranks])
		}
	})
	if !b.empty() {
		groupKeys(b.grouped.Write(b.own()), b.keys, &n)
	}
	b.work(len(b.keys), sortKey/4)
}

// groupKeys puts keys in order of buckets. n is how many are in each, and where each ends afterwards.
func groupKeys(to, keys []uint32, n *[buckets]int) {
	at := 0
	for i, many := range n {
		n[i] = at
		at += many
	}
	for _, key := range keys {
		i := bucketOf(key)
		to[n[i]] = key
		n[i]++
	}
}

// sortOwn sorts the keys of this rank's buckets: those whose first key belongs in its part.
func (b *bucketSort) sortOwn() {
	ranks := b.rank.Size()
	var all [][]uint32
	b.counts.pieces(0, uint64(buckets*ranks), func(lo, hi uint64) { all = append(all, b.many.Read(lo, hi)) })
	counts := func(bucket int) []uint32 { // by rank
		at := bucket % b.counts.each * ranks
		return all[bucket/b.counts.each][at : at+ranks]
	}
	// The keys of the buckets from first to last-1 go to from in the order of all. In a rank's part they are from
	// low to high.
	first, last, from, total := -1, -1, 0, 0
	low, high, next := make([]int, ranks), make([]int, ranks), make([]int, ranks)
	for bucket := range buckets {
		mine := total/b.each == b.rank.ID()
		if mine && first < 0 {
			first, from = bucket, total
			copy(low, next)
		}
		for rank, n := range counts(bucket) {
			next[rank] += int(n)
			total += int(n)
		}
		if mine {
			last = bucket + 1
			copy(high, next)
		}
	}
	if first < 0 {
		return
	}
	parts, n := make([][]uint32, ranks), 0
	for rank := range parts {
		lo, _ := b.of(rank).own()
		parts[rank] = b.grouped.Read(lo+uint64(low[rank]), lo+uint64(high[rank]))
		n += len(parts[rank])
	}
	if len(b.room) < 2*n {
		b.room = make([]uint32, 2*n)
	}
	keys, spare, at := b.room[:n], b.room[n:2*n], 0
	for bucket := first; bucket < last; bucket++ {
		start := at
		for rank, n := range counts(bucket) {
			at += copy(keys[at:], parts[rank][:n])
			parts[rank] = parts[rank][n:]
		}
		sortBucket(keys[start:at], spare[start:at])
	}
	b.pieces(uint64(from), uint64(from+n), func(lo, hi uint64) {
		copy(b.sorted.Write(lo, hi), keys[lo-uint64(from):hi-uint64(from)])
	})
	b.work(n, sortKey*3/4)
}

// sortBucket sorts keys of one bucket. spare is as long.
func sortBucket(keys, spare []uint32) {
	const digit = (32 - bucketBits) / 2
	if len(keys) < 1<<digit/4 {
		slices.Sort(keys)
		return
	}
	for _, shift := range []uint{0, digit} {
		var n [1 << digit]int32
		for _, key := range keys {
			n[key>>shift%(1<<digit)]++
		}
		at := int32(0)
		for i, many := range n {
			n[i] = at
			at += many
		}
		for _, key := range keys {
			i := key >> shift % (1 << digit)
			spare[n[i]] = key
			n[i]++
		}
		keys, spare = spare, keys
	}
}

func (b *bucketSort) judge() error {
	c := b.config
	var keys, grouped, spare []uint32
	err := b.twin(func() {
		keys, grouped, spare = make([]uint32, c.Size), make([]uint32, c.Size), make([]uint32, c.Size)
		c.fillKeys(keys, 0)
		clear(grouped)
		clear(spare)
	}, func() {
		for range c.Rounds {
			sortKeys(keys, grouped, spare)
		}
	}, c.Rounds*c.Size, sortKey)
	if err != nil {
		return err
	}
	const each = 64
	return same(b.run, b.rows, b.sorted.Read(b.own()), grouped, each, func(k uint32) uint64 { return uint64(k) },
		"runs of 64 keys are wrong")
}

// sortKeys sorts keys into another slice, as long as spare is.
func sortKeys(keys, sorted, spare []uint32) {
	var n [buckets]int
	for _, key := range keys {
		n[bucketOf(key)]++
	}
	groupKeys(sorted, keys, &n)
	start := 0
	for _, end := range n {
		sortBucket(sorted[start:end], spare[start:end])
		start = end
	}
}

// SerialBucketSort is BucketSort without a job: the keys in order.
func SerialBucketSort(c Config) []uint32 {
	c = BucketSort.withDefaults(c)
	keys, sorted, spare := make([]uint32, c.Size), make([]uint32, c.Size), make([]uint32, c.Size)
	c.fillKeys(keys, 0)
	sortKeys(keys, sorted, spare)
	return sorted
}
