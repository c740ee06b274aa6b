package reduce

// Kind says what a cache does with pebbles to the same key. The zero Kind is not
// usable; Duplicates, First, Best and Combine make one.
type Kind[V any] struct {
	name      string
	writeBack bool
	// make is how a generic constructor hands its loop, fixed once, to the cache.
	make func(slots slots) store[V]
}

// String is the kind's name: duplicates, first, best or combine.
func (k Kind[V]) String() string { return k.name }

// WriteBack tells whether pebbles stay in the cache until they are pushed out or
// drained (Combine); all other kinds let them travel on at once.
func (k Kind[V]) WriteBack() bool { return k.writeBack }

// A store is the slots of one kind with the loop over them. A loop has no branch on
// the kind, and no call for a pebble but the program's own function.
type store[V any] interface {
	// filter is Cache.Filter; merged is how many pebbles it dropped or merged.
	filter(vs []V, keys []uint64) (n, merged int)
	// drain is Cache.Drain.
	drain(vs []V, keys []uint64) int
	held() int
	slotBytes() int
}
