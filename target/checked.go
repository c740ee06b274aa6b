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
func (e *element) poison(vs pebbles) {
	if e.coder != nil {
		e.forget(vs.at, vs.n)
		return
	}
	all := unsafe.Slice((*byte)(vs.at), vs.n*e.size)
	for i := range all {
		all[i] = poisoned
	}
}

// keyedTwice is of how many chunks of pebbles the keys of one are worked out twice.
const keyedTwice = 8

// checkKeys ends the job when the key function gives other keys now than it has just given.
func (a *addressing) checkKeys(vs pebbles, keys []uint64) {
	if a.keyings++; a.keyings%keyedTwice != 1 {
		return
	}
	if cap(a.rekeyed) < len(keys) {
		a.rekeyed = make([]uint64, max(chunk, len(keys)))
	}
	again := a.rekeyed[:len(keys)]
	a.keys(vs, again)
	for i := range keys {
		if again[i] != keys[i] {
			failKeyedTwice(a.core.engine, keys[i], again[i], a.core.element.value(vs, i))
		}
	}
}

func failKeyedTwice(t *engine.Target, key, again uint64, pebble any) {
	t.Fail(fmt.Errorf("its key function gives key %d and then %d for pebble %s: a key may "+
		"depend on its pebble alone", key, again, pebbleText(pebble)))
}

// Pebble implements engine.Endpoint.
func (c *core) Pebble() string {
	vs := c.running.vs
	c.running.vs = pebbles{}
	if vs.n == 0 {
		return ""
	}
	if at := c.running.at; at >= 0 && at < vs.n {
		return ofBatch(1, c.element.value(vs, at))
	}
	return ofBatch(vs.n, c.element.value(vs, 0))
}

// ofBatch names the pebbles that a handler has, by their first.
func ofBatch(n int, first any) string {
	if n == 1 {
		return " with pebble " + pebbleText(first)
	}
	return fmt.Sprintf(" with a batch of %d pebbles from %s on", n, pebbleText(first))
}
