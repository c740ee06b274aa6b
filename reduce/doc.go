// Package reduce is the message reduction of Active Pebbles (section 3.5 of the paper): a small direct-mapped cache
// that pebbles pass through at their source and at every hop. It drops or merges pebbles to the same key. One cache
// catches the fraction h of the pebbles; the next hop catches h of the rest.
//
// The program chooses a [Kind] of reduction:
//
//	Duplicates  drops a pebble equal to one that went before
//	First       drops every later pebble to the same key
//	Best        drops a pebble no better than one that went before to the same key
//	Combine     merges pebbles to the same key into one
//	Concatenate joins pebbles to the same key one behind the other while they fit
//
// The first three are write-through: a pebble travels on at once and only a copy is remembered, so nothing waits in the
// cache. Combine and Concatenate are write-back: the pebble itself stays in its slot until another key needs the slot
// or [Cache.Drain] takes it.
//
// A write-through cache must not meet a pebble twice: it would drop it as its own duplicate. So it works at hops only
// if routes lead every pebble through a rank once at most, and all pebbles to one key along one tree; otherwise at the
// source of a pebble alone.
//
// A cache forgets: two keys that share a slot push out each other. So several pebbles to one key may still arrive, and
// a program must be right without the cache, too. The cache makes it faster and changes no result.
//
// A cache costs a lookup for every pebble. If keys outnumber slots it merges few, and would make the program slower. So
// [Cache.Advise], asked before each batch, decides from earlier merges whether the batch should go through. The cache
// switches off where it doesn't pay, and tries again from time to time.
package reduce
