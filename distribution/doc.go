// Package distribution maps keys to the ranks that own them. It is the scalable addressing of Active Pebbles (section
// 3.2 of the paper): a pebble is sent to a key, never to a rank, and a distribution turns the key into its owner rank
// and, if the data is an array, into a local index there.
//
// The static distributions need O(1) space and time, except [Table]:
//
//	Block        blocks of consecutive keys, one a rank
//	Ranks        the ranks themselves: key k belongs to rank k
//	Cyclic       keys dealt out one by one
//	BlockCyclic  blocks dealt out one by one
//	Shuffled     [0, n) in a pseudo-random order, dealt out one by one
//	Rows, Tiles  a matrix in whole rows, or in rectangles
//	Hash         any 64-bit key, owner only (see HashString for text keys)
//	Table        an owner for each key, written down
//
// A [Directory] is the dynamic one: keys start at the owners of a static distribution, and may move while the job runs.
// A program may use its own distribution: any type that implements [Map], and preferably [Batcher] too. The packages
// that use it check its results (see [Proven]).
//
// Everything here is pure arithmetic on plain values: static distributions never change after construction and may be
// used by all ranks at once.
package distribution
