package container

import (
	"reflect"
	"unsafe"

	"github.com/activepebbles/pebbles/internal/cpu"
	"github.com/activepebbles/pebbles/internal/layout"
	"github.com/activepebbles/pebbles/pebble"
)

// hashTable is a rank's part of a container: a hash table with open addressing and linear probing. A slot is free if
// its key is the zero value of the type; the entry of the zero key lies beside the slots. So a search touches the key's
// slot alone. For a batch of keys the slots are prefetched, which pays once a table has outgrown the caches:
// BenchmarkHashTable compares with Go's map.
//
// A table is for one goroutine. Pointers to values are valid until the next key is added.
type hashTable[K comparable, V any] struct {
	slots  []slot[K, V]
	mask   uint64
	used   int // without the zero key
	zero   V
	none   K    // the zero key
	has    bool // has its entry
	number hasher
	one    struct {
		keys    [1]K
		numbers [1]uint64
	}
}

// slot has its value first: a value of no bytes after the key would take space.
type slot[K comparable, V any] struct {
	value V
	key   K
}

const (
	slotsLeast = 16
	hugeBytes  = 4 << 20 // size from which huge pages pay
)

// hashesOf computes the hashes of keys. A probe begins at the slot of the hash's low bits.
func hashesOf[K comparable, V any](t *hashTable[K, V], ks []K, hs []uint64) {
	number(t.number, ks, hs)
	spreadAll(hs[:len(ks)])
}

// numberOf returns the number of one key. It uses memory of the table, since the argument of a function value would be
// allocated.
func numberOf[K comparable, V any](t *hashTable[K, V], k K) uint64 {
	t.one.keys[0] = k
	number(t.number, t.one.keys[:], t.one.numbers[:])
	return t.one.numbers[0]
}

func hashOf[K comparable, V any](t *hashTable[K, V], k K) uint64 { return spread(numberOf(t, k)) }

func length[K comparable, V any](t *hashTable[K, V]) int {
	if t.has {
		return t.used + 1
	}
	return t.used
}

// find returns the value of a key with its hash, and the key as stored; nil if it is not there.
func find[K comparable, V any](t *hashTable[K, V], k K, h uint64) (v *V, key *K) {
	var zero K
	if k == zero {
		if t.has {
			return &t.zero, &t.none
		}
		return nil, nil
	}
	if t.used == 0 {
		return nil, nil
	}
	for i := h & t.mask; ; i = (i + 1) & t.mask {
		switch s := &t.slots[i]; s.key {
		case k:
			return &s.value, &s.key
		case zero:
			return nil, nil
		}
	}
}

// entryAt returns the value of a key with its hash. It adds a missing key with the zero value. The table must have
// room.
func entryAt[K comparable, V any](t *hashTable[K, V], k K, h uint64) (v *V, key *K, added bool) {
	var zero K
	if k == zero {
		added, t.has = !t.has, true
		return &t.zero, &t.none, added
	}
	for i := h & t.mask; ; i = (i + 1) & t.mask {
		switch s := &t.slots[i]; s.key {
		case k:
			return &s.value, &s.key, false
		case zero:
			s.key = k
			t.used++
			return &s.value, &s.key, true
		}
	}
}

// lacks returns the number of slots that the table needs for n more keys; 0 if it has them.
func lacks[K comparable, V any](t *hashTable[K, V], n int) int {
	return moreSlots(len(t.slots), t.used+n)
}

// moreSlots returns the number of slots that a table with have slots needs for need keys; 0 if it has them.
func moreSlots(have, need int) int {
	slots := max(slotsLeast, have)
	for need > slots/4*3 {
		slots *= 2
	}
	if slots == have {
		return 0
	}
	return slots
}

// grow moves the entries to a table of the given number of slots.
func grow[K comparable, V any](t *hashTable[K, V], slots int) {
	old := t.slots
	t.slots, t.mask = newSlots[K, V](slots), uint64(slots-1)
	var zero K
	var ks [rehash]K
	var hs [rehash]uint64
	for len(old) > 0 {
		n, block := 0, old[:min(len(old), rehash)]
		for i := range block {
			if block[i].key != zero {
				ks[n] = block[i].key
				n++
			}
		}
		hashesOf(t, ks[:n], hs[:])
		n = 0
		for i := range block {
			if block[i].key != zero {
				to := hs[n] & t.mask
				for t.slots[to].key != zero {
					to = (to + 1) & t.mask
				}
				t.slots[to] = block[i]
				n++
			}
		}
		old = old[len(block):]
	}
}

const rehash = 64 // keys at a time

func newSlots[K comparable, V any](n int) []slot[K, V] {
	if bytes := n * int(unsafe.Sizeof(slot[K, V]{})); bytes >= hugeBytes &&
		layout.Plain(reflect.TypeFor[slot[K, V]]()) == nil {
		return pebble.HugePages[slot[K, V]](n)
	}
	return make([]slot[K, V], n)
}

// remove removes a key, and reports whether it was there. Entries after it move up, so that no probe ends too early.
func remove[K comparable, V any](t *hashTable[K, V], k K, h uint64) bool {
	var none slot[K, V]
	if k == none.key {
		had := t.has
		t.zero, t.has = none.value, false
		return had
	}
	if t.used == 0 {
		return false
	}
	i := h & t.mask
	for t.slots[i].key != k {
		if t.slots[i].key == none.key {
			return false
		}
		i = (i + 1) & t.mask
	}
	t.used--
	for hole, j := i, (i+1)&t.mask; ; j = (j + 1) & t.mask {
		s := &t.slots[j]
		if s.key == none.key {
			t.slots[hole] = none
			return true
		}
		if home := hashOf(t, s.key) & t.mask; (j-home)&t.mask >= (j-hole)&t.mask {
			t.slots[hole] = *s
			hole = j
		}
	}
}

func clearTable[K comparable, V any](t *hashTable[K, V]) {
	t.slots, t.mask, t.used = nil, 0, 0
	t.zero, t.has = *new(V), false
}

// each yields the entries, until yield returns false. No entry may be added or removed meanwhile.
func each[K comparable, V any](t *hashTable[K, V], yield func(K, *V) bool) {
	var zero K
	if t.has && !yield(zero, &t.zero) {
		return
	}
	for i := range t.slots {
		if s := &t.slots[i]; s.key != zero && !yield(s.key, &s.value) {
			return
		}
	}
}

// fetched calls do for ranges of keys, block by block, with all keys given by their hashes. The slots of a block are
// prefetched while the block before is in progress.
func fetched[K comparable, V any](t *hashTable[K, V], hs []uint64, do func(from, to int)) {
	from := 0
	cpu.PrefetchEach(t.slots, hs, func(block []uint64) {
		do(from, from+len(block))
		from += len(block)
	})
}
