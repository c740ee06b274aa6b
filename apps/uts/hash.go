package uts

import (
	"bytes"
	"crypto/sha1"
	"encoding"
	"encoding/binary"
	"hash"
)

// state is the hash that a node has got: the benchmark's splittable random numbers (BRG SHA-1).
type state [sha1.Size]byte

// rootState is that of a tree's root.
func rootState(seed uint32) state {
	var text [20]byte
	binary.BigEndian.PutUint32(text[16:], seed)
	return sha1.Sum(text[:])
}

// number is the random number of the node with these bytes of state, of 31 bits.
func number(state []byte) uint32 { return binary.BigEndian.Uint32(state[16:]) & (numbers - 1) }

// mark is the first of a state's words. Two loads of what was stored in two parts are faster than one.
func mark(state []byte) uint64 {
	return uint64(binary.LittleEndian.Uint32(state)) | uint64(binary.LittleEndian.Uint32(state[4:]))<<32
}

// hasher makes the states of children: the hash of the node's and the child's place among its siblings, 24 bytes. With
// its padding that is one block of SHA-1. A whole block is hashed where it lies, and what the hash has come to then,
// which it tells in its binary form, is the sum: that takes less than half the time of sha1.Sum.
type hasher struct {
	hash  hash.Hash
	tells encoding.BinaryAppender // nil where the library's hashes have another form: then it is sha1.Sum
	block [sha1.BlockSize]byte
	told  []byte
}

const (
	textBytes = sha1.Size + 4
	stateAt   = 4 // in a hash's binary form, behind four bytes that say of which
)

func newHasher() *hasher {
	h := &hasher{hash: sha1.New()}
	h.block[textBytes] = 0x80
	binary.BigEndian.PutUint64(h.block[sha1.BlockSize-8:], 8*textBytes)
	h.tells, _ = h.hash.(encoding.BinaryAppender)
	if h.tells != nil && !h.sound() {
		h.tells = nil
	}
	return h
}

// sound tells whether the faster way comes to the same.
func (h *hasher) sound() bool {
	told, err := h.tells.AppendBinary(nil)
	if err != nil || len(told) < stateAt+sha1.Size {
		return false
	}
	want := sha1.Sum(h.block[:textBytes])
	return bytes.Equal(h.child(0), want[:])
}

// parent sets whose children are to be made.
func (h *hasher) parent(of *state) { copy(h.block[:], of[:]) }

// child makes the state of a child of the parent, whose bytes last until the next one is made.
func (h *hasher) child(place uint32) []byte {
	binary.BigEndian.PutUint32(h.block[sha1.Size:], place)
	if h.tells == nil {
		sum := sha1.Sum(h.block[:textBytes])
		h.told = append(h.told[:0], sum[:]...)
		return h.told
	}
	h.hash.Reset()
	h.hash.Write(h.block[:])                     // never fails, as hash.Hash says
	h.told, _ = h.tells.AppendBinary(h.told[:0]) // nor does this
	return h.told[stateAt : stateAt+sha1.Size]
}
