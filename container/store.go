package container

import (
	"errors"
	"fmt"
	"iter"
	"unsafe"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/internal/codecs"
	"github.com/activepebbles/pebbles/internal/cpu"
	"github.com/activepebbles/pebbles/internal/engine"
	"github.com/activepebbles/pebbles/internal/frame"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
)

// base is the part of all containers that does not depend on types.
type base struct {
	rank    *pebble.Rank
	engine  *engine.Rank
	name    string
	codec   func() (codecs.Value, error) // of entries, also of plain data
	members []member                     // freed with the container
}

func newBase(r *pebble.Rank, name string, codec codecs.Value) *base {
	known := func() (codecs.Value, error) { return codec, nil }
	return &base{rank: r, engine: r.Inside(frame.Access{}), name: name, codec: known}
}

// failed returns the error of a call.
func failed(b *base, err error) error { return fmt.Errorf("container: %s: %w", b.name, err) }

// keeping is the part of containers with keys that does not depend on types: the owners of keys, and the encoding of
// keys and values.
type keeping struct {
	owner     distribution.Map
	wire      wire            // to handlers, which borrow keys
	kept      wire            // of stored keys and values
	borrowed  bool            // handlers borrow keys
	options   []target.Option // of the container's targets
	iterating int             // iterations over its entries in progress
	number    hasher
}

func newKeeping(r *pebble.Rank, name string, w wire, options []target.Option) (*base, *keeping) {
	s := &keeping{owner: distribution.Hash(r.Size())}
	others, err := w.take(options)
	number, err2 := newHasher(w.keys.Type)
	if err = errors.Join(err, err2); err != nil {
		r.Inside(frame.Access{}).Refuse(name, err.Error())
	}
	s.number, s.options = number, others
	s.wire, s.kept = w, w
	s.borrowed = borrows(&s.wire.keys)
	return newBase(r, name, w.entries()), s
}

// store is the basis of containers with keys.
type store[K comparable, V any] struct {
	*base
	*keeping
	table    hashTable[K, V]
	own      func(k K) K // copies a borrowed key; nil if keys are not borrowed
	scratch  keyBatch[K] // for pebbles in a handler
	numbered [64]K       // for pebbles that are sent
}

// chunk is the number of keys in progress at a time: they stay in the first-level cache.
const chunk = 256

type keyBatch[K any] struct {
	keys   [chunk]K
	hashes [chunk]uint64
}

func newStore[K comparable, V any](r *pebble.Rank, name string, options []target.Option) *store[K, V] {
	b, k := newKeeping(r, name, wireOf[K, V](), options)
	return storeOf[K, V](b, k)
}

// storeOf makes a store without entries.
func storeOf[K comparable, V any](b *base, k *keeping) *store[K, V] {
	s := &store[K, V]{base: b, keeping: k}
	if k.borrowed {
		s.own = ownKey[K]()
	}
	s.table.number = k.number
	return s
}

// viewOfStore returns a view of all entries.
func viewOfStore[K comparable, V any](s *store[K, V]) View[K, V] {
	return viewOf(s.base, func(yield func(K, V) bool) {
		eachRef(s, func(k K, v *V) bool { return yield(k, *v) })
	})
}

// eachRef yields the entries of this rank, with the addresses of their values, until yield returns false.
func eachRef[K comparable, V any](s *store[K, V], yield func(K, *V) bool) {
	s.engine.CheckFreed("an iteration was begun")
	s.iterating++
	defer func() { s.iterating-- }()
	each(&s.table, yield)
}

// refs is eachRef for a loop.
func refs[K comparable, V any](s *store[K, V]) iter.Seq2[K, *V] {
	return func(yield func(K, *V) bool) { eachRef(s, yield) }
}

// LocalLen returns the number of entries of this rank, at no cost.
func (s *store[K, V]) LocalLen() int { return length(&s.table) }

// Len returns the number of entries on all ranks. All ranks call it.
func (s *store[K, V]) Len() (uint64, error) { return sum(s.base, s.LocalLen()) }

// sum adds a number over all ranks.
func sum(b *base, n int) (uint64, error) { return pebble.AllReduce(b.rank, uint64(n), pebble.Sum) }

// LocalGet returns the value of a key, if this rank owns the key and has it.
func (s *store[K, V]) LocalGet(k K) (v V, ok bool) {
	if at, _ := find(&s.table, k, hashOf(&s.table, k)); at != nil {
		return *at, true
	}
	return v, false
}

// Owner returns the owner of a key.
func (s *store[K, V]) Owner(k K) int {
	return s.owner.Owner(numberOf(&s.table, k))
}

// Clear removes all entries of all ranks, and frees their memory. All ranks call it.
func (s *store[K, V]) Clear() error {
	changes(s.base, s.keeping, "Clear")
	clearTable(&s.table)
	return s.rank.Barrier()
}

// changes ends the job if an iteration is in progress. It is called before an entry is added or removed.
func changes(b *base, s *keeping, what string) {
	if s.iterating > 0 {
		b.engine.Fail(fmt.Errorf("container: rank %d: %s: %s came while the rank iterates over the entries: "+
			"collect the changes and send them afterwards, or change another container", b.rank.ID(), b.name, what))
	}
}

// reserve makes room for n more entries.
func reserve[K comparable, V any](s *store[K, V], n int) {
	if slots := lacks(&s.table, n); slots > 0 {
		affords(s.base, s.LocalLen(), slots, int64(unsafe.Sizeof(slot[K, V]{})))
		grow(&s.table, slots)
	}
}

// affords ends the job if the memory does not suffice for a table of the given number of slots. each is the size of a
// slot in bytes.
func affords(b *base, entries, slots int, each int64) {
	if int64(slots)*each >= checkedBytes {
		if err := cpu.CheckMemory(slots, "entries", each, cpu.MemoryAvailable()); err != nil {
			b.engine.Fail(fmt.Errorf("container: rank %d: %s has %d entries, and its table is to grow: %w: use more hosts",
				b.rank.ID(), b.name, entries, err))
		}
	}
}

const checkedBytes = 64 << 20 // size from which available memory is checked

// visit calls do with each pebble and the entry of its key. It adds a key that is not there. what names the operation.
func visit[K comparable, V, P any](s *store[K, V], what string, ps []P, keysOf func(ps []P, keys []K),
	do func(p *P, k K, v *V, added bool)) {
	for len(ps) > 0 {
		block := ps[:min(len(ps), chunk)]
		ps = ps[len(block):]
		keys, hashes := s.scratch.keys[:len(block)], s.scratch.hashes[:len(block)]
		keysOf(block, keys)
		hashesOf(&s.table, keys, hashes)
		if s.iterating > 0 {
			known(s, what, keys, hashes)
		} else {
			reserve(s, len(block))
		}
		fetched(&s.table, hashes, func(from, to int) {
			for i := from; i < to; i++ {
				v, k, added := entryAt(&s.table, keys[i], hashes[i])
				if added {
					keep(s, k)
				}
				do(&block[i], *k, v, added)
			}
		})
	}
}

// known ends the job if a key is not there.
func known[K comparable, V any](s *store[K, V], what string, keys []K, hashes []uint64) {
	for i, k := range keys {
		if v, _ := find(&s.table, k, hashes[i]); v == nil {
			changes(s.base, s.keeping, what)
		}
	}
}

// keep makes the store own a key that was added.
func keep[K comparable, V any](s *store[K, V], k *K) {
	if *k != *k {
		s.engine.Fail(fmt.Errorf("container: rank %d: %s: %w", s.rank.ID(), s.name, errNaN))
	}
	if s.own != nil {
		*k = s.own(*k)
	}
}

// present is visit that adds no entry: do gets the address of the value and the stored key, or nil for both.
func present[K comparable, V, P any](s *store[K, V], ps []P, keysOf func(ps []P, keys []K),
	do func(i int, v *V, k *K)) {
	for at := 0; at < len(ps); at += chunk {
		block := ps[at:min(at+chunk, len(ps))]
		keys, hashes := s.scratch.keys[:len(block)], s.scratch.hashes[:len(block)]
		keysOf(block, keys)
		hashesOf(&s.table, keys, hashes)
		fetched(&s.table, hashes, func(from, to int) {
			for i := from; i < to; i++ {
				v, k := find(&s.table, keys[i], hashes[i])
				do(at+i, v, k)
			}
		})
	}
}

// keying addresses pebbles by the keys in them.
//
//go:noinline
func keying[K comparable, V, P any](s *store[K, V], keysOf func(ps []P, keys []K)) target.Keying[P] {
	return target.Keys(func(ps []P, numbers []uint64) {
		keys := &s.numbered
		for len(ps) > 0 {
			n := min(len(ps), len(keys))
			keysOf(ps[:n], keys[:n])
			number(s.number, keys[:n], numbers)
			ps, numbers = ps[n:], numbers[n:]
		}
	})
}

// newTarget registers a target for pebbles that contain keys of a store.
func newTarget[K comparable, V, P any](s *store[K, V], what string, codec codecs.Value, options []target.Option,
	keysOf func(ps []P, keys []K), handle func(ps []P)) *target.Target[P] {
	t := target.New(s.rank, s.name+" "+what, s.owner, keying(s, keysOf), target.Batch(handle),
		coded[P](codec, options)...)
	have(s.base, t)
	return t
}

// keysOfEntries extracts the keys of entries. Like keysOfKeys it is called once for a batch.
func keysOfEntries[K, V any](es []Entry[K, V], keys []K) {
	keys = keys[:len(es)]
	for i := range es {
		keys[i] = es[i].Key
	}
}

func keysOfKeys[K any](ks, keys []K) { copy(keys, ks) }
