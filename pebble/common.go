package pebble

import "reflect"

// InCommon returns what the ranks of this process have in common of type T, which the first of them that asks makes: a
// cache, or a table that is read only once. Each job has its own. Ranks of a process run at the same time, so T guards
// itself, by a lock or by epochs' ends: what a rank has written before one, others may read after it. make must call
// nothing of the rank. A type of the program's own keeps packages apart.
func InCommon[T any](r *Rank, make func() T) T {
	return r.engine.InCommon(reflect.TypeFor[T](), func() any { return make() }).(T)
}
