package termination_test

import (
	"fmt"
	"reflect"

	"github.com/activepebbles/pebbles/internal/collective"
)

// Enumeration must recognize worlds, for detectors of any type. So it hashes their memory.

// mix folds a number into a hash.
func mix(hash, n uint64) uint64 {
	hash = (hash ^ n) * 0x9e3779b97f4a7c15
	return hash ^ hash>>29
}

// hashOf folds a value into a hash: all of its memory except constant parts, without addresses.
func hashOf(hash uint64, v reflect.Value) uint64 {
	switch v.Kind() {
	case reflect.Bool:
		if v.Bool() {
			return mix(hash, 1)
		}
		return mix(hash, 2)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return mix(hash, uint64(v.Int()))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return mix(hash, v.Uint())
	case reflect.Func:
		return hash
	case reflect.Struct:
		for i := range v.NumField() {
			hash = hashOf(hash, v.Field(i))
		}
		return hash
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return mix(hash, 3)
		}
		return hashOf(hash, v.Elem())
	case reflect.Slice, reflect.Array:
		if v.Type() == reflect.TypeFor[[]collective.Step]() {
			return hash
		}
		for i := range v.Len() {
			hash = hashOf(hash, v.Index(i))
		}
		return mix(hash, uint64(v.Len()))
	case reflect.Map:
		sum := uint64(0) // in no order
		for entry := v.MapRange(); entry.Next(); {
			sum += hashOf(hashOf(4, entry.Key()), entry.Value())
		}
		return mix(hash, sum)
	}
	panic(fmt.Sprintf("no hash of %v", v.Type()))
}

func hashPebbles(hash uint64, pebbles []*pebble) uint64 {
	for _, p := range pebbles {
		hash = mix(hash, uint64(p.id))
	}
	return mix(hash, uint64(len(pebbles)))
}

// note stores the hash of all state of a rank.
func (m *member) note() {
	h := mix(5, m.counts.Created)
	for _, n := range []uint64{m.counts.Processed, m.sequence, uint64(m.epoch), m.before, uint64(m.sent),
		uint64(m.handled)} {
		h = mix(h, n)
	}
	h = hashOf(h, reflect.ValueOf(m.inside))
	h = hashPebbles(hashPebbles(h, m.work), m.queue)
	for _, b := range m.buffers {
		h = hashPebbles(h, b.pebbles)
	}
	h = hashOf(h, reflect.ValueOf(m.ledger))
	m.hash = hashOf(h, reflect.ValueOf(m.detector))
}

// hash is equal for equal worlds, whatever the order of sent frames and letters.
func (w *world) hash() uint64 {
	h := uint64(6)
	for rank, m := range w.ranks {
		h = mix(mix(mix(h, m.hash), uint64(w.open[rank])), uint64(w.acks[rank]))
		sum := uint64(0)
		for _, l := range w.letters[rank] {
			sum += l.hash()
		}
		h = mix(h, sum)
	}
	sum := uint64(0)
	for _, f := range w.frames {
		sum += hashPebbles(mix(mix(mix(mix(7, uint64(f.from)), uint64(f.to)), uint64(f.epoch)), uint64(f.phase)), f.pebbles)
	}
	return mix(h, sum)
}

func (l letter) hash() uint64 {
	h := mix(mix(mix(8, uint64(l.from)), l.seq), uint64(l.tag))
	for i := range len(l.value) {
		h = mix(h, uint64(l.value[i]))
	}
	if l.arrived {
		return mix(h, 1)
	}
	return mix(h, 2)
}
