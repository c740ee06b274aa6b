package reduce

// Kind says what a cache does with pebbles to the same key. The zero Kind is not
// usable; Duplicates, First, Best, Combine and Concatenate make one.
type Kind[V any] struct {
	name      string
	writeBack bool
	// make is how a generic constructor hands its loop, fixed once, to the cache.
	make func(slots slots) store[V]
}

// String is the kind's name: duplicates, first, best, combine or concatenate.
func (k Kind[V]) String() string { return k.name }

// WriteBack reports whether pebbles stay in the cache until they are pushed out or
// drained (Combine, Concatenate); all other kinds let them travel on at once.
func (k Kind[V]) WriteBack() bool { return k.writeBack }

// A store is the slots of one kind with the loop over them. A loop has no branch on
// the kind, and no call for a pebble but the program's own function.
type store[V any] interface {
	// filter is Cache.Filter.
	filter(vs []V, keys []uint64) outcome
	// drain is Cache.Drain.
	drain(vs []V, keys []uint64) int
	held() int
	// renew begins a new filling: what is remembered is forgotten, what is held stays,
	// and a pebble that takes a slot filled before counts as one that fills it.
	renew()
	slotBytes() int
	bytes() int
}

// outcome is what became of the pebbles of one filter.
type outcome struct {
	out    int // pebbles that travel on
	merged int // pebbles that were dropped or merged
	fills  int // pebbles that took a slot not filled since the last renew
}
