package container

import (
	"github.com/activepebbles/pebbles/internal/codecs"
	"github.com/activepebbles/pebbles/target"
)

// Visitor runs a function at the owner of an entry. It is one-sided, as Put is.
type Visitor[K comparable, A any] struct {
	of    *base
	sends *target.Target[Entry[K, A]]
}

// NewVisitor makes a visitor of a map: do runs at the owner of a key, as a handler, with the address of the key's value
// and an argument. A key that is not there is added, with the zero value. do may change the value and send; it must not
// keep v. An argument that is not plain data travels by a codec, as values do. All ranks call it, in the same order,
// between epochs.
func NewVisitor[K comparable, V, A any](m *Map[K, V], name string, do func(k K, v *V, arg A),
	options ...target.Option) *Visitor[K, A] {
	refuseNil(m.base, name, do == nil)
	return &Visitor[K, A]{m.base, newBeside(m.store, name, options, func(es []Entry[K, A]) {
		visit(m.store, name, es, keysOfEntries, func(e *Entry[K, A], k K, v *V, _ bool) { do(k, v, e.Value) })
	})}
}

// NewFinder is [NewVisitor] without insertion: do does not run for a key that is not there.
func NewFinder[K comparable, V, A any](m *Map[K, V], name string, do func(k K, v *V, arg A),
	options ...target.Option) *Visitor[K, A] {
	refuseNil(m.base, name, do == nil)
	return &Visitor[K, A]{m.base, newBeside(m.store, name, options, func(es []Entry[K, A]) {
		present(m.store, es, keysOfEntries, func(i int, v *V, k *K) {
			if v != nil {
				do(*k, v, es[i].Value)
			}
		})
	})}
}

// Send visits the entry of a key.
func (v *Visitor[K, A]) Send(k K, arg A) { v.sends.Send(Entry[K, A]{k, arg}) }

// SendAll visits many entries, each with its argument. An entry costs a fraction of a Send. es is not kept.
func (v *Visitor[K, A]) SendAll(es []Entry[K, A]) { v.sends.SendAll(es) }

// newBeside registers a target whose pebbles are keys of a store with an argument.
func newBeside[K comparable, V, A any](s *store[K, V], name string, options []target.Option,
	handle func(es []Entry[K, A])) *target.Target[Entry[K, A]] {
	w, others := wireBeside(s.base, s.keeping, wireOf[K, A](), name, options)
	return newTarget(s, name, w.entries(), others, keysOfEntries, handle)
}

// wireBeside returns the encoding of keys of a store with an argument, and the other options of its target.
func wireBeside(b *base, s *keeping, w wire, name string, options []target.Option) (wire, []target.Option) {
	w.keys, w.values.Name = s.wire.keys, "argument"
	given, others := codecs.Given(options)
	none := derive(&w.values)
	if err := codecs.Share(given, &w.values); err != nil {
		if none != nil {
			err = none
		}
		b.engine.Refuse(b.name+" "+name, err.Error())
	}
	return w, both(s.options, others)
}

func refuseNil(b *base, name string, none bool) {
	if none {
		b.engine.Refuse(b.name+" "+name, "it has no function: give one")
	}
}
