package addresses

import "sync"

// Cache is a table that forgets the entry that came first when another one needs its room. Any goroutine may use it.
type Cache[V any] struct {
	Table[V]

	order sync.Mutex
	ring  []uint64 // keys in the order in which they came; 0 for one that was dropped
	next  int      // where the next one goes
}

// NewCache makes a cache of so many entries, 1 to Max.
func NewCache[V any](entries int) *Cache[V] {
	c := &Cache[V]{ring: make([]uint64, entries)}
	c.init(entries)
	return c
}

// Add gives a key, which is not 0, its value. A key that has one keeps it.
func (c *Cache[V]) Add(key uint64, v *V) {
	c.order.Lock()
	defer c.order.Unlock()
	if c.Get(key) != nil {
		return
	}
	if oldest := c.ring[c.next]; oldest != 0 {
		c.Set(oldest, nil)
	}
	c.ring[c.next] = key
	c.next = (c.next + 1) % len(c.ring)
	c.Set(key, v)
}

// Drop takes out the entries whose keys are bad.
func (c *Cache[V]) Drop(bad func(key uint64) bool) {
	c.order.Lock()
	defer c.order.Unlock()
	for i, key := range c.ring {
		if key != 0 && bad(key) {
			c.ring[i] = 0
			c.Set(key, nil)
		}
	}
}
