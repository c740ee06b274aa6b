package container

import (
	"slices"

	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/reduce"
	"github.com/activepebbles/pebbles/target"
)

// Map is a distributed hash map: one value for each key. Its methods are for its rank's goroutine.
type Map[K comparable, V any] struct {
	View[K, V]
	*store[K, V]
	puts    *target.Target[Entry[K, V]]
	inserts *target.Target[Entry[K, V]]
	deletes *target.Target[K]
}

// NewMap makes a map, which lasts until [Map.Free]. All ranks call it, in the same order, between epochs. Options of
// targets apply to all its operations: target.Coded for other codecs of keys and values, target.Coalesce and
// target.Route.
func NewMap[K comparable, V any](r *pebble.Rank, name string, options ...target.Option) *Map[K, V] {
	m := &Map[K, V]{store: newStore[K, V](r, name, options)}
	m.View = viewOfStore(m.store)
	m.puts = newTarget(m.store, "put", m.wire.entries(), m.options, keysOfEntries, func(es []Entry[K, V]) {
		visit(m.store, "Put", es, keysOfEntries, func(e *Entry[K, V], _ K, v *V, _ bool) { *v = e.Value })
	})
	m.inserts = newTarget(m.store, "insert", m.wire.entries(), m.options, keysOfEntries, func(es []Entry[K, V]) {
		visit(m.store, "Insert", es, keysOfEntries, func(e *Entry[K, V], _ K, v *V, added bool) {
			if added {
				*v = e.Value
			}
		})
	})
	m.deletes = newDeletes(m.store)
	return m
}

// Put sets the value of a key. Pebbles have no order: of several Puts in one epoch any may be the last.
func (m *Map[K, V]) Put(k K, v V) { m.puts.Send(Entry[K, V]{k, v}) }

// PutAll sets the values of many keys. An entry costs a fraction of a Put. es is not kept.
func (m *Map[K, V]) PutAll(es []Entry[K, V]) { m.puts.SendAll(es) }

// Insert sets the value of a key that is not there.
func (m *Map[K, V]) Insert(k K, v V) { m.inserts.Send(Entry[K, V]{k, v}) }

// InsertAll inserts many entries. es is not kept.
func (m *Map[K, V]) InsertAll(es []Entry[K, V]) { m.inserts.SendAll(es) }

// Delete removes a key with its value, if it is there.
func (m *Map[K, V]) Delete(k K) { m.deletes.Send(k) }

// newDeletes registers the target of a store's Delete.
func newDeletes[K comparable, V any](s *store[K, V]) *target.Target[K] {
	return newTarget(s, "delete", s.wire.keys.Value, s.options, keysOfKeys, func(ks []K) {
		changes(s.base, s.keeping, "Delete")
		for _, k := range ks {
			remove(&s.table, k, hashOf(&s.table, k))
		}
	})
}

// LocalRefs yields the entries of this rank, with the addresses of their values. The loop may change a value through
// its address, which is valid until the next step.
func (m *Map[K, V]) LocalRefs() func(yield func(k K, v *V) bool) { return refs(m.store) }

// Reducer merges values into the entries of a map. It is one-sided, as Put is.
type Reducer[K comparable, V any] struct {
	of    *base
	sends *target.Target[Entry[K, V]]
}

// CacheDefault is the default size of the cache of a [Reducer] and a [Counter], in entries. target.Cache changes it.
const CacheDefault = 1 << 14

// NewReducer makes a reducer. The result of merge(held, next) replaces both values; merge must be associative and
// commutative. The first value of a key is stored unchanged. Values of one key are merged on their way too, in a cache
// on each rank, of CacheDefault entries unless target.Cache gives another number. The cache switches itself off where
// it merges too few values to pay (Active Pebbles, section 3.5). All ranks call it, in the same order, between epochs.
func (m *Map[K, V]) NewReducer(name string, merge func(held, next V) V, options ...target.Option) *Reducer[K, V] {
	if merge == nil {
		m.engine.Refuse(m.name+" "+name, "it has no function that merges: give one")
	}
	return &Reducer[K, V]{m.base, newReducing(m.store, name, merge, options)}
}

// newReducing registers a target whose pebbles are merged, on their way and into the entries.
func newReducing[K comparable, V any](s *store[K, V], name string, merge func(held, next V) V,
	options []target.Option) *target.Target[Entry[K, V]] {
	all := slices.Concat(merging(s, merge), s.options, options)
	return newTarget(s, name, s.wire.entries(), all, keysOfEntries,
		func(es []Entry[K, V]) { mergeAll(s, name, es, merge) })
}

// merging returns the options that merge values of one key on their way.
func merging[K comparable, V any](s *store[K, V], merge func(held, next V) V) []target.Option {
	kind := reduce.Concatenate(func(held, next Entry[K, V]) (Entry[K, V], bool) {
		if held.Key != next.Key { // their hashes are equal
			return held, false
		}
		return Entry[K, V]{held.Key, merge(held.Value, next.Value)}, true
	})
	if s.own != nil {
		kind = kind.Keeping(func(e Entry[K, V]) Entry[K, V] { return Entry[K, V]{s.own(e.Key), e.Value} })
	}
	return []target.Option{target.Reduce(kind), target.Cache(CacheDefault)}
}

// mergeAll merges values into the entries of their keys.
func mergeAll[K comparable, V any](s *store[K, V], what string, es []Entry[K, V], merge func(held, next V) V) {
	visit(s, what, es, keysOfEntries, func(e *Entry[K, V], _ K, v *V, added bool) {
		if added {
			*v = e.Value
		} else {
			*v = merge(*v, e.Value)
		}
	})
}

// Reduce merges a value into the entry of a key.
func (r *Reducer[K, V]) Reduce(k K, v V) { r.sends.Send(Entry[K, V]{k, v}) }
