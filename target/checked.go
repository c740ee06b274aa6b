package target

import (
	"fmt"
	"unsafe"

	"github.com/activepebbles/pebbles/internal/engine"
)

// Builds with -race or -tags pebbles_check look at what handlers and key functions promise: see engine.Checked.

// poisoned is what the bytes of a batch are once its handler has returned, which must not keep it.
const poisoned = 0xdb

// poison overwrites a batch that has been handled. Pebbles that may hold pointers become zero.
func poison[V any](vs []V, pointers bool) {
	if pointers {
		clear(vs)
		return
	}
	all := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(vs))), len(vs)*int(unsafe.Sizeof(*new(V))))
	for i := range all {
		all[i] = poisoned
	}
}

// keyedTwice is of how many chunks of pebbles the keys of one are worked out twice.
const keyedTwice = 8

// checkKeys ends the job when the key function gives other keys now than it has just given.
func (a *addressing[V]) checkKeys(vs []V, keys []uint64) {
	if a.keyings++; a.keyings%keyedTwice != 1 {
		return
	}
	if cap(a.rekeyed) < len(keys) {
		a.rekeyed = make([]uint64, max(chunk, len(keys)))
	}
	again := a.rekeyed[:len(keys)]
	a.keying.many(vs, again)
	for i := range keys {
		if again[i] != keys[i] {
			failKeyedTwice(a.core.engine, keys[i], again[i], vs[i])
		}
	}
}

func failKeyedTwice(t *engine.Target, key, again uint64, pebble any) {
	t.Rank.Fail(fmt.Errorf("rank %d: target %q: its key function gives key %d and then %d for pebble %s: a key may "+
		"depend on its pebble alone", t.ID(), t.Name, key, again, pebbleText(pebble)))
}

// Pebble implements engine.Endpoint.
func (c *core[V]) Pebble() string {
	vs := c.running.vs
	c.running.vs = nil
	if len(vs) == 0 {
		return ""
	}
	if at := c.running.at; at >= 0 && at < len(vs) {
		return ofBatch(1, vs[at])
	}
	return ofBatch(len(vs), vs[0])
}

// ofBatch names the pebbles that a handler has, by their first.
func ofBatch(n int, first any) string {
	if n == 1 {
		return " with pebble " + pebbleText(first)
	}
	return fmt.Sprintf(" with a batch of %d pebbles from %s on", n, pebbleText(first))
}
