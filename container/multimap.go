package container

import (
	"iter"

	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
)

// MultiMap is a distributed hash map with any number of values for a key. Its methods are for its rank's goroutine. Its
// views have an entry for each value.
type MultiMap[K comparable, V any] struct {
	View[K, V]
	groups  *store[K, []V]
	adds    *target.Target[Entry[K, V]]
	deletes *target.Target[K]
	len     int // values of this rank
}

// NewMultiMap makes a multimap, by the rules of [NewMap].
func NewMultiMap[K comparable, V any](r *pebble.Rank, name string, options ...target.Option) *MultiMap[K, V] {
	b, k := newKeeping(r, name, wireOf[K, V](), options)
	m := &MultiMap[K, V]{groups: storeOf[K, []V](b, k)}
	m.View = viewOf(b, func(yield func(K, V) bool) {
		for k, vs := range m.LocalGroups() {
			for _, v := range vs {
				if !yield(k, v) {
					return
				}
			}
		}
	})
	m.adds = newTarget(m.groups, "add", k.wire.entries(), k.options, keysOfEntries, func(es []Entry[K, V]) {
		changes(b, k, "Add")
		m.len += len(es)
		visit(m.groups, "Add", es, keysOfEntries, func(e *Entry[K, V], _ K, vs *[]V, _ bool) { *vs = append(*vs, e.Value) })
	})
	m.deletes = newTarget(m.groups, "delete", k.wire.keys.Value, k.options, keysOfKeys, func(ks []K) {
		changes(b, k, "Delete")
		for _, k := range ks {
			m.len -= len(m.LocalValues(k))
			remove(&m.groups.table, k, hashOf(&m.groups.table, k))
		}
	})
	return m
}

// Add adds a value to those of a key. Equal values are kept separately.
func (m *MultiMap[K, V]) Add(k K, v V) { m.adds.Send(Entry[K, V]{k, v}) }

// AddAll adds many values. A value costs a fraction of an Add. es is not kept.
func (m *MultiMap[K, V]) AddAll(es []Entry[K, V]) { m.adds.SendAll(es) }

// Delete removes a key with all its values.
func (m *MultiMap[K, V]) Delete(k K) { m.deletes.Send(k) }

// LocalValues returns the values of a key that this rank owns. The container owns the slice, which is valid until an
// epoch changes the values.
func (m *MultiMap[K, V]) LocalValues(k K) []V {
	vs, _ := m.groups.LocalGet(k)
	return vs
}

// LocalGroups yields the keys of this rank, each with its values. The container owns the slices.
func (m *MultiMap[K, V]) LocalGroups() iter.Seq2[K, []V] {
	return func(yield func(K, []V) bool) {
		for k, vs := range refs(m.groups) {
			if !yield(k, *vs) {
				return
			}
		}
	}
}

// LocalLen returns the number of values of this rank, at no cost.
func (m *MultiMap[K, V]) LocalLen() int { return m.len }

// Len returns the number of values on all ranks. All ranks call it.
func (m *MultiMap[K, V]) Len() (uint64, error) {
	return sum(m.base, m.len)
}

// Owner returns the owner of a key.
func (m *MultiMap[K, V]) Owner(k K) int { return m.groups.Owner(k) }

// Clear removes all entries of all ranks, and frees their memory. All ranks call it.
func (m *MultiMap[K, V]) Clear() error {
	m.len = 0
	return m.groups.Clear()
}
