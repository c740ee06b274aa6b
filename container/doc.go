// Package container has distributed containers for Active Pebbles for Go: maps, counters, sets, bags and disjoint sets
// whose entries are spread over the ranks of a job by a hash of their keys.
//
//	counts := container.NewCounter[string](r, "counts")
//	if err := r.Epoch(func() error {
//		for word := range strings.FieldsSeq("a rose is a rose is a rose") {
//			counts.Add(word, 1)
//		}
//		return nil
//	}); err != nil {
//		return err
//	}
//	top, err := counts.Top(2)
//
// Everything here is pebbles: what changes an entry goes to the rank that owns the key, and is done there by a handler,
// one at a time. The end of the epoch says that all was done.
//
// # Who calls what
//
// The name and the first parameter tell:
//
//   - What takes a key or an element is one-sided: Put, Add, Insert, Delete, Union. Any rank calls it, by itself, where
//     a pebble may be sent: in an epoch's body, in handlers and in tasks.
//   - What begins with Local is about the entries of this rank, and nobody else takes part. It may be called anywhere
//     on the rank's goroutine. LocalAll, LocalLen and LocalGet are such.
//   - All else, from New to Len and TopK, is about the whole container: all ranks call it, in the same order, between
//     epochs, and it returns an error when the job has failed.
//
// # Keys and values
//
// A key is any comparable type without pointers, interfaces and channels. Keys are equal when Go says so, never because
// their hashes are. A NaN equals nothing, so a key that has one ends the job. Keys and values of plain data travel as
// they lie in memory. Strings and byte slices have ready codecs, and other types one that package target/avro derives;
// target.Coded gives another one.
//
// A [View] is the entries of a container with keys, [Elements] those of a bag or table without. Both are looked at by
// loops, filtered, gathered and saved. Save writes all entries to a folder, and Load reads them again, by any number of
// ranks.
//
// Entries have no order. While a rank iterates over its entries, no entry may come or go: a handler that wants to ends
// the job with words that say so.
//
// # Memory
//
// A rank's entries lie in a table with open addressing, of which three to six eighths are used, 16 entries at least. An
// entry takes the size of its key and value, with Go's padding. While a table grows, the old one and the new one are
// there. A table for which there is no memory ends the job before it is allocated.
package container
