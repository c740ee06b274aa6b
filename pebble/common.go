package pebble

import "reflect"

// InCommon returns the value of type T that the ranks of this process share: a cache, or a table that is read only
// once. The first rank that asks makes it. Each job has its own. Ranks of a process run at the same time, so T guards
// itself, by a lock or by epochs: a value that a rank has written before an epoch's end may be read by others after it.
// make must call nothing of the rank. Use a type declared in your own package as T, so that two packages never share a
// value by accident.
func InCommon[T any](r *Rank, make func() T) T {
	r.engine.Account("InCommon was called")
	return r.engine.InCommon(reflect.TypeFor[T](), func() any { return make() }).(T)
}
