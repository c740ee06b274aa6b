package reduce

// Duplicates drops a pebble that equals, key and value, the one in its slot. It is for handlers that ignore a repeated
// pebble.
func Duplicates[V comparable]() Kind[V] {
	return Kind[V]{name: "duplicates", make: func(s slots, _ func(v V) V) store[V] {
		return &duplicates[V]{remembered[V]{table: newTable[V](s)}}
	}}
}

type duplicates[V comparable] struct{ remembered[V] }

func (d *duplicates[V]) filter(vs []V, keys []uint64) (o outcome) {
	keys = keys[:len(vs)]
	slots, entries := d.slots, d.entries // in registers
	n, fills := 0, 0
	for i, v := range vs {
		key := keys[i]
		slot, tag := slots.of(key)
		e := &entries[slot]
		if e.tag == tag && e.v == v {
			continue
		}
		fills += one(slots.past(e.tag))
		e.tag, e.v = tag, v
		vs[n], keys[n] = v, key
		n++
	}
	return outcome{out: n, merged: len(keys) - n, fills: fills}
}

// one returns 1 for true, without a branch.
func one(is bool) int {
	if is {
		return 1
	}
	return 0
}
