// Package memory has data that any rank reads and writes without its owner's participation: distributed arrays,
// scalars, locks and heaps. The program moves data to its work, where pebbles and delegates move work to the data.
//
// A [Space] is one rank's part of all of it. An [Array] is spread over the ranks by a distribution; [Array.Local] is a
// rank's part as an ordinary slice. An element that is near, in this process or mapped from this host, is read and
// written by a load and a store. The others cost a message to the process of their owner, where the transport answers,
// and its ranks need not poll (XLUPC, section 3). Each rank stores the addresses of parts of an array that it has found
// mapped, and looks them up once.
//
// A handle names an allocation, and no rank keeps a table of its addresses on other ranks (XLUPC, section 2.1). The
// first access of a process asks the owner, where a handler answers. The answer's address stays in the address cache of
// the process, of pebble.Config.AddressCache entries. The owner finds its objects in the pinned address table, which
// has 1,000 allocations, first in, first out, or else in a map behind a lock, which has all: programs may have any
// number.
//
// A call that waits lets other tasks run if a task makes it, and runs handlers if the main function makes it, in an
// epoch's body. A handler must not wait: there such calls end the job, except on memory of its own process.
// [Array.Gather] and its neighbours wait once for many elements, which leave together: use them for speed. Start calls
// don't wait at all. In an epoch's body, calls on ranges and of many elements now and then run handlers, also if all of
// it is near: other ranks may be waiting for an address.
//
// A [Grid] is a matrix in tiles with ghost cells around them, which one call, [Grid.Exchange], fills.
//
// Elements are plain data. An aligned word of 8 bytes is never torn; larger elements, and ranges, may be seen in parts
// when others write to them meanwhile. The writes of a rank are visible to all after [Space.Fence], and at the end of
// the epoch. docs/contract.md has all promises.
package memory
