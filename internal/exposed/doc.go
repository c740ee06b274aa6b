// Package exposed lays out memory that others may read and write without its owner's attention: what a process has
// exposed is one [Segment], which its ranks use by loads, stores and copies, and so do those of other processes that
// have it mapped. It knows nothing of transports.
//
// An [Owner] gives out parts of the arena, each under a key that is never used twice. A [User] is somebody who
// accesses segments, one access at a time: it marks the entry that it is about to use before it looks whether the key
// is still good. Whoever withdraws makes the key bad before it looks for marks. So one of the two sees the other, and
// memory is never given out again while somebody may still be in it.
package exposed
