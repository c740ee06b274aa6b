package container

import (
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
)

// Set is a distributed set. Its methods are for its rank's goroutine. Iterations yield keys alone:
//
//	for k := range s.LocalAll() {
type Set[K comparable] struct {
	View[K, struct{}]
	*store[K, struct{}]
	inserts *target.Target[K]
	deletes *target.Target[K]
}

// NewSet makes a set, by the rules of [NewMap].
func NewSet[K comparable](r *pebble.Rank, name string, options ...target.Option) *Set[K] {
	s := &Set[K]{store: newStore[K, struct{}](r, name, options)}
	s.View = viewOfStore(s.store)
	s.inserts = newTarget(s.store, "insert", s.wire.keys.Value, s.options, keysOfKeys, func(ks []K) {
		visit(s.store, "Insert", ks, keysOfKeys, func(*K, K, *struct{}, bool) {})
	})
	s.deletes = newDeletes(s.store)
	return s
}

// Insert adds a key, if it is not there.
func (s *Set[K]) Insert(k K) { s.inserts.Send(k) }

// InsertAll adds many keys. A key costs a fraction of an Insert. ks is not kept.
func (s *Set[K]) InsertAll(ks []K) { s.inserts.SendAll(ks) }

// Delete removes a key, if it is there.
func (s *Set[K]) Delete(k K) { s.deletes.Send(k) }
