package container

import (
	"fmt"
	"math"
	"slices"

	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
)

// DisjointSets keeps keys in disjoint sets, which Union joins. Its methods are for its rank's goroutine. Its views pair
// each key with the key that stands for its set, as the last Compress found it. Call Compress after unions. Until then,
// reading ends the job on a rank that has called Union or joined sets, and returns old sets on others. The key that
// stands for a set depends on the set's keys alone.
//
// A union costs a pebble to the owner of each of its keys, and then some pebbles of 64 bytes without keys. A rank keeps
// 16 bytes for each of its keys beside its entry and its key.
type DisjointSets[K comparable] struct {
	View[K, K]
	forest
	index  *store[K, uint32] // number of each key in keys and parents
	keys   []K
	pairs  *target.Target[Entry[K, K]]
	halves *target.Target[Entry[K, half]]
	asks   *target.Ask[question, answer[K]]
	here   []Entry[K, half] // of a batch of pairs, with both keys on this rank
	roots  map[address]K    // roots on other ranks
	ups    map[address]node // parents of nodes on other ranks, while Compress runs
}

// half is a union whose first key was found: the highest node so far, and the node of the first key.
type half struct {
	At    side
	First address
}

// NewDisjointSets makes disjoint sets, by the rules of [NewMap]. If joined is not nil, it is called once for each union
// that joins two sets, and for no other, with the keys that Union was given. Those unions are a spanning forest. joined
// runs as a handler, on any rank. Either all ranks give it, or none.
func NewDisjointSets[K comparable](r *pebble.Rank, name string, joined func(a, b K),
	options ...target.Option) *DisjointSets[K] {
	b, k := newKeeping(r, name, wireOf[K, K](), options)
	d := &DisjointSets[K]{index: storeOf[K, uint32](b, k)}
	d.View = viewOf(b, d.each)
	pairs := k.wire
	pairs.values = pairs.keys // handlers borrow these
	d.pairs = newTarget(d.index, "union", pairs.entries(), k.options, keysOfEntries,
		func(ps []Entry[K, K]) { begin(d, ps) })
	d.halves = newBeside(d.index, "half", nil, func(hs []Entry[K, half]) { meet(d, hs) })
	d.open(b, k.options)
	d.openAsks(joined)
	return d
}

// Insert adds a key, in its own set, if the key is not there.
func (d *DisjointSets[K]) Insert(k K) { d.Union(k, k) }

// Union joins the sets of two keys. It adds keys that are not there.
func (d *DisjointSets[K]) Union(a, b K) {
	d.stale = true
	d.pairs.Send(Entry[K, K]{a, b})
}

// UnionAll joins the sets of many pairs of keys. A pair costs a fraction of a Union. pairs is not kept.
func (d *DisjointSets[K]) UnionAll(pairs []Entry[K, K]) {
	d.stale = true
	d.pairs.SendAll(pairs)
}

// begin is the handler of unions at the owners of their first keys.
func begin[K comparable](d *DisjointSets[K], ps []Entry[K, K]) {
	for block := range slices.Chunk(ps, chunk) {
		here := d.here[:0]
		entered(d, block, func(p *Entry[K, K], i uint32) {
			h := Entry[K, half]{p.Value, half{d.up(i), address{d.self, i}}}
			if d.Owner(h.Key) == int(d.self) {
				here = append(here, h)
			} else {
				d.halves.Send(h)
			}
		})
		meet(d, here)
		clear(here) // drops borrowed keys
		d.here = here
	}
}

// meet is the handler of unions at the owners of their second keys.
func meet[K comparable](d *DisjointSets[K], hs []Entry[K, half]) {
	entered(d, hs, func(h *Entry[K, half], i uint32) {
		d.link(link{d.up(i), h.Value.At, h.Value.First, address{d.self, i}})
	})
}

// entered calls do with each pebble and the number of its key. It adds a key that is not there as a root.
func entered[K comparable, A any](d *DisjointSets[K], es []Entry[K, A], do func(e *Entry[K, A], i uint32)) {
	changes(d.base, d.index.keeping, "Union")
	d.stale = true
	visit(d.index, "Union", es, keysOfEntries, func(e *Entry[K, A], k K, i *uint32, added bool) {
		if added {
			if len(d.keys) == math.MaxUint32 {
				d.engine.Fail(fmt.Errorf("container: rank %d: %s has %d keys: use more ranks", d.self, d.name, len(d.keys)))
			}
			*i = uint32(len(d.keys))
			d.keys = append(d.keys, k)
			d.parents = append(d.parents, node{hashOf(&d.index.table, k), address{d.self, *i}})
		}
		do(e, *i)
	})
}

// root returns the key that stands for the set of this rank's key i.
func (d *DisjointSets[K]) root(i uint32) K {
	if d.stale {
		d.engine.Fail(fmt.Errorf("container: rank %d: %s is looked at after unions: call Compress first", d.self, d.name))
	}
	if root := d.parents[i].address; root.Rank != d.self {
		return d.roots[root]
	} else {
		return d.keys[root.Index]
	}
}

// each yields the keys of this rank, each with the key that stands for its set.
func (d *DisjointSets[K]) each(yield func(K, K) bool) {
	d.engine.CheckFreed("an iteration was begun")
	d.index.iterating++
	defer func() { d.index.iterating-- }()
	for i, k := range d.keys {
		if !yield(k, d.root(uint32(i))) {
			return
		}
	}
}

// LocalGet returns the key that stands for a key's set, if this rank owns the key and has it.
func (d *DisjointSets[K]) LocalGet(k K) (root K, ok bool) {
	i, ok := d.index.LocalGet(k)
	if ok {
		root = d.root(i)
	}
	return root, ok
}

// LocalLen returns the number of keys of this rank, at no cost.
func (d *DisjointSets[K]) LocalLen() int { return len(d.keys) }

// Len returns the number of keys on all ranks. All ranks call it.
func (d *DisjointSets[K]) Len() (uint64, error) { return sum(d.base, len(d.keys)) }

// Owner returns the owner of a key.
func (d *DisjointSets[K]) Owner(k K) int { return d.index.Owner(k) }

// Clear removes all keys of all ranks, and frees their memory. All ranks call it.
func (d *DisjointSets[K]) Clear() error {
	d.keys, d.parents, d.roots, d.stale = nil, nil, nil, false
	return d.index.Clear()
}
