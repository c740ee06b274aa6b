package reduce

// Combine merges pebbles to the same key: merge(held, next) replaces both. It is for handlers that accumulate: counts,
// sums, sets. merge must be associative and commutative, must keep the key, and must not use the cache.
//
// Pebbles stay in the cache until another key needs their slot or Drain takes them, so the owner of the cache must
// drain it before an epoch can end.
func Combine[V any](merge func(a, b V) V) Kind[V] {
	if merge == nil {
		panic("reduce: Combine without a function that merges")
	}
	return holding("combine", func(held, next V) (V, bool) { return merge(held, next), true })
}
