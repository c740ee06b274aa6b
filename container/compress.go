package container

import (
	"unsafe"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/internal/codecs"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
)

// Compress finds the key that stands for the set of each key. All ranks call it. It takes about log2 of the depth
// rounds. In each, a rank asks once about each remote node that is a parent of its nodes, except roots (pointer
// jumping: J. JaJa, An Introduction to Parallel Algorithms, section 2.2). A key travels once to each rank that has keys
// of its set.
func (d *DisjointSets[K]) Compress() error {
	d.roots, d.ups = map[address]K{}, map[address]node{}
	open := make([]uint32, len(d.parents)) // nodes whose root is unknown
	for i := range open {
		open[i] = uint32(i)
	}
	for {
		open = d.compressed(open)
		n, err := pebble.AllReduce(d.rank, len(d.ups), pebble.Sum)
		if err != nil {
			return err
		}
		if n == 0 {
			d.stale = false
			return nil
		}
		if err := d.rank.Epoch(func() error {
			for at := range d.ups {
				d.asks.Send(question{at, nobody})
			}
			return nil
		}, pebble.Named(d.name+" compress")); err != nil {
			return err
		}
	}
}

// compressed moves nodes up as far as this rank's data allows. It returns those whose root is still unknown, and sets
// d.ups to the nodes of other ranks to ask about.
func (d *DisjointSets[K]) compressed(open []uint32) (left []uint32) {
	left, ups := open[:0], map[address]node{}
	for _, i := range open {
		parent := d.up(i).node
		if up, asked := d.ups[parent.address]; asked {
			parent = up
			if parent.Rank == d.self {
				parent = d.up(parent.Index).node
			}
		}
		d.parents[i] = parent
		if _, root := d.roots[parent.address]; parent.Rank != d.self && !root {
			ups[parent.address] = parent
			left = append(left, i)
		}
	}
	d.ups = ups
	return left
}

// question asks the rank of Of for the node above it. With For set, it asks for the key of Of, since a union has joined
// Of and For.
type question struct{ Of, For address }

// answer has the parent of a node. It has the node's key if the node is a root, or if the question asked for the key.
type answer[K any] struct {
	Up  node
	Key K
}

// openAsks registers the targets that ask for nodes and keys of other ranks.
func (d *DisjointSets[K]) openAsks(joined func(a, b K)) {
	keep := d.index.keeping
	var a answer[K]
	travels := codecs.Struct(codecs.NewItem[answer[K]]("").Type, codecs.Tag[node](unsafe.Offsetof(a.Up)),
		codecs.Field{At: unsafe.Offsetof(a.Key), Value: keep.kept.keys.Value})
	ranks, ofRank := distribution.Ranks(d.rank.Size()), target.Key(func(q question) uint64 { return uint64(q.Of.Rank) })
	d.asks = target.NewAsk(d.rank, d.name+" parent", ranks, ofRank, d.answer, func(q question, a answer[K]) {
		switch {
		case q.For != nobody:
			joined(a.Key, d.keys[q.For.Index])
		case a.Up.address == q.Of:
			d.roots[q.Of] = a.Key
		default:
			d.ups[q.Of] = a.Up
		}
	}, coded[answer[K]](travels, keep.options)...)
	have(d.index.base, d.asks)
	if joined == nil {
		return
	}
	told := func(q question) {
		if q.Of.Rank == d.self {
			joined(d.keys[q.Of.Index], d.keys[q.For.Index])
		} else {
			d.asks.Send(q)
		}
	}
	reports := target.New(d.rank, d.name+" joined", ranks,
		target.Key(func(q question) uint64 { return uint64(q.For.Rank) }), target.Each(told), keep.options...)
	have(d.index.base, reports)
	d.joined = func(first, second address) {
		if q := (question{first, second}); second.Rank == d.self {
			told(q)
		} else {
			reports.Send(q)
		}
	}
}

// answer answers a question at the rank of its node.
func (d *DisjointSets[K]) answer(q question) (a answer[K]) {
	if q.For == nobody {
		a.Up = d.up(q.Of.Index).node
	}
	if q.For != nobody || a.Up.address == q.Of {
		a.Key = d.keys[q.Of.Index]
	}
	return a
}

// Sets returns the number of sets. All ranks call it.
func (d *DisjointSets[K]) Sets() (uint64, error) {
	n := 0
	for i, parent := range d.parents {
		if parent.address == (address{d.self, uint32(i)}) {
			n++
		}
	}
	return sum(d.base, n)
}
