// Package addresses has the small tables of one-sided memory: the cache of remote addresses, and the table of what a process exposes
// (XLUPC, section 3). Both are read at every access, by many goroutines and without a lock, and seldom written.
//
// A [Table] is the one place where the library hashmap is used. It calls no more of it than Get and Set, one writer at a time, on a map that
// never grows: docs/dependencies.md says why. A [Cache] is a table that makes room by forgetting what came first.
package addresses
