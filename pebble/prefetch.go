package pebble

import "github.com/activepebbles/pebbles/internal/cpu"

// PrefetchEach calls handle with all keys, in order and in blocks of 32, and prefetches the elements of the table that
// the next block will touch. It is for batch handlers that access a table larger than the processor's caches in random
// order.
//
// The first 8 bytes of a key are an integer whose low bits are the index into the table. Nothing is prefetched when the
// length of the table is not a power of two, or when the table fits into a core's own cache, the one of the second
// level. Each block is a part of keys. The cost is about a nanosecond a key, and one call a block.
//
//	target.Batch(func(rans []uint64) {
//		pebble.PrefetchEach(table, rans, func(rans []uint64) {
//			for _, ran := range rans {
//				table[ran&mask] ^= ran
//			}
//		})
//	})
func PrefetchEach[T, K any](table []T, keys []K, handle func(block []K)) {
	cpu.PrefetchEach(table, keys, handle)
}
