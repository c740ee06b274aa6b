package container

import (
	"cmp"
	"math"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/target"
)

// forest holds the trees of disjoint sets without their keys: a node for each key, at the key's owner. A node's parent
// is later in a fixed order, which compares hashes. So a tree's root is its last node, and no cycle can close.
//
// A union has a side in each of two trees. The earlier side climbs to its node's parent. If its node is a root, it
// hangs that below the other side, which is later and so in no tree below it. If the sides meet, they were in one tree
// already. So sides stop where they meet, and few reach the root of a large tree (M. Patwary, J. Blair and F. Manne,
// Experiments on union-find algorithms, 2010, after M. Rem).
//
// A rank climbs over its own nodes without messages, and halves the paths. A side that climbs on from another rank's
// node reports the node that it has reached to that rank, so that the next side has less to climb.
type forest struct {
	self      uint32
	parents   []node // of this rank's nodes; a root is its own parent
	links     *target.Target[link]
	shortcuts *target.Target[shortcut]
	joined    func(first, second address) // called for a union that has joined two trees; nil for none
	stale     bool                        // unions happened after Compress
}

// address locates a node: its owner, and its number there.
type address struct{ Rank, Index uint32 }

var nobody = address{math.MaxUint32, math.MaxUint32}

// node is a node with its position in the order.
type node struct {
	Order uint64
	address
}

// later reports whether a comes later than b.
func later(a, b node) bool {
	return a.Order > b.Order ||
		a.Order == b.Order && cmp.Or(cmp.Compare(a.Rank, b.Rank), cmp.Compare(a.Index, b.Index)) > 0
}

// side is one end of a union: the node that it has climbed to, and the node of another rank below it.
type side struct {
	node
	Below address
}

// link is a union on its way: At is the side that climbs next. First and Second are the nodes of its keys.
type link struct {
	At, Other     side
	First, Second address
}

// shortcut gives a node's rank a node further up.
type shortcut struct {
	Of address
	Up node
}

func (f *forest) open(b *base, options []target.Option) {
	f.self = uint32(b.rank.ID())
	ranks := distribution.Ranks(b.rank.Size())
	f.links = target.New(b.rank, b.name+" link", ranks,
		target.Key(func(l link) uint64 { return uint64(l.At.Rank) }), target.Each(f.link), options...)
	f.shortcuts = target.New(b.rank, b.name+" shortcut", ranks,
		target.Key(func(s shortcut) uint64 { return uint64(s.Of.Rank) }), target.Each(f.shorten), options...)
	have(b, f.links)
	have(b, f.shortcuts)
}

// up climbs from a node of this rank, over others of this rank, to a root or a node of another rank.
func (f *forest) up(index uint32) side {
	for {
		parent := f.parents[index]
		if parent.Rank != f.self {
			return side{parent, address{f.self, index}}
		}
		if parent.Index == index {
			return side{parent, nobody}
		}
		f.parents[index] = f.parents[parent.Index]
		index = parent.Index
	}
}

// link takes a union as far as possible on this rank.
func (f *forest) link(l link) {
	f.stale = true
	for l.At.node != l.Other.node {
		if later(l.At.node, l.Other.node) {
			l.At, l.Other = l.Other, l.At
		}
		if l.At.Rank != f.self {
			f.links.Send(l)
			return
		}
		at := f.up(l.At.Index)
		if at.node == l.At.node { // a root
			f.parents[at.Index] = l.Other.node
			if f.joined != nil {
				f.joined(l.First, l.Second)
			}
			return
		}
		if l.At.Below != nobody {
			f.shortcuts.Send(shortcut{l.At.Below, at.node})
		}
		l.At = at
	}
}

// shorten applies a shortcut.
func (f *forest) shorten(s shortcut) {
	if parent := &f.parents[s.Of.Index]; later(s.Up, *parent) {
		*parent = s.Up
	}
}
