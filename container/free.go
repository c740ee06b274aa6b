package container

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/activepebbles/pebbles/internal/frame"
)

// member is a part of a container that is freed with it.
type member interface{ Free() }

// have adds a member to a container.
func have(b *base, m member) { b.members = append(b.members, m) }

// leave removes a member that was freed separately.
func leave(b *base, m member) {
	b.members = slices.DeleteFunc(b.members, func(other member) bool { return other == m })
}

// drop frees a member separately.
func drop(b *base, m member) {
	m.Free()
	leave(b, m)
}

// freeBase frees a container with its members, except its entries. It returns false if the job has failed.
func freeBase(b *base) bool {
	gone := b.engine.Free(fmt.Sprintf("container %q", b.name))
	if gone == nil {
		return false
	}
	members := b.members
	b.members = nil
	for _, m := range members {
		m.Free()
	}
	b.rank, b.engine = b.rank.With(frame.Access{}, gone), gone
	return true
}

// freeStore frees a container with keys. A later search for a key ends the job.
func freeStore[K comparable, V any](s *store[K, V]) {
	changes(s.base, s.keeping, "Free")
	if freeBase(s.base) {
		s.number = func(unsafe.Pointer, int, []uint64) { s.engine.CheckFreed("a key was looked for") }
		s.table = hashTable[K, V]{number: s.number}
	}
}

// Free frees the map, and its remaining reducers, visitors, askers and reads. All ranks free the same containers in the
// same order, between epochs; the next epoch compares that. Later calls end the job, except that those with Len in
// their name return 0. Free does nothing when the job has failed, so it may be deferred.
func (m *Map[K, V]) Free() { freeStore(m.store) }

// Free frees the counter, by the rules of [Map.Free].
func (c *Counter[K]) Free() {
	freeStore(c.store)
	c.batch = nil
}

// Free frees the set, by the rules of [Map.Free].
func (s *Set[K]) Free() { freeStore(s.store) }

// Free frees the sets, by the rules of [Map.Free].
func (d *DisjointSets[K]) Free() {
	freeStore(d.index)
	d.keys, d.parents, d.here, d.roots, d.ups = nil, nil, nil, nil, nil
}

// Free frees the multimap, by the rules of [Map.Free].
func (m *MultiMap[K, V]) Free() {
	freeStore(m.groups)
	m.len = 0
}

// Free frees the bag, by the rules of [Map.Free].
func (b *Bag[V]) Free() {
	if freeBase(b.base) {
		b.here = nil
	}
}

// Free frees the table, with its memory and files, by the rules of [Map.Free].
func (t *Table[R]) Free() {
	clearRows(&t.part)
	if freeBase(t.base) {
		t.disk.alive = func() { t.engine.CheckFreed("a row was looked for or added") }
	}
}

// Free frees the reducer, by the rules of [Map.Free]. Its map stays.
func (r *Reducer[K, V]) Free() { drop(r.of, r.sends) }

// Free frees the visitor, by the rules of [Map.Free]. Its map stays.
func (v *Visitor[K, A]) Free() { drop(v.of, v.sends) }

// Free frees the asker, by the rules of [Map.Free]. Its map stays.
func (a *Asker[K, Q]) Free() { drop(a.of, a.ask) }

// Free frees the reads, by the rules of [Map.Free]. The container that they read stays.
func (r *Reads[K, V]) Free() {
	r.gets.Free()
	leave(r.of, r)
}
