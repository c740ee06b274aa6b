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
// The way of a pebble: SendAll works out the owner of each pebble from its key, a batch at a time. Pebbles of this rank go to the
// handler; the others go through the reduction cache, if there is one, into the buffer of their next hop, and from there to the
// transport. At a hop they take the same way. Pebbles of single Sends gather first; see [Target.Send].
package target
