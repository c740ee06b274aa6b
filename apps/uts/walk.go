package uts

import (
	"bytes"
	"crypto/sha1"
	"encoding"
	"encoding/binary"
	"hash"
	"reflect"
)

// node is a node whose children have not been searched.
type node struct {
	State    state
	Height   uint32
	ID       vertex // while the tree is built in memory
	Children uint64
}

// walker searches a tree, or parts of it, depth-first and serially.
type walker struct {
	levels []*level
	hasher *hasher
	stack  []node // nodes to search
	found  Answer
	builds bool // record the places of all children in built
	next   vertex
	built  []placed
}

// placed is the place of a vertex's children. While the tree is built, it counts within the rank that sends it.
type placed struct {
	Of    vertex
	Where children
}

func newWalker(t Tree) *walker { return &walker{levels: t.levels(), hasher: newHasher()} }

// level returns the level of a height.
func (w *walker) level(height uint32) *level {
	return w.levels[min(int(height), len(w.levels)-1)]
}

// root starts the search at the root.
func (w *walker) root(t Tree) {
	n := node{State: rootState(t.Seed), ID: w.next}
	n.Children = uint64(w.levels[0].children(number(n.State[:])))
	w.next++
	w.found.Nodes++
	w.found.Sum += mark(n.State[:])
	if n.Children == 0 {
		w.found.Leaves++
		return
	}
	w.stack = append(w.stack, n)
}

// search continues until it has found about most nodes, or until nothing is left.
func (w *walker) search(most uint64) {
	for before := w.found.Nodes; len(w.stack) > 0 && w.found.Nodes-before < most; {
		last := len(w.stack) - 1
		parent := w.stack[last]
		w.stack = w.stack[:last]
		w.expand(&parent)
	}
}

// expand finds the children of a node.
func (w *walker) expand(parent *node) {
	height, level := parent.Height+1, w.level(parent.Height+1)
	if w.builds {
		w.built = append(w.built, placed{parent.ID, childrenAt(w.next.onRank(), parent.Children)})
	}
	w.found.Nodes += parent.Children
	w.found.Depth = max(w.found.Depth, uint64(height))
	w.hasher.parent(&parent.State)
	for i := range parent.Children {
		s := w.hasher.child(uint32(i))
		w.found.Sum += mark(s)
		if n := level.children(number(s)); n > 0 {
			w.stack = append(w.stack, node{state(s), height, w.next + vertex(i), uint64(n)})
		} else {
			w.found.Leaves++
		}
	}
	w.next += vertex(parent.Children)
}

// add combines the answers for two parts of a tree.
func (a Answer) add(b Answer) Answer {
	return Answer{a.Nodes + b.Nodes, a.Leaves + b.Leaves, max(a.Depth, b.Depth), a.Sum + b.Sum}
}

// state is the hash of a node: the benchmark's splittable random numbers (BRG SHA-1).
type state [sha1.Size]byte

// rootState returns the state of a tree's root.
func rootState(seed uint32) state {
	var text [20]byte
	binary.BigEndian.PutUint32(text[16:], seed)
	return sha1.Sum(text[:])
}

// number returns the random number, of 31 bits, of the node with this state.
func number(state []byte) uint32 { return binary.BigEndian.Uint32(state[16:]) & (numbers - 1) }

// mark returns the first word of a state. It was stored in two parts, so two loads are faster than one.
func mark(state []byte) uint64 {
	return uint64(binary.LittleEndian.Uint32(state)) | uint64(binary.LittleEndian.Uint32(state[4:]))<<32
}

// hasher makes the states of children: the hash of the node's state and the child's place among its siblings, 24 bytes.
// With its padding that is one block of SHA-1. The hasher hashes a whole block in place and reads the digest from the
// hash's binary form, in less than half the time of sha1.Sum.
//
// What changes with each node shares no cache line with another rank's objects: two ranks' hashes in one line made a
// search take 1.4 to 2.7 times as long. Go aligns a walker and a hasher to lines, since lines divide their sizes.
type hasher struct {
	hash  hash.Hash
	tells encoding.BinaryAppender // nil if the library's hashes have another binary form: then it calls sha1.Sum
	block [sha1.BlockSize]byte
	told  [96]byte // room for the binary form
}

const (
	textBytes = sha1.Size + 4
	stateAt   = 4 // in a hash's binary form, after four bytes that identify the hash
)

func newHasher() *hasher {
	h := &hasher{hash: alone(sha1.New())}
	h.block[textBytes] = 0x80
	binary.BigEndian.PutUint64(h.block[sha1.BlockSize-8:], 8*textBytes)
	h.tells, _ = h.hash.(encoding.BinaryAppender)
	if h.tells != nil && !h.sound() {
		h.tells = nil
	}
	return h
}

// alone returns a hash like h, which is in its first state. It lies in the middle of an array of three.
func alone(h hash.Hash) hash.Hash {
	three := reflect.New(reflect.ArrayOf(3, reflect.TypeOf(h).Elem())).Elem()
	own := three.Index(1).Addr().Interface().(hash.Hash)
	own.Reset()
	return own
}

// sound reports whether the faster way gives the right result.
func (h *hasher) sound() bool {
	told, err := h.tells.AppendBinary(nil)
	if err != nil || len(told) < stateAt+sha1.Size {
		return false
	}
	want := sha1.Sum(h.block[:textBytes])
	return bytes.Equal(h.child(0), want[:])
}

// parent sets the parent of the children to make.
func (h *hasher) parent(of *state) { copy(h.block[:], of[:]) }

// child returns the state of a child of the parent. The bytes are valid until the next call.
func (h *hasher) child(place uint32) []byte {
	binary.BigEndian.PutUint32(h.block[sha1.Size:], place)
	if h.tells == nil {
		sum := sha1.Sum(h.block[:textBytes])
		return append(h.told[:0], sum[:]...)
	}
	h.hash.Reset()
	h.hash.Write(h.block[:])                    // never fails, by the contract of hash.Hash
	told, _ := h.tells.AppendBinary(h.told[:0]) // nor does this
	return told[stateAt : stateAt+sha1.Size]
}
