// Package reduce is the message reduction of Active Pebbles (section 3.5 of the
// paper): a small direct-mapped cache that pebbles pass through at their source and at
// every hop, where pebbles to the same key are dropped or merged. One cache catches the
// fraction h of the pebbles; h of what is left is caught at the next hop.
//
// What may be left out is for the program to say, by a [Kind]:
//
//	Duplicates  drops a pebble equal to one that went before
//	First       drops every later pebble to the same key
//	Best        drops a pebble no better than one that went before to the same key
//	Combine     merges pebbles to the same key into one
//	Concatenate joins pebbles to the same key one behind the other while they fit
//
// The first three are write-through: a pebble travels on at once and only a copy is
// remembered, so nothing waits in the cache. Combine and Concatenate are write-back: the
// pebble itself stays in its slot until another key needs the slot or [Cache.Drain] asks
// for it.
//
// A write-through cache must not meet a pebble twice: it would drop it for itself. So it
// works at hops only where routes lead every pebble through a rank once at most, and all
// pebbles to one key along one tree; elsewhere at the source of a pebble alone.
//
// A cache forgets: where two keys share a slot, each pushes out the other. So pebbles
// to one key may still arrive more than once, and a program must be right without the
// cache, too. The cache makes it faster and changes no result.
//
// A cache costs a look for every pebble, and where keys outnumber slots it merges few: it
// would make the program slower. So [Cache.Advise], asked before each batch, says whether
// the batch should go through, from what the cache merged so far. It goes off where it
// doesn't pay, and tries again from time to time.
package reduce
