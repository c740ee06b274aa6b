// Package target is the typed face of Active Pebbles for Go: a target binds data and a handler through a distribution, and
// pebbles are sent to its keys (Active Pebbles, sections 3.1 and 3.2).
//
//	update := target.New(r, "update", words,
//		target.Key(func(ran uint64) uint64 { return ran % total }),
//		target.Each(func(ran uint64) { table[words.Local(ran%total)] ^= ran }))
//	err := r.Epoch(func() error {
//		update.SendAll(stream)
//		return nil
//	})
//
// A target is for the goroutine of its rank's function alone, in handlers too. Builds with -race or -tags pebbles_check end the job at the
// first call from another goroutine; others when two calls meet.
//
// A pebble of plain data (numbers, and arrays and structs of them) travels as it lies in memory. Any other type needs a
// [Codec]; package target/avro has one that works for most types.
//
// On its way a pebble meets, in this order: its owner's rank number, worked out from its key; the handler at once, if that
// is this rank; the reduction cache; the buffer of the next hop; and, when the buffer leaves, the transport. At a hop it
// comes in through the same door.
package target
