// Package pages has shared memory with lazy release consistency: TreadMarks (Noronha and Panda, "Implementing
// TreadMarks over GM on Myrinet", 2003; Keleher and others, 1994), with homes (Zhou, Iftode and Li, OSDI 1996), on
// one-sided memory. A program reads and writes slices. Its locks and barriers determine when ranks see the writes of
// others.
//
// A [Slice] is cut into pages. Each page has a home, by a distribution. If the home is near, in this process or mapped
// from this host, a span of the slice is the home's memory itself. Otherwise it is a local copy: [Slice.Read] gets the
// pages that are not valid from their homes, neighbours in one transfer, and [Slice.Write] keeps a twin of each page
// before the change. A release compares pages with their twins, and puts the changed elements, and no others, to the
// homes: so several ranks may write to different elements of one page at the same time. It files the written pages as
// write notices, in exposed memory. An acquire gets the notices that are new to its rank, and invalidates copies of the
// pages that they name. [Lock.Unlock] is a release, [Lock.Lock] an acquire, and [Space.Barrier] both.
//
// The guarantee is release consistency: a rank sees all writes before a release that precedes one of its acquires. If
// locks and barriers order all conflicting accesses of a program to each element, it runs as with one memory.
//
// Other ranks need not poll: neither the home of a page or of a lock, nor the writers. A call that waits lets other
// tasks run if a task makes it, and runs handlers if the main function makes it in an epoch's body; the main function
// may also make it between epochs. docs/guide-memory.md explains when to use pages, and docs/contract.md has all
// promises.
package pages
