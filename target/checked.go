package target

import (
	"fmt"
	"unsafe"

	"github.com/activepebbles/pebbles/internal/engine"
)

// Builds with -race or -tags pebbles_check check the duties of handlers and key functions: see engine.Checked.

// poisoned fills the bytes of a batch once its handler, which must not keep it, has returned.
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

// keyedTwice is the number of chunks for each chunk whose keys are computed twice.
const keyedTwice = 8

// checkKeys ends the job if the key function now returns other keys than before.
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

// ofBatch names the pebbles of a handler's batch by the first.
func ofBatch(n int, first any) string {
	if n == 1 {
		return " with pebble " + pebbleText(first)
	}
	return fmt.Sprintf(" with a batch of %d pebbles from %s on", n, pebbleText(first))
}
