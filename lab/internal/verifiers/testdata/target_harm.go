package target

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"unsafe"
)

// A broken build contains this file and calls of it. The environment selects the harm: HARM is the fault, HARM_AT lists
// parts of the names of the affected targets, HARM_KEY is a key, and HARM_AFTER is the number of earlier chances.
var (
	harm         = os.Getenv("HARM")
	harmAt       = strings.Split(os.Getenv("HARM_AT"), ",")
	harmKey      = os.Getenv("HARM_KEY")
	harmAfter, _ = strconv.ParseInt(os.Getenv("HARM_AFTER"), 10, 64)
	chances      atomic.Int64
)

// harms reports whether a fault happens to this target.
func (c *core) harms(fault string) bool {
	return harm == fault &&
		slices.ContainsFunc(harmAt, func(part string) bool { return strings.Contains(c.spec.name, part) })
}

// done records that a fault has happened, and reports whether this was the chance for it.
func done() bool {
	first := chances.Add(1) == harmAfter+1
	if first {
		fmt.Fprintln(os.Stderr, "harm is done")
	}
	return first
}

// run replaces the run of core, which is called sound here.
func (c *core) run(vs pebbles) {
	n, size := vs.n, c.element.size
	handled := &c.engine.Count.PebblesHandled
	switch {
	case n == 0:
	case c.harms("one lost") && done():
		vs = c.element.rest(vs, 1)
	case c.harms("one lost, but counted") && done():
		vs = c.element.rest(vs, 1)
		*handled++
	case c.harms("one twice") && done():
		c.sound(c.cloned(vs.first(1)))
	case c.harms("each three times"):
		done()
		c.sound(c.cloned(vs))
		c.sound(c.cloned(vs))
	case c.harms("each three times, but counted once"):
		done()
		c.sound(c.cloned(vs))
		c.sound(c.cloned(vs))
		*handled -= uint64(2 * n)
	case c.harms("one lost, another twice") && n > 1 && !bytes.Equal(c.bytesOf(vs)[:size], c.bytesOf(vs)[size:2*size]) &&
		done():
		c.element.copyOne(c.element.index(vs.at, 1), vs.at)
	case c.harms("altered"):
		done()
		c.bytesOf(vs)[min(size-4, 20)] ^= 1 // of the pebble's contents, or else of its key
	case c.harms("all to one key lost"):
		key, _ := strconv.ParseUint(harmKey, 10, 64)
		keys := make([]uint64, 1)
		vs.n = 0
		for i := range n {
			v := c.element.rest(pebbles{vs.at, n}, i).first(1)
			if c.keys(v, keys); keys[0] != key {
				c.element.copyOne(c.element.index(vs.at, vs.n), v.at)
				vs.n++
			}
		}
		if vs.n < n {
			done()
		}
	}
	if vs.n > 0 {
		c.sound(vs)
	}
}

// cloned returns a copy of some pebbles.
func (c *core) cloned(vs pebbles) pebbles {
	clone := pebbles{c.element.room(vs.n), vs.n}
	c.element.copy(clone.at, vs.at, vs.n)
	return clone
}

// bytesOf returns the memory of some pebbles.
func (c *core) bytesOf(vs pebbles) []byte { return unsafe.Slice((*byte)(vs.at), vs.n*c.element.size) }

// misplace changes the owners of sent pebbles.
func (c *core) misplace(owners []uint32) {
	ranks := uint32(c.engine.Rank.Size())
	switch {
	case c.harms("all at the next rank"):
		done()
		for i := range owners {
			owners[i] = (owners[i] + 1) % ranks
		}
	case c.harms("one at the next rank") && len(owners) > 0 && done():
		owners[0] = (owners[0] + 1) % ranks
	}
}

// forgotten reports whether a pebble is lost before it is counted as sent.
func (c *core) forgotten() bool { return c.harms("one never sent") && done() }
