package reduce

// Concatenate joins pebbles to the same key one behind the other, for as long as they
// fit: join(held, next) takes the place of both if ok; if not, held travels on as it is
// and next takes its place in the cache (what join returned beside is not looked at). It
// is for payloads that can't be added up but share the way and the key: a pebble with
// a small array and a count, a slice with a limit to its length (Active Pebbles,
// section 3.5: "concatenated").
//
// join must keep the key, must lose and repeat nothing, and must not use the cache. It
// may write into held, which is the cache's; so a pebble given to the cache must not
// share memory with anything else. Slices cut from one array share it behind their
// ends, where append writes: cut them as s[i:j:j]. If !ok, join must leave both as they
// were. Pebbles have no order, so a handler must take the parts of a key in any.
//
// As for Combine, pebbles stay in the cache until another key needs their slot, or a
// pebble that doesn't fit comes, or Drain takes them.
func Concatenate[V any](join func(held, next V) (joined V, ok bool)) Kind[V] {
	if join == nil {
		panic("reduce: Concatenate without a function that joins")
	}
	return holding("concatenate", join)
}
