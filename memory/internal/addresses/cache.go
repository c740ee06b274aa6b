package addresses

import (
	"slices"
	"sync"
)

// Cache is a table that drops its oldest entry when a new one needs the room: first in, first out, independent of use.
// Any goroutine may use it.
type Cache[V any] struct {
	Table[V]

	order sync.Mutex
	came  []uint64 // keys in the order of arrival
}

// NewCache makes a cache for 1 to Max entries.
func NewCache[V any](entries int) *Cache[V] {
	c := &Cache[V]{}
	c.init(entries)
	return c
}

// Add sets the value of a key, which is not 0. A key that has a value keeps it.
func (c *Cache[V]) Add(key uint64, v *V) {
	c.order.Lock()
	defer c.order.Unlock()
	if c.Get(key) != nil {
		return
	}
	if len(c.came) == c.room {
		c.Set(c.came[0], nil)
		c.came = slices.Delete(c.came, 0, 1)
	}
	c.came = append(c.came, key)
	c.Set(key, v)
}

// Drop removes the entries whose keys are bad.
func (c *Cache[V]) Drop(bad func(key uint64) bool) {
	c.order.Lock()
	defer c.order.Unlock()
	c.came = slices.DeleteFunc(c.came, func(key uint64) bool {
		if !bad(key) {
			return false
		}
		c.Set(key, nil)
		return true
	})
}
