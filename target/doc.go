// Package target is the typed interface of Active Pebbles for Go: a target binds data and a handler through a
// distribution, and pebbles are sent to its keys (Active Pebbles, sections 3.1 and 3.2).
//
//	accounts := distribution.Cyclic(10, r.Size())
//	balance := make([]uint64, 5) // of this rank's accounts
//	pay := target.New(r, "pay", accounts, target.Key(func(d deposit) uint64 { return d.Account }),
//		target.Each(func(d deposit) { balance[accounts.Local(d.Account)] += d.Cents }))
//	err := r.Epoch(func() error {
//		pay.Send(deposit{Account: 4, Cents: 250})
//		return nil
//	})
//
// A target is for the goroutine of its rank's function alone, in handlers too. Builds with -race or -tags pebbles_check
// end the job at the first call from another goroutine; others do when two calls overlap.
//
// A pebble of plain data (numbers, bools, and arrays and structs of them) travels as it lies in memory. Any other type
// needs a [Codec]; package target/avro has one that works for most types.
//
// A pebble takes these steps. Its key determines the rank of its owner. If that is this rank, the pebble is copied to
// the rank's own buffer, and the handler runs over the buffer before [Target.SendAll] returns. Otherwise the pebble
// goes through the reduction cache, if any, to the buffer of the next hop, and leaves with that buffer as a frame. A
// rank that it passes treats it like one just sent. Pebbles of [Target.Send] are gathered first, up to [SendBufferMax]
// or the coalescing factor, and then take these steps together.
package target
