package kmers

import (
	"math/bits"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/target"
)

const (
	blockBytes = 64 // a cache line
	bitsOfEach = 4  // bits of a k-mer in its block
)

// filter is a Bloom filter with all bits of a key in one cache line.
type filter [][blockBytes / 8]uint64

// add adds a key, and reports whether it may have been added before.
func (f filter) add(k uint64) (again bool) {
	hash := apps.Mix(k)
	at, _ := bits.Mul64(hash, uint64(len(f)))
	block, places := &f[at], apps.Mix(hash)
	again = true
	for range bitsOfEach {
		word, bit := &block[places&7], uint64(1)<<(places>>3&63)
		again = again && *word&bit != 0
		*word |= bit
		places >>= 9
	}
	return again
}

// once omits k-mers that occur once, at the rank that owns them.
type once struct {
	filter  filter
	firsts  *target.Target[uint64]
	seconds *target.Target[uint64]
	again   []uint64     // k-mers of a batch
	left    apps.Counted // omitted k-mers
}

// filterOnce registers both passes. The first pass sets a count of 0 for each k-mer that may have occurred before. The
// second counts the k-mers that have a count. So it counts each k-mer that occurs twice, and those that the filter
// takes for one.
func (b *bench) filterOnce() error {
	err := apps.MustFit(b.rank, "kmers: filters of ranks", uint64(b.config.Filter), "give a smaller filter")
	if err != nil {
		return err
	}
	o := &once{filter: make(filter, b.config.Filter/blockBytes)}
	owners, byOwner := distribution.Ranks(b.rank.Size()), target.Keys(func(ks, keys []uint64) {
		for i, k := range ks {
			keys[i] = uint64(b.counts.Owner(k))
		}
	})
	o.firsts = target.New(b.rank, "firsts", owners, byOwner, target.Batch(func(ks []uint64) {
		for _, k := range ks {
			if o.filter.add(k) {
				if _, counted := b.counts.LocalGet(k); !counted {
					b.counts.Add(k, 0)
				}
			}
		}
	}))
	o.seconds = target.New(b.rank, "seconds", owners, byOwner, target.Batch(func(ks []uint64) {
		again := o.again[:0]
		for _, k := range ks {
			if _, counted := b.counts.LocalGet(k); counted {
				again = append(again, k)
				continue
			}
			o.left.Items++
			o.left.Hashes += apps.Mix(k)
		}
		b.counts.AddAll(again)
		o.again = again
	}))
	b.once = o
	return nil
}
