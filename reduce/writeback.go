package reduce

import "math/bits"

// writeBack is the store of the kinds that hold pebbles and join later ones to them.
type writeBack[V any] struct {
	table[V]
	// join merges the held and the next pebble, or returns false if they don't fit.
	join   func(held, next V) (joined V, ok bool)
	clone  func(v V) V // copies a pebble before it is held; nil for none
	filled []uint64    // bit i%64 of word i/64: slot i holds a pebble
	count  int         // filled slots
	word   int         // of filled, where the next drain continues
}

// holding makes the kind of the given name that holds pebbles.
func holding[V any](name string, join func(held, next V) (joined V, ok bool)) Kind[V] {
	return Kind[V]{name: name, writeBack: true, make: func(s slots, clone func(v V) V) store[V] {
		return &writeBack[V]{table: newTable[V](s), filled: make([]uint64, (s.len()+63)/64), join: join, clone: clone}
	}}
}

func (w *writeBack[V]) filter(vs []V, keys []uint64) (o outcome) {
	keys = keys[:len(vs)]
	w.touch(keys)
	slots, entries, join, clone := w.slots, w.entries, w.join, w.clone // in registers
	for i, v := range vs {
		slot, tag := slots.of(keys[i])
		e := &entries[slot]
		old := e.tag
		if old == 0 {
			w.fill(slot)
			o.fills++
			if clone != nil {
				v = clone(v)
			}
			e.tag, e.v = tag, v
			continue
		}
		if slots.same(old, tag) {
			if joined, ok := join(e.v, v); ok {
				e.tag, e.v = tag, joined
				o.merged++
				continue
			}
		}
		// At most one leaves for each that came in, so out <= i: no unread pebble is lost.
		vs[o.out], keys[o.out] = e.v, slots.key(slot, old)
		o.out++
		o.fills += one(slots.past(old))
		if clone != nil {
			v = clone(v)
		}
		e.tag, e.v = tag, v
	}
	return o
}

func (w *writeBack[V]) fill(slot uint64) {
	w.filled[slot/64] |= 1 << (slot % 64)
	w.count++
}

// drain goes around the words of filled bits from its last position.
func (w *writeBack[V]) drain(vs []V, keys []uint64) (n int) {
	keys = keys[:len(vs)]
	for w.count > 0 {
		filled := &w.filled[w.word]
		for *filled != 0 {
			if n == len(vs) {
				return n
			}
			slot := w.word*64 + bits.TrailingZeros64(*filled)
			*filled &= *filled - 1
			e := &w.entries[slot]
			vs[n], keys[n] = e.v, w.slots.key(uint64(slot), e.tag)
			*e = entry[V]{} // lets v's memory be collected
			n++
			w.count--
		}
		w.word++
		if w.word == len(w.filled) {
			w.word = 0
		}
	}
	return n
}

func (w *writeBack[V]) held() int  { return w.count }
func (w *writeBack[V]) bytes() int { return w.table.bytes() + 8*len(w.filled) }

// renew needs no clearing when marks wrap: a tag that is not 0 identifies a held pebble, and its mark serves to count
// fills alone.
func (w *writeBack[V]) renew() { w.slots.renew() }
