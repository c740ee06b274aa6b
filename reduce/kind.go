package reduce

// Kind says what a cache does with pebbles to the same key. The zero Kind is not
// usable; Duplicates, First, Best, Combine and Concatenate make one.
type Kind[V any] struct {
	name      string
	writeBack bool
	clone     func(v V) V // of what is to be held; nil to hold it as it is
	// make is how a generic constructor hands its loop, fixed once, to the cache.
	make func(slots slots, clone func(v V) V) store[V]
}

// String is the kind's name: duplicates, first, best, combine or concatenate.
func (k Kind[V]) String() string { return k.name }

// WriteBack reports whether pebbles stay in the cache until they are pushed out or
// drained (Combine, Concatenate); all other kinds let them travel on at once.
func (k Kind[V]) WriteBack() bool { return k.writeBack }

// Keeping is a kind that holds clone(v) in place of v, for pebbles that share memory with something that is used again,
// such as a buffer of text. It is for Combine and Concatenate, whose functions get the clone as held, and v as next. It
// panics for the other kinds. It costs a call for each pebble that takes a slot.
func (k Kind[V]) Keeping(clone func(v V) V) Kind[V] {
	if !k.writeBack || clone == nil {
		panic("reduce: Keeping needs a kind that holds pebbles, Combine or Concatenate, and a function that clones")
	}
	k.clone = clone
	return k
}

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
