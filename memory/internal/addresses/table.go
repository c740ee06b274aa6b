package addresses

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/cornelk/hashmap"
)

// Max is the largest number of entries of a table.
const Max = 1000

// Table finds values by key. Any goroutine may use it. Get costs some nanoseconds, and takes no lock.
//
// Keys stay in the map: a removed entry has no value. When keys with and without values fill the map, a new map with
// the values alone replaces it.
type Table[V any] struct {
	now atomic.Pointer[hashmap.Map[uint64, *V]]

	mu   sync.Mutex // guards the fields below, and writes to the map
	room int
	keys map[uint64]*V // keys in the map; nil for removed ones
	live int           // keys with values
}

// NewTable makes a table for 1 to Max values.
func NewTable[V any](room int) *Table[V] {
	t := &Table[V]{}
	t.init(room)
	return t
}

func (t *Table[V]) init(room int) {
	if room < 1 || room > Max {
		panic(fmt.Sprintf("addresses: a table of %d entries: give 1 to %d", room, Max))
	}
	t.room = room
	t.renew()
}

// spare is the number of keys in a map for each value of the table: a larger number makes replacements rarer.
const spare = 2

// renew replaces the map by one with the values alone. The map is never more than half full, so it does not grow.
func (t *Table[V]) renew() {
	m, keys := hashmap.NewSized[uint64, *V](uintptr(2*spare*t.room)), make(map[uint64]*V, spare*t.room)
	for key, v := range t.keys {
		if v != nil {
			keys[key] = v
			m.Set(key, v)
		}
	}
	t.keys = keys
	t.now.Store(m)
}

// Get returns the value of a key; nil if there is none.
func (t *Table[V]) Get(key uint64) *V {
	v, _ := t.now.Load().Get(key)
	return v
}

// Set sets the value of a key, or removes the key if v is nil. It returns false, and does nothing, if there is no room.
func (t *Table[V]) Set(key uint64, v *V) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	before, known := t.keys[key]
	switch {
	case v == nil && before == nil:
		return true
	case v == nil:
		t.live--
	case before == nil && t.live == t.room:
		return false
	case before == nil:
		if !known && len(t.keys) == spare*t.room {
			t.renew()
		}
		t.live++
	}
	t.keys[key] = v
	t.now.Load().Set(key, v)
	return true
}
