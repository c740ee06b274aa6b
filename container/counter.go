package container

import (
	"cmp"

	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
)

// Counter counts the occurrences of keys. Its methods are for its rank's goroutine.
type Counter[K comparable] struct {
	View[K, uint64]
	*store[K, uint64]
	adds  *target.Target[Entry[K, uint64]]
	batch []Entry[K, uint64]
}

// NewCounter makes a counter, by the rules of [NewMap]. Counts of one key are summed on their way, as a [Reducer]
// merges values.
func NewCounter[K comparable](r *pebble.Rank, name string, options ...target.Option) *Counter[K] {
	c := &Counter[K]{store: newStore[K, uint64](r, name, options)}
	c.View = viewOfStore(c.store)
	c.adds = newReducing(c.store, "add", pebble.Sum[uint64], nil)
	return c
}

// Add adds n to the count of a key. Counts wrap around at 2^64.
func (c *Counter[K]) Add(k K, n uint64) { c.adds.Send(Entry[K, uint64]{k, n}) }

// AddAll adds 1 to the counts of many keys. A key costs a fraction of an Add. ks is not kept.
func (c *Counter[K]) AddAll(ks []K) {
	for len(ks) > 0 {
		batch := c.lend()
		n := min(len(ks), len(batch))
		for i, k := range ks[:n] {
			batch[i] = Entry[K, uint64]{k, 1}
		}
		c.adds.SendAll(batch[:n])
		ks, c.batch = ks[n:], batch
	}
}

// lend hands out the batch until its user puts it back: a send of the main function may run handlers, which may add as
// well.
func (c *Counter[K]) lend() (batch []Entry[K, uint64]) {
	if batch, c.batch = c.batch, nil; batch == nil {
		batch = make([]Entry[K, uint64], chunk)
	}
	return batch
}

// Count is a key with its count.
type Count[K any] = Entry[K, uint64]

// Top returns, on every rank, the n keys with the highest counts, the highest first. The order of equal counts is
// undefined. All ranks call it.
func (c *Counter[K]) Top(n int) ([]Count[K], error) {
	return c.TopK(n, func(a, b Count[K]) int { return cmp.Compare(b.Value, a.Value) })
}

// AddWords adds 1 to the count of each word. The caller may reuse the bytes when AddWords returns, for example as a
// read buffer. It allocates for a word that is new to this rank, or that has left its cache. The rules of AddAll apply.
func AddWords(c *Counter[string], words [][]byte) {
	for len(words) > 0 {
		batch := c.lend()
		n := min(len(words), len(batch))
		for i, w := range words[:n] {
			batch[i] = Count[string]{text(w), 1}
		}
		c.adds.SendAll(batch[:n])
		words, c.batch = words[n:], batch
	}
}
