// Package exposed lays out memory that others may read and write without its owner's participation. The exposed memory
// of a process is one [Segment]. Its own ranks, and those of processes that have it mapped, access it by loads, stores
// and copies. The package does not depend on transports.
//
// An [Owner] allocates parts of the arena, each under a key that is never used twice. A [User] accesses segments, one
// access at a time: it marks the entry that it is about to use before it checks the key. A withdrawal invalidates the
// key before it checks marks. So one of the two sees the other, and memory is never allocated again while a user may
// still access it.
package exposed
