package reduce

// Concatenate joins pebbles to the same key as long as they fit: join(held, next) replaces both if ok. If not, held
// travels on unchanged and next takes its place in the cache; joined is ignored. It is for payloads that can't be
// summed but share the way and the key: a pebble with a small array and a count, a slice with a limit to its length
// (Active Pebbles, section 3.5: "concatenated").
//
// join must keep the key, must lose and repeat nothing, and must not use the cache. It may write into held, which
// belongs to the cache; so a pebble given to the cache must not share memory with anything else. Slices cut from one
// array share the memory beyond their ends, where append writes: cut them as s[i:j:j]. If !ok, join must leave both
// unchanged. Pebbles have no order, so a handler must accept the parts of a key in any order.
//
// As for Combine, pebbles stay in the cache until another key needs their slot, or a pebble that doesn't fit comes, or
// Drain takes them.
func Concatenate[V any](join func(held, next V) (joined V, ok bool)) Kind[V] {
	if join == nil {
		panic("reduce: Concatenate without a function that joins")
	}
	return holding("concatenate", join)
}
