// Package pages has shared memory with lazy release consistency: TreadMarks (Noronha and Panda, "Implementing
// TreadMarks over GM on Myrinet", 2003; Keleher and others, 1994), with homes (Zhou, Iftode and Li, OSDI 1996), on
// one-sided memory. A program reads and writes slices, and says by locks and barriers when ranks are to see what
// others have written.
//
// A [Slice] is cut into pages. Each page has a home, by a distribution. Where the home is near, in this process or
// mapped from this host, a span of the slice is the home's memory itself. Elsewhere it is a local copy: [Slice.Read]
// gets the pages that are not valid from their homes, neighbours in one transfer, and [Slice.Write] keeps a twin of
// each page as it was. A release compares pages with their twins, and puts the elements that have changed, and no
// others, to the homes: so several ranks may write to different elements of one page at the same time. It files the
// pages that were written as write notices, in exposed memory. An acquire gets the notices that its rank has not seen
// yet, and copies of the pages that they name are valid no more. [Lock.Unlock] is a release, [Lock.Lock] an acquire,
// and [Space.Barrier] both.
//
// What a rank may count on is that of release consistency: it sees all that was written before a release that comes
// before one of its acquires. A program whose accesses to one element are ordered by locks and barriers, when one of
// them writes, runs as if there were one memory.
//
// Nobody else has to attend: not the home of a page or of a lock, nor whoever wrote. Calls that wait let other tasks
// run when a task makes them, and handlers when the main function does in an epoch's body; the main function may also
// make them between epochs. docs/guide-memory.md says when to use pages, and docs/contract.md has all promises.
package pages
