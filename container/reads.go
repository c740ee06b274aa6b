package container

import (
	"reflect"
	"unsafe"

	"github.com/activepebbles/pebbles/delegate"
	"github.com/activepebbles/pebbles/internal/codecs"
	"github.com/activepebbles/pebbles/target"
	"github.com/activepebbles/pebbles/task"
)

// Found is the result of a search for a key. OK reports whether the key is there.
type Found[V any] struct {
	Value V
	OK    bool
}

// Reads reads the entries of a container from any rank (Grappa, section 5). Its methods are for tasks, which wait for
// the answers, and for the main function in an epoch's body. Reading a key that this rank owns needs no message.
type Reads[K comparable, V any] struct {
	of   *base
	gets *delegate.Delegate[K, Found[V]]
}

// Readable is a container that [NewReads] can read: maps, multimaps, counters, sets and disjoint sets.
type Readable[K comparable, V any] interface{ readable() readable[K, V] }

// readable is the part of a container that Reads needs.
type readable[K comparable, V any] struct {
	*base
	*keeping
	values codecs.Value
	number func(k K) uint64
	look   func(ks []K, found []Found[V]) // for keys of this rank
}

// readableOf makes reads of a store. value maps the stored value to the result.
func readableOf[K comparable, S, V any](s *store[K, S], values codecs.Value, value func(kept *S) V) readable[K, V] {
	return readable[K, V]{s.base, s.keeping, values,
		func(k K) uint64 { return numberOf(&s.table, k) },
		func(ks []K, found []Found[V]) {
			present(s, ks, keysOfKeys, func(i int, kept *S, _ *K) {
				if found[i] = (Found[V]{}); kept != nil {
					found[i] = Found[V]{value(kept), true}
				}
			})
		}}
}

func (s *store[K, V]) readable() readable[K, V] {
	return readableOf(s, s.wire.values.Value, func(v *V) V { return *v })
}

func (m *MultiMap[K, V]) readable() readable[K, []V] {
	return readableOf(m.groups, codecs.List[V](m.groups.wire.values.Value), func(vs *[]V) []V { return *vs })
}

func (d *DisjointSets[K]) readable() readable[K, K] {
	return readableOf(d.index, d.index.kept.keys.Value, func(i *uint32) K { return d.root(*i) })
}

// NewReads makes reads of a map, a counter, a set, a multimap or disjoint sets. The value of a key is the list of all
// its values in a multimap, and the key that stands for its set in disjoint sets. The container owns lists that this
// rank reads from itself. All ranks call it, in the same order, between epochs.
func NewReads[K comparable, V any](of Readable[K, V], tasks *task.Scheduler, options ...target.Option) *Reads[K, V] {
	s := of.readable()
	all := both(s.options, options)
	if s.wire.keys.Coded() || s.values.Coded() {
		answers := codecs.Struct(reflect.TypeFor[Found[V]](), codecs.Tag[bool](unsafe.Offsetof(Found[V]{}.OK)),
			codecs.Field{Value: s.values})
		var questions target.Codec[K]
		if s.wire.keys.Coded() {
			questions = codecs.Pebbles[K](s.wire.keys.Value)
		}
		all = append(all, delegate.Coded(questions, codecs.Pebbles[Found[V]](answers)))
	}
	r := &Reads[K, V]{s.base, delegate.NewBatch(tasks, s.name+" get", s.owner, s.number, s.look, all...)}
	have(s.base, r)
	return r
}

// Get returns the value of a key, and reports whether the key is there. A task that calls it waits, and other tasks
// run.
func (r *Reads[K, V]) Get(k K) (v V, ok bool) {
	f := r.gets.Call(k)
	return f.Value, f.OK
}

// GetMany reads many keys and waits once: found[i] is the result for ks[i]. A key costs a fraction of a Get.
func (r *Reads[K, V]) GetMany(ks []K, found []Found[V]) {
	r.gets.CallAll(ks, found)
}

// Contains reports whether a key is there. It transfers the value as well, and costs as much as Get.
func (r *Reads[K, V]) Contains(k K) bool {
	_, ok := r.Get(k)
	return ok
}

// Asker asks about entries without waiting: a function receives the answers (see target.Ask).
type Asker[K comparable, Q any] struct {
	of      *base
	ask     member
	send    func(e Entry[K, Q])
	sendAll func(es []Entry[K, Q])
}

// NewAsker makes an asker of a map. answer runs at the owner of a key, with the question and the address of the key's
// value, or nil if the key is not there. then runs at the rank that asked, with the key, the question and the answer.
// Both are handlers: they may send and ask, and must not wait. A question or answer that is not plain data travels by a
// codec, as values do. All ranks call it, in the same order, between epochs.
func NewAsker[K comparable, V, Q, A any](m *Map[K, V], name string, answer func(k K, v *V, q Q) A,
	then func(k K, q Q, a A), options ...target.Option) *Asker[K, Q] {
	refuseNil(m.base, name, answer == nil || then == nil)
	w, others := wireBeside(m.base, m.keeping, wireOf[K, Q](), name, options)
	answers := codecs.NewItem[A]("answer")
	if err := derive(&answers); err != nil {
		m.engine.Refuse(m.name+" "+name, err.Error())
	}
	w.keys = m.kept.keys // the asking rank keeps it until the answer arrives
	all := coded[Entry[K, Q]](w.entries(), others)
	if answers.Coded() {
		all = with(target.Coded(codecs.Pebbles[A](answers.Value)), all)
	}
	ask := target.NewAskBatch(m.rank, m.name+" "+name, m.owner, keying(m.store, keysOfEntries[K, Q]),
		func(qs []Entry[K, Q], as []A) {
			present(m.store, qs, keysOfEntries, func(i int, v *V, _ *K) { as[i] = answer(qs[i].Key, v, qs[i].Value) })
		}, func(qs []Entry[K, Q], as []A) {
			for i, q := range qs {
				then(q.Key, q.Value, as[i])
			}
		}, all...)
	have(m.base, ask)
	return &Asker[K, Q]{m.base, ask, ask.Send, ask.SendAll}
}

// Send asks about a key. It may be called wherever a target's Send may be.
func (a *Asker[K, Q]) Send(k K, q Q) { a.send(Entry[K, Q]{k, q}) }

// SendAll asks about many keys. es is not kept.
func (a *Asker[K, Q]) SendAll(es []Entry[K, Q]) { a.sendAll(es) }
