package pebble

import "reflect"

// InCommon returns the value of type T that the ranks of this process share, such as a cache, or a table that is read
// only once. The first rank that calls it makes the value. Each job has its own. Ranks of a process run at the same
// time, so T must guard itself, by a lock or by epochs: after the end of an epoch, other ranks may read all that a rank
// has written before it. make must not call the rank. Use a type declared in your own package as T, so that two
// packages never share a value by accident.
func InCommon[T any](r *Rank, make func() T) T {
	r.engine.Account("InCommon was called")
	return r.engine.InCommon(reflect.TypeFor[T](), func() any { return make() }).(T)
}
