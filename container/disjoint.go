package container

import (
	"bytes"
	"errors"
	"reflect"
	"slices"
	"unsafe"

	"github.com/activepebbles/pebbles/internal/codecs"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
)

// DisjointSets keeps keys in disjoint sets, which Union joins. Its methods are for its rank's goroutine. Its views have
// each key with its parent in the tree of its set, and after Compress with the key that stands for the set.
//
// A set is a tree whose root stands for it. A union is one pebble, which climbs from the first key to its root, then
// from the second one. At a root that comes before the other end in a fixed order it links the root under that end; if
// the root comes later, it goes on from the other end. So parents come later than their children, whoever links at the
// same time, and no circle can close. The order is one of hashes, so trees are some log2 n deep.
type DisjointSets[K comparable] struct {
	*store[K, K]
	unions  *target.Target[union[K]]
	parents *Asker[K, K]
	joined  func(a, b K)
	moved   int // keys that got another parent in a round of Compress
}

// union is on its way to join the sets of two keys.
type union[K any] struct {
	At, Other K
	A, B      K    // as the program gave them
	Second    bool // the first key has been visited
}

// NewDisjointSets makes disjoint sets, by the rules of [NewMap]. joined, if it is not nil, is called once for each
// union that joins two sets, with the keys that Union was given, and for no other: those unions are a spanning forest.
// It runs as a handler, on some rank.
func NewDisjointSets[K comparable](r *pebble.Rank, name string, joined func(a, b K),
	options ...target.Option) *DisjointSets[K] {
	m := &Map[K, K]{store: newStore[K, K](r, name, options)}
	d := &DisjointSets[K]{store: m.store, joined: joined}
	var u union[K]
	key := func(at uintptr) codecs.Field { return codecs.Field{At: at, Value: d.kept.keys.Value} }
	travels := codecs.Struct(reflect.TypeFor[union[K]](), codecs.Tag[bool](unsafe.Offsetof(u.Second)),
		key(unsafe.Offsetof(u.At)), key(unsafe.Offsetof(u.Other)), key(unsafe.Offsetof(u.A)), key(unsafe.Offsetof(u.B)))
	d.unions = newTarget(d.store, "union", travels, d.options, ends[K], func(us []union[K]) { climb(d, us) })
	d.parents = NewAsker(m, "parent", func(_ K, grand *K, _ K) K { return *grand }, func(parent, child, grand K) {
		if parent != grand {
			at, _ := find(&d.table, child, hashOf(&d.table, child))
			*at = grand
			d.moved++
		}
	})
	return d
}

// ends are the keys that unions are at.
func ends[K any](us []union[K], keys []K) {
	for i := range us {
		keys[i] = us[i].At
	}
}

// Insert adds a key, in a set of its own if it is not there.
func (d *DisjointSets[K]) Insert(k K) { d.Union(k, k) }

// Union joins the sets of two keys, which are added if they are not there.
func (d *DisjointSets[K]) Union(a, b K) { d.unions.Send(union[K]{At: a, Other: b, A: a, B: b}) }

// UnionAll joins the sets of many pairs of keys, at a fraction of the cost of a Union each. pairs is not kept.
func (d *DisjointSets[K]) UnionAll(pairs []Entry[K, K]) {
	for block := range slices.Chunk(pairs, chunk) {
		us := make([]union[K], len(block))
		for i, p := range block {
			us[i] = union[K]{At: p.Key, Other: p.Value, A: p.Key, B: p.Value}
		}
		d.unions.SendAll(us)
	}
}

// climb is the handler of unions.
func climb[K comparable](d *DisjointSets[K], us []union[K]) {
	visit(d.store, "Union", us, ends[K], func(u *union[K], k K, parent *K, added bool) {
		if added {
			*parent = k
		}
		switch {
		case *parent != k:
			d.unions.Send(union[K]{*parent, u.Other, u.A, u.B, u.Second})
		case k == u.Other: // one set already
		case !u.Second || later(d, k, u.Other):
			d.unions.Send(union[K]{u.Other, k, u.A, u.B, true})
		default:
			*parent = u.Other
			if d.joined != nil {
				d.joined(u.A, u.B)
			}
		}
	})
}

// later is the fixed order of keys: by hashes, and where those are equal by bytes.
func later[K comparable](d *DisjointSets[K], a, b K) bool {
	if ha, hb := hashOf(&d.table, a), hashOf(&d.table, b); ha != hb {
		return ha > hb
	}
	codec := d.kept.keys.OrPlain()
	of, err := codec.Append(nil, unsafe.Pointer(new(a)))
	than, err2 := codec.Append(nil, unsafe.Pointer(new(b)))
	if err = errors.Join(err, err2); err != nil {
		d.engine.Fail(failed(d.base, err))
	}
	return bytes.Compare(of, than) > 0
}

// Compress makes the root of each key's set its parent. All ranks call it. It takes some log2 of the depth rounds, each
// of which asks about each key that is no root.
func (d *DisjointSets[K]) Compress() error {
	for {
		d.moved = 0
		if err := d.rank.Epoch(func() error {
			for k, parent := range refs(d.store) {
				if *parent != k {
					d.parents.Send(*parent, k)
				}
			}
			return nil
		}, pebble.Named(d.name+" compress")); err != nil {
			return err
		}
		if moved, err := pebble.AllReduce(d.rank, d.moved, pebble.Sum); err != nil || moved == 0 {
			return err
		}
	}
}

// Sets is the number of sets. All ranks call it.
func (d *DisjointSets[K]) Sets() (uint64, error) {
	return d.Filter(func(k, parent K) bool { return k == parent }).Len()
}
