package addresses

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/cornelk/hashmap"
)

// Max is how many entries a table may have.
const Max = 1000

// Table finds values by key. Any goroutine may use it. Get costs some nanoseconds, and takes no lock.
//
// No key leaves its map: an entry that was taken out has no value. When keys with and without values fill the map, another one takes its
// place, with those that have one.
type Table[V any] struct {
	now atomic.Pointer[hashmap.Map[uint64, *V]]

	mu   sync.Mutex // guards what follows, and writes to the map
	room int
	keys map[uint64]*V // those in the map; nil for those that were taken out
	live int           // those with values
}

// NewTable makes a table with room for so many values, 1 to Max.
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

// spare is how many keys a map has room for, for each value of the table: the more, the less often it is replaced.
const spare = 2

// renew puts a map with the values alone into the place of the present one. The map is never more than half full, so it does not grow.
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

// Get returns the value of a key; nil when there is none.
func (t *Table[V]) Get(key uint64) *V {
	v, _ := t.now.Load().Get(key)
	return v
}

// Set gives a key a value, or takes it out where that is nil. It reports false, and does nothing, when there is no room.
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
