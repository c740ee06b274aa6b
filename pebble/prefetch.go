package pebble

import "github.com/activepebbles/pebbles/internal/cpu"

// PrefetchEach calls handle with all keys, in order and in blocks of 32, and prefetches the table elements that the
// next block will touch. It is for batch handlers that access a table larger than the processor's caches in random
// order.
//
// The first 8 bytes of a key are an integer whose low bits are the index into the table. Nothing is prefetched if the
// length of the table is not a power of two, or if the table fits into a core's second-level cache. Each block is a
// part of keys. The cost is about a nanosecond a key, and one call a block.
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
