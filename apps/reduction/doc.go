// Package reduction is an all-to-one reduction on Active Pebbles for Go: every rank sends many items to one key, or to
// a few, and pebbles to the same key become one on their way (Active Pebbles, section 3.5). Without that, all of them
// arrive at the rank that owns the key, which then does all of the work.
//
// Items are numbered over all ranks; rank r has those from rN on, N of them, and sends them in a pseudo-random order
// that the seed names. The key of item n is n mod K, and keys lie on the ranks in blocks: key 0 on rank 0. What is put
// together under a key is up to the kind:
//
//	sum          how many items there are, and the sum of n+1, by reduce.Combine
//	max          the largest n+1, by reduce.Best
//	distinct     which of 4 values (n/K) mod 4 there are, by reduce.Duplicates
//	concatenate  all n+1, up to 6 in a pebble, by reduce.Concatenate; the owner adds them up
//
// The reduction cache is on here by default. It has one slot for a key and shares it with other keys, so it merges best
// while the keys are fewer than its entries. With one key, sum sends a few pebbles a rank: one whenever the cache is
// emptied.
//
// # What verification proves
//
// Every number is that of one item, so the total of each key has a closed formula: its numbers are k, k+K, k+2K, and so
// on. The owner of a key works it out without a pebble, and compares. A key whose total differs is an error. Sums are
// taken modulo 2^64; with each goes the count of its items, so that losses that leave a sum as it was are seen as well.
//
// The totals of max and distinct do not have every item in them. So as many pebbles must be handled or merged as there
// are items, for all kinds, and where none was merged, the sum of a mark for each pebble has a closed formula as well.
// What this does not see is what the reduction itself may do: with a cache, a max that is not the largest of its key
// may be left out and another come twice.
package reduction
