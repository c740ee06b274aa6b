// Package alltoall is the fine-grained all-to-all benchmark on Active Pebbles for Go (TRAM, section V.D): every rank
// sends an item of a few bytes to every other rank, in each of many rounds. All rounds stream in one epoch, without a
// look at the other ranks between two of them. TRAM's items have 32 bytes, as have these by default.
//
// A rank sends nothing to itself: such an item would not travel, and on few ranks the figure would tell of little else.
// So P ranks send P(P-1) items a round, and a rank alone sends none. In each round a rank begins with the rank after it
// and goes once around, so that ranks in step send to different ranks at any moment; TRAM draws an order at random to
// the same end.
//
// # What travels
//
// Items of 8, 16, 32 and 64 bytes are pebbles of plain data, with 16 bytes more before them: where the item goes, where
// it is from, and its round. Items of any other size, from 1 byte to 64 KiB, go through a codec, with those 16 bytes
// and the 12 that every coded pebble has. None is padded. A coded item costs several times what a plain one does,
// beyond what its bytes cost; and buffers of coded items hold 64 KiB, or one item. Counters.BytesSent has all bytes of
// all hops.
//
// # What verification proves
//
// The bytes of an item follow from the seed, its sender, its receiver and its round. The receiver makes them again and
// compares each, in the timed kernel: a program would look at its data too. Beside that it keeps 16 bytes for each
// sender, however many the rounds: how many whole items came, and the sum of a mark for each, which follows from its
// first word. The marks of two rounds differ, so an item that came twice in place of another does not go unnoticed. And
// it counts all items that came, which must be as many as were sent.
//
// An item that did not come, one that came once too often and one that came damaged count as one error each. Where one
// pair of ranks has several that did not come and several that came too often, what the sums can't tell is left out:
// Errors is the least that can have gone wrong then. It is 0 for a wrong result only if sums of 64 bits agree by
// accident.
package alltoall
