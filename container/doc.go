// Package container has distributed containers for Active Pebbles for Go: maps, counters, sets, bags and disjoint sets.
// Their entries are spread over the ranks of a job by a hash of their keys.
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
// All operations are pebbles: a change of an entry goes to the owner of the key, where a handler applies it, one change
// at a time. All changes are complete at the end of the epoch.
//
// # Rules of calls
//
// The name and the first parameter show the kind of an operation:
//
//   - Operations with a key or an element are one-sided: Put, Add, Insert, Delete, Union. Any rank calls them alone,
//     wherever it may send a pebble: in an epoch's body, in handlers and in tasks.
//   - Names that begin with Local concern the entries of this rank, and no other rank takes part: LocalAll, LocalLen
//     and LocalGet. They may be called anywhere on the rank's goroutine.
//   - All others, from New to Len and TopK, concern the whole container. All ranks call them, in the same order,
//     between epochs. They return an error when the job has failed.
//
// # Keys and values
//
// A key is any comparable type without pointers, interfaces and channels. Go's == decides on equality, never a hash. A
// NaN equals nothing, so a key that has one ends the job. Keys and values of plain data travel in their memory layout.
// Strings and byte slices have codecs; for other types package target/avro derives one. target.Coded replaces it.
//
// A [View] has the entries of a container with keys, [Elements] those of a bag or table without. Loops read them; they
// can be filtered, gathered and saved. Save writes all entries to a folder, and any number of ranks can Load them.
//
// Entries have no order. While a rank iterates over its entries, no entry may be added or removed: a handler that tries
// ends the job with an error that names the reason.
//
// # Memory
//
// A rank's entries lie in a hash table with open addressing, at least 16 slots and a load of three to six eighths. An
// entry takes the size of its key and value, with Go's padding. While a table grows, the old one and the new one exist.
// The job ends, before the allocation, if memory does not suffice for a table.
package container
