package reduce

// writeThrough is the part of a store that never holds a pebble.
type writeThrough[V any] struct{}

func (writeThrough[V]) held() int               { return 0 }
func (writeThrough[V]) drain([]V, []uint64) int { return 0 }

// remembered has the slots of a write-through kind that keeps copies of pebbles.
type remembered[V any] struct {
	writeThrough[V]
	table[V]
}

func (r *remembered[V]) renew() {
	if r.slots.renew() {
		clear(r.entries)
	}
}
