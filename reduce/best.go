package reduce

// Best lets a pebble travel on only if it is better than the one remembered for its key. It is for handlers that keep
// the best value: a maximum, a shortest distance. better must be a strict ordering (better(a, a) is false); of equal
// pebbles the first one travels. better must not use the cache.
func Best[V any](better func(a, b V) bool) Kind[V] {
	if better == nil {
		panic("reduce: Best without a function that says which is better")
	}
	return Kind[V]{name: "best", make: func(s slots, _ func(v V) V) store[V] {
		return &best[V]{remembered: remembered[V]{table: newTable[V](s)}, better: better}
	}}
}

type best[V any] struct {
	remembered[V]
	better func(a, b V) bool
}

func (b *best[V]) filter(vs []V, keys []uint64) (o outcome) {
	keys = keys[:len(vs)]
	b.touch(keys)
	slots, entries, better := b.slots, b.entries, b.better // in registers
	n, fills := 0, 0
	for i, v := range vs {
		key := keys[i]
		slot, tag := slots.of(key)
		e := &entries[slot]
		if e.tag == tag && !better(v, e.v) {
			continue
		}
		fills += one(slots.past(e.tag))
		e.tag, e.v = tag, v
		vs[n], keys[n] = v, key
		n++
	}
	return outcome{out: n, merged: len(keys) - n, fills: fills}
}
