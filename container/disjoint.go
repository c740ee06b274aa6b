package container

import (
	"bytes"
	"errors"
	"slices"

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
	travels := codecs.Tagged(codecs.List(codecs.OrPlain(d.keys.Codec)), split[K], join[K])
	d.unions = newTarget(d.store, "union", travels, ends[K], d.climb)
	d.parents = NewAsker(m, "parent", func(_ K, grand *K, _ K) K { return *grand }, func(parent, child, grand K) {
		if parent != grand {
			at, _ := d.table.find(child, d.table.hashOf(child))
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

func split[K any](u union[K]) ([]K, bool) { return []K{u.At, u.Other, u.A, u.B}, u.Second }

func join[K any](ks []K, second bool) (u union[K]) {
	if len(ks) == 4 { // which damage can change
		u = union[K]{ks[0], ks[1], ks[2], ks[3], second}
	}
	return u
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
func (d *DisjointSets[K]) climb(us []union[K]) {
	visit(d.store, "Union", us, ends[K], func(u *union[K], k K, parent *K, added bool) {
		if added {
			*parent = k
		}
		switch {
		case *parent != k:
			d.unions.Send(union[K]{*parent, u.Other, u.A, u.B, u.Second})
		case k == u.Other: // one set already
		case !u.Second || d.later(k, u.Other):
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
func (d *DisjointSets[K]) later(a, b K) bool {
	if ha, hb := d.table.hashOf(a), d.table.hashOf(b); ha != hb {
		return ha > hb
	}
	codec := codecs.OrPlain(d.keys.Codec)
	of, err := codec.Append(nil, a)
	than, err2 := codec.Append(nil, b)
	if err = errors.Join(err, err2); err != nil {
		d.engine.Fail(d.failed(err))
	}
	return bytes.Compare(of, than) > 0
}

// Compress makes the root of each key's set its parent. All ranks call it. It takes some log2 of the depth rounds, each
// of which asks about each key that is no root.
func (d *DisjointSets[K]) Compress() error {
	for {
		d.moved = 0
		if err := d.rank.Epoch(func() error {
			for k, parent := range d.refs() {
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
