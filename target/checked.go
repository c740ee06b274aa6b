package target

import (
	"fmt"
	"unsafe"
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
			a.core.engine.Rank.Fail(fmt.Errorf("rank %d: target %q: its key function gives key %d and then %d "+
				"for pebble %s: a key may depend on its pebble alone", a.core.engine.ID(), a.core.out.Name, keys[i], again[i],
				cutText(fmt.Sprintf("%+v", vs[i]))))
		}
	}
}

// Pebble implements engine.Endpoint.
func (c *core[V]) Pebble() string {
	vs := c.running.vs
	c.running.vs = nil
	switch at := c.running.at; {
	case len(vs) == 0:
		return ""
	case at >= 0 && at < len(vs):
		return " with pebble " + cutText(fmt.Sprintf("%+v", vs[at]))
	case len(vs) == 1:
		return " with pebble " + cutText(fmt.Sprintf("%+v", vs[0]))
	}
	return fmt.Sprintf(" with a batch of %d pebbles from %s on", len(vs), cutText(fmt.Sprintf("%+v", vs[0])))
}
