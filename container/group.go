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
// Values are merged on their way as those of a [Reducer] are, and at the rank that owns the key in a hash table. When
// that has no room in memory, its entries go to files, by parts of the keys, and part after part is merged at the end.
// The options are for the groups' keys and values: target.Coded.
func GroupBy[R any, K comparable, V any](t *Table[R], key func(row R) K, value func(row R) V,
	merge func(held, next V) V, options ...target.Option) (*Table[Entry[K, V]], error) {
	if key == nil || value == nil || merge == nil {
		return nil, t.failed(errors.New("groups need functions for the key of a row, for its value, and to merge values"))
	}
	name := t.nameOf("groups")
	w, others, err := newWire[K, V](options)
	if err != nil {
		return nil, t.failed(err)
	}
	var entry codecs.Codec[Entry[K, V]]
	if entry = w.entries(); w.keys.Codec != nil || w.values.Codec != nil {
		others = append(others[:len(others):len(others)], target.Coded(entry))
	}
	groups := NewTable[Entry[K, V]](t.rank, name, t.space, others...)
	return groups, group(t, name, key, value, merge, options, groups.Add)
}

// Distinct makes a table of the rows of a table, each once. It goes as [GroupBy] does. All ranks call it.
func Distinct[R comparable](t *Table[R]) (*Table[R], error) {
	name := t.nameOf("distinct")
	var options []target.Option
	if t.rows.Codec != nil {
		options = append(options, target.Coded(t.rows.Codec))
	}
	rows := NewTable[R](t.rank, name, t.space, append(t.options[:len(t.options):len(t.options)], options...)...)
	return rows, group(t, name, func(row R) R { return row }, func(R) (none struct{}) { return none },
		func(held, _ struct{}) struct{} { return held }, options, func(e Entry[R, struct{}]) { rows.Add(e.Key) })
}

// nameOf names a table that is made of this one.
func (m *mover[R]) nameOf(what string) string {
	m.made++
	return fmt.Sprintf("%s %s %d", m.name, what, m.made)
}

// group merges the values of the rows of a table by their keys, and gives the groups of this rank to emit.
func group[R any, K comparable, V any](t *Table[R], name string, key func(row R) K, value func(row R) V,
	merge func(held, next V) V, options []target.Option, emit func(e Entry[K, V])) error {
	s := newStore[K, V](t.rank, name, options)
	g := &groups[K, V]{store: s, disk: t.disk, merge: merge, codec: s.kept(), most: t.space.Memory / 4}
	all := append(merging(s, merge), s.options...)
	sends := target.New(t.rank, name+" merge", s.owner, keying(s, keysOfEntries[K, V]), target.Batch(g.add),
		coded(s.wire.entries(), all)...)
	if err := t.rank.Epoch(func() error {
		batch := make([]Entry[K, V], 0, chunk)
		for _, row := range t.part.all() {
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
	g.drain(emit)
	return t.rank.Barrier()
}

// groups are entries that are merged: in a hash table, and when that has no room, in parts.
type groups[K comparable, V any] struct {
	*store[K, V]
	*disk
	merge func(held, next V) V
	codec codecs.Codec[Entry[K, V]]
	most  int64 // bytes of the hash table and of what it points to
	level int
	parts *partition[Entry[K, V]] // nil while all have room
	away  int64                   // bytes that they point to, as a sample says
}

// add merges entries in. It is the handler of a target.
func (g *groups[K, V]) add(es []Entry[K, V]) {
	for len(es) > 0 {
		block := es[:min(len(es), chunk)]
		es = es[len(block):]
		if slots := max(len(g.table.slots), g.table.lacks(len(block))); int64(slots)*g.each()+g.away > g.most &&
			g.table.len() > 0 && g.level < levelsMax {
			g.spill()
		}
		before := g.table.len()
		g.store.merge("GroupBy", block, g.merge)
		if n := g.table.len() - before; n > 0 && (g.keys.Codec != nil || g.wire.values.Codec != nil) {
			b, err := g.codec.Append(nil, block[len(block)-1])
			g.check(err)
			g.away += int64(n * len(b))
		}
	}
}

func (g *groups[K, V]) each() int64 { return int64(unsafe.Sizeof(slot[K, V]{})) }

// spill moves all entries of the hash table to files.
func (g *groups[K, V]) spill() {
	if g.parts == nil {
		g.parts = &partition[Entry[K, V]]{disk: g.disk, codec: g.codec, level: g.level}
	}
	for k, v := range g.table.all() {
		g.parts.add(g.table.hashOf(k), Entry[K, V]{k, *v})
	}
	g.table.clear()
	g.away = 0
}

// drain gives all groups to emit.
func (g *groups[K, V]) drain(emit func(e Entry[K, V])) {
	if g.parts == nil {
		for k, v := range g.table.all() {
			emit(Entry[K, V]{k, *v})
		}
		g.table.clear()
		return
	}
	g.spill()
	g.parts.end()
	for part := range parts {
		of := *g
		of.store = g.empty()
		of.level, of.parts, of.away = g.level+1, nil, 0
		g.parts.take(part, of.add)
		of.drain(emit)
	}
}
