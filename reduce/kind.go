package reduce

// Kind is the treatment of pebbles to the same key by a cache. The zero Kind is not usable; Duplicates, First, Best,
// Combine and Concatenate make one.
type Kind[V any] struct {
	name      string
	writeBack bool
	clone     func(v V) V // copies a pebble before it is held; nil for none
	// make gives the cache the loop of a generic constructor, fixed once.
	make func(slots slots, clone func(v V) V) store[V]
}

// String returns the kind's name: duplicates, first, best, combine or concatenate.
func (k Kind[V]) String() string { return k.name }

// WriteBack reports whether pebbles stay in the cache until they are pushed out or drained (Combine, Concatenate); all
// other kinds let them travel on at once.
func (k Kind[V]) WriteBack() bool { return k.writeBack }

// Keeping returns a kind that holds clone(v) instead of v, for pebbles in memory that is reused, such as a buffer of
// text. It is for Combine and Concatenate, whose functions get the clone as held, and v as next. It panics for the
// other kinds. It costs a call for each pebble that takes a slot.
func (k Kind[V]) Keeping(clone func(v V) V) Kind[V] {
	if !k.writeBack || clone == nil {
		panic("reduce: Keeping needs a kind that holds pebbles, Combine or Concatenate, and a function that clones")
	}
	k.clone = clone
	return k
}

// A store has the slots of one kind with the loop over them. A loop has no branch on the kind, and no call per pebble
// except of the program's function.
type store[V any] interface {
	// filter is Cache.Filter.
	filter(vs []V, keys []uint64) outcome
	// drain is Cache.Drain.
	drain(vs []V, keys []uint64) int
	held() int
	// renew starts a new filling: remembered pebbles are dropped, held ones stay, and a pebble that takes a slot filled
	// before counts as one that fills it.
	renew()
	slotBytes() int
	bytes() int
}

// outcome counts the pebbles of one filter.
type outcome struct {
	out    int // that travel on
	merged int // dropped or merged
	fills  int // that took a slot not filled since the last renew
}
