// Package addresses has the small tables of one-sided memory: the cache of remote addresses, and the table of a
// process's exposed objects (XLUPC, section 3). Many goroutines read both at every access, without a lock. Writes are
// rare.
//
// A [Table] is the only user of the library hashmap. It calls Get and Set alone, one writer at a time, on a map that
// never grows: docs/dependencies.md gives the reasons. A [Cache] is a table that drops its oldest entry to make room.
package addresses
