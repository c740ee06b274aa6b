package container

import (
	"errors"
	"fmt"
	"unsafe"

	"github.com/activepebbles/pebbles/internal/codecs"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
)

// GroupBy makes a table of groups: for each key of the rows of a table, the values of the rows with that key, merged to
// one. merge must be associative and commutative. All ranks call it.
//
// Values are merged on their way, as those of a [Reducer] are, and in a hash table at the owner of the key. When that
// table has no room in memory, its entries go to files, by parts of the keys. The parts are merged one after the other
// at the end. The options are for the groups' keys and values: target.Coded.
func GroupBy[R any, K comparable, V any](t *Table[R], key func(row R) K, value func(row R) V,
	merge func(held, next V) V, options ...target.Option) (*Table[Entry[K, V]], error) {
	if key == nil || value == nil || merge == nil {
		return nil, failed(t.base,
			errors.New("groups need functions for the key of a row, for its value, and to merge values"))
	}
	name := nameOf(t.mover, "groups")
	w := wireOf[K, V]()
	others, err := w.take(options)
	if err != nil {
		return nil, failed(t.base, err)
	}
	if w.keys.Coded() || w.values.Coded() {
		others = both(others, []target.Option{target.Coded(codecs.Pebbles[Entry[K, V]](w.entries()))})
	}
	groups := NewTable[Entry[K, V]](t.rank, name, t.space, others...)
	return groups, group(t, name, key, value, merge, options, groups.Add)
}

// Distinct makes a table of the distinct rows of a table, by the method of [GroupBy]. All ranks call it.
func Distinct[R comparable](t *Table[R]) (*Table[R], error) {
	name := nameOf(t.mover, "distinct")
	var options []target.Option
	if t.rows.Coded() {
		options = append(options, target.Coded(codecs.Pebbles[R](t.rows.Value)))
	}
	rows := NewTable[R](t.rank, name, t.space, both(t.options, options)...)
	return rows, group(t, name, func(row R) R { return row }, func(R) (none struct{}) { return none },
		func(held, _ struct{}) struct{} { return held }, options, func(e Entry[R, struct{}]) { rows.Add(e.Key) })
}

// nameOf returns a name for a table made of this one.
func nameOf[R any](m *mover[R], what string) string {
	m.made++
	return fmt.Sprintf("%s %s %d", m.name, what, m.made)
}

// group merges the values of the rows of a table by their keys, and passes the groups of this rank to emit.
func group[R any, K comparable, V any](t *Table[R], name string, key func(row R) K, value func(row R) V,
	merge func(held, next V) V, options []target.Option, emit func(e Entry[K, V])) error {
	s := newStore[K, V](t.rank, name, options)
	g := &groups[K, V]{store: s, disk: t.disk, merge: merge, codec: s.kept.entries(), most: t.space.Memory / 4}
	sends := newTarget(s, "merge", s.wire.entries(), both(merging(s, merge), s.options), keysOfEntries,
		func(es []Entry[K, V]) { addTo(g, es) })
	if err := t.rank.Epoch(func() error {
		batch := make([]Entry[K, V], 0, chunk)
		for _, row := range rowsOf(&t.part) {
			if batch = append(batch, Entry[K, V]{key(row), value(row)}); len(batch) == chunk {
				sends.SendAll(batch)
				batch = batch[:0]
			}
		}
		sends.SendAll(batch)
		return nil
	}, pebble.Named(name)); err != nil {
		return err
	}
	sends.Free()
	drainGroups(g, emit)
	return t.rank.Barrier()
}

// groups holds merged entries: in a hash table, and in parts when that has no room.
type groups[K comparable, V any] struct {
	*store[K, V]
	*disk
	merge func(held, next V) V
	codec codecs.Value
	most  int64 // bytes of the hash table and of the data that it points to
	level int
	parts *partition // nil while all entries have room
	away  int64      // bytes that entries point to, by a sample
}

// addTo merges entries into the groups. It is the handler of a target.
func addTo[K comparable, V any](g *groups[K, V], es []Entry[K, V]) {
	for len(es) > 0 {
		block := es[:min(len(es), chunk)]
		es = es[len(block):]
		if slots := max(len(g.table.slots), lacks(&g.table, len(block))); int64(slots)*slotBytes[K, V]()+g.away > g.most &&
			g.LocalLen() > 0 && g.level < levelsMax {
			spillGroups(g)
		}
		before := g.LocalLen()
		mergeAll(g.store, "GroupBy", block, g.merge)
		if n := g.LocalLen() - before; n > 0 && (g.wire.keys.Coded() || g.wire.values.Coded()) {
			b, err := g.codec.Append(nil, unsafe.Pointer(&block[len(block)-1]))
			g.check(err)
			g.away += int64(n * len(b))
		}
	}
}

func slotBytes[K comparable, V any]() int64 { return int64(unsafe.Sizeof(slot[K, V]{})) }

// spillGroups moves all entries of the hash table to files.
func spillGroups[K comparable, V any](g *groups[K, V]) {
	if g.parts == nil {
		g.parts = &partition{disk: g.disk, codec: g.codec, level: g.level}
	}
	var e Entry[K, V]
	each(&g.table, func(k K, v *V) bool {
		e = Entry[K, V]{k, *v}
		g.parts.add(hashOf(&g.table, k), unsafe.Pointer(&e))
		return true
	})
	clearTable(&g.table)
	g.away = 0
}

// drainGroups passes all groups to emit.
func drainGroups[K comparable, V any](g *groups[K, V], emit func(e Entry[K, V])) {
	if g.parts == nil {
		each(&g.table, func(k K, v *V) bool {
			emit(Entry[K, V]{k, *v})
			return true
		})
		clearTable(&g.table)
		return
	}
	spillGroups(g)
	g.parts.end()
	for part := range parts {
		of := *g
		of.store = storeOf[K, V](g.base, g.keeping)
		of.level, of.parts, of.away = g.level+1, nil, 0
		take(g.parts, part, func(es []Entry[K, V]) { addTo(&of, es) })
		drainGroups(&of, emit)
	}
}
