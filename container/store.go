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
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
)

// store is what containers with keys are made of: a rank's entries, who owns a key, and how keys and values travel.
type store[K comparable, V any] struct {
	View[K, V]
	engine    *engine.Rank
	owner     distribution.Map
	table     hashTable[K, V]
	wire      wire[K, V]      // to handlers, which borrow keys
	keys      codecs.Part[K]  // how keys travel that are kept
	own       func(k K) K     // makes a borrowed key its own; nil where none is borrowed
	options   []target.Option // of its targets
	iterating int             // iterations over its entries that are under way
	scratch   keyBatch[K]     // of pebbles that are handled
	numbered  [64]K           // of pebbles that are sent
}

// chunk is how many keys are worked on at a time: they stay in the first-level cache.
const chunk = 256

type keyBatch[K any] struct {
	keys   [chunk]K
	hashes [chunk]uint64
}

func newStore[K comparable, V any](r *pebble.Rank, name string, options []target.Option) *store[K, V] {
	s := &store[K, V]{engine: engine.RankOf(r), owner: distribution.Hash(r.Size())}
	w, others, err := newWire[K, V](options)
	s.options = others
	number, err2 := newHasher[K]()
	if err = errors.Join(err, err2); err != nil {
		s.engine.Refuse(name, err.Error())
	}
	s.table.number = number
	s.wire, s.keys = w, w.keys
	if borrows(&s.wire.keys) {
		s.own = ownKey[K]()
	}
	codec := w.entries()
	s.View = View[K, V]{rank: r, name: name, codec: func() (codecs.Codec[Entry[K, V]], error) { return codec, nil }}
	s.local = func(yield func(K, V) bool) {
		for k, v := range s.refs() {
			if !yield(k, *v) {
				return
			}
		}
	}
	return s
}

// kept is the codec of entries that are kept.
func (s *store[K, V]) kept() codecs.Codec[Entry[K, V]] {
	return wire[K, V]{s.keys, s.wire.values}.entries()
}

// empty is a store of the same kind without entries.
func (s *store[K, V]) empty() *store[K, V] {
	e := *s
	e.table = hashTable[K, V]{number: s.table.number}
	return &e
}

// refs are the entries of this rank, with the places of their values.
func (s *store[K, V]) refs() iter.Seq2[K, *V] {
	return func(yield func(K, *V) bool) {
		s.iterating++
		defer func() { s.iterating-- }()
		s.table.all()(yield)
	}
}

// LocalLen is the number of entries of this rank. It costs nothing.
func (s *store[K, V]) LocalLen() int { return s.table.len() }

// Len is the number of entries on all ranks. All ranks call it.
func (s *store[K, V]) Len() (uint64, error) {
	return pebble.AllReduce(s.rank, uint64(s.table.len()), pebble.Sum)
}

// LocalGet is the value of a key, if it is there and this rank owns it.
func (s *store[K, V]) LocalGet(k K) (v V, ok bool) {
	if at, _ := s.table.find(k, s.table.hashOf(k)); at != nil {
		return *at, true
	}
	return v, false
}

// Owner is the rank that owns a key.
func (s *store[K, V]) Owner(k K) int {
	return s.owner.Owner(s.table.numberOf(k))
}

// Clear removes all entries of all ranks, and gives their memory back. All ranks call it.
func (s *store[K, V]) Clear() error {
	s.changes("Clear")
	s.table.clear()
	return s.rank.Barrier()
}

// changes ends the job when entries are to come or go during an iteration.
func (s *store[K, V]) changes(what string) {
	if s.iterating > 0 {
		s.engine.Fail(fmt.Errorf("container: rank %d: %s: %s came while the rank iterates over the entries: "+
			"collect what is to change and send it afterwards, or change another container", s.rank.ID(), s.name, what))
	}
}

// reserve makes room for n entries more.
func (s *store[K, V]) reserve(n int) {
	slots := s.table.lacks(n)
	if slots == 0 {
		return
	}
	each := int64(unsafe.Sizeof(slot[K, V]{}))
	if int64(slots)*each >= checkedBytes {
		if err := cpu.CheckMemory(slots, "entries", each, cpu.MemoryAvailable()); err != nil {
			s.engine.Fail(fmt.Errorf("container: rank %d: %s has %d entries, and its table is to grow: %w: use more hosts",
				s.rank.ID(), s.name, s.table.len(), err))
		}
	}
	s.table.grow(slots)
}

const checkedBytes = 64 << 20 // from where on the system is asked for room

// visit calls do with each pebble and the entry of its key, which is added where it is not there. what is the
// operation.
func visit[K comparable, V, P any](s *store[K, V], what string, ps []P, keysOf func(ps []P, keys []K),
	do func(p *P, k K, v *V, added bool)) {
	for len(ps) > 0 {
		block := ps[:min(len(ps), chunk)]
		ps = ps[len(block):]
		keys, hashes := s.scratch.keys[:len(block)], s.scratch.hashes[:len(block)]
		keysOf(block, keys)
		s.table.hashes(keys, hashes)
		if s.iterating > 0 {
			s.known(what, keys, hashes)
		} else {
			s.reserve(len(block))
		}
		s.table.fetched(hashes, func(from, to int) {
			for i := from; i < to; i++ {
				v, k, added := s.table.at(keys[i], hashes[i])
				if added {
					s.added(k)
				}
				do(&block[i], *k, v, added)
			}
		})
	}
}

// known ends the job when a key is not there.
func (s *store[K, V]) known(what string, keys []K, hashes []uint64) {
	for i, k := range keys {
		if v, _ := s.table.find(k, hashes[i]); v == nil {
			s.changes(what)
		}
	}
}

// added makes a key that has come the store's own.
func (s *store[K, V]) added(k *K) {
	if *k != *k {
		s.engine.Fail(fmt.Errorf("container: rank %d: %s: %w", s.rank.ID(), s.name, errNaN))
	}
	if s.own != nil {
		*k = s.own(*k)
	}
}

// present is visit that adds no entry: do gets the place of the value with the key as it is kept, or nil for both.
func present[K comparable, V, P any](s *store[K, V], ps []P, keysOf func(ps []P, keys []K),
	do func(i int, v *V, k *K)) {
	for at := 0; at < len(ps); at += chunk {
		block := ps[at:min(at+chunk, len(ps))]
		keys, hashes := s.scratch.keys[:len(block)], s.scratch.hashes[:len(block)]
		keysOf(block, keys)
		s.table.hashes(keys, hashes)
		s.table.fetched(hashes, func(from, to int) {
			for i := from; i < to; i++ {
				v, k := s.table.find(keys[i], hashes[i])
				do(at+i, v, k)
			}
		})
	}
}

// keying addresses pebbles by the keys in them.
func keying[K comparable, V, P any](s *store[K, V], keysOf func(ps []P, keys []K)) target.Keying[P] {
	return target.Keys(func(ps []P, numbers []uint64) {
		keys := &s.numbered
		for len(ps) > 0 {
			n := min(len(ps), len(keys))
			keysOf(ps[:n], keys[:n])
			s.table.number(keys[:n], numbers)
			ps, numbers = ps[n:], numbers[n:]
		}
	})
}

// newTarget registers a target for pebbles with keys of a store in them.
func newTarget[K comparable, V, P any](s *store[K, V], what string, codec codecs.Codec[P],
	keysOf func(ps []P, keys []K), handle func(ps []P)) *target.Target[P] {
	return target.New(s.rank, s.name+" "+what, s.owner, keying(s, keysOf), target.Batch(handle),
		coded(codec, s.options)...)
}

// keysOfEntries are the keys in pebbles that are entries. Like keysOfKeys it is called once for a batch.
func keysOfEntries[K, V any](es []Entry[K, V], keys []K) {
	keys = keys[:len(es)]
	for i := range es {
		keys[i] = es[i].Key
	}
}

func keysOfKeys[K any](ks, keys []K) { copy(keys, ks) }
