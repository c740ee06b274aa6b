package pebble

import (
	"github.com/activepebbles/pebbles/internal/cpu"
)

// Visit calls visit with all keys, in blocks and in their order, while the processor is already bringing near what the next
// block will touch in the table: for handlers of batches that visit a table larger than the caches in random order, where most
// of the time is waiting for memory. A key is the first 8 bytes of an element of keys, and its low bits are the index. When the
// length of the table is no power of two nothing is brought near. The block of each call lies in keys. It costs about a
// nanosecond a key, and a call of visit for 32 keys.
//
//	target.Batch(func(rans []uint64) {
//		pebble.Visit(table, rans, func(rans []uint64) {
//			for _, ran := range rans {
//				table[ran&mask] ^= ran
//			}
//		})
//	})
func Visit[T, K any](table []T, keys []K, visit func(block []K)) {
	cpu.PrefetchEach(table, keys, visit)
}
