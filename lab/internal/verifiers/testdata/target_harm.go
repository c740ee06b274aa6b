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

// A broken build has this file, and calls of it. The environment says what goes wrong: HARM is the fault, HARM_AT are the targets
// to which it happens, by parts of their names, and HARM_KEY a key.
var (
	harm     = os.Getenv("HARM")
	harmAt   = strings.Split(os.Getenv("HARM_AT"), ",")
	harmKey  = os.Getenv("HARM_KEY")
	harmDone atomic.Bool
)

// harms reports whether a fault happens to this target.
func (c *core[V]) harms(fault string) bool {
	return harm == fault && slices.ContainsFunc(harmAt, func(part string) bool { return strings.Contains(c.made.name, part) })
}

// done notes that a fault has happened, and reports whether it was the first time.
func done() bool {
	first := harmDone.CompareAndSwap(false, true)
	if first {
		fmt.Fprintln(os.Stderr, "harm is done")
	}
	return first
}

// run stands for the run of core, which is called sound here.
func (c *core[V]) run(vs []V) {
	n := len(vs)
	handled := &c.engine.Count.PebblesHandled
	switch {
	case n == 0:
	case c.harms("one lost") && done():
		vs = vs[1:]
	case c.harms("one lost, but counted") && done():
		vs = vs[1:]
		*handled++
	case c.harms("one twice") && done():
		c.sound(slices.Clone(vs[:1]))
	case c.harms("each three times"):
		done()
		c.sound(slices.Clone(vs))
		c.sound(slices.Clone(vs))
	case c.harms("each three times, but counted once"):
		done()
		c.sound(slices.Clone(vs))
		c.sound(slices.Clone(vs))
		*handled -= uint64(2 * n)
	case c.harms("one lost, another twice") && n > 1 && !bytes.Equal(bytesOf(&vs[0]), bytesOf(&vs[1])) && done():
		vs[1] = vs[0]
	case c.harms("altered"):
		done()
		b := bytesOf(&vs[0])
		b[min(len(b)-4, 20)] ^= 1 // of what the pebble carries, or, if that is nothing but its key, of the key
	case c.harms("all to one key lost"):
		key, _ := strconv.ParseUint(harmKey, 10, 64)
		keys := make([]uint64, 1)
		vs = slices.DeleteFunc(vs, func(v V) bool {
			c.keying.many([]V{v}, keys)
			return keys[0] == key
		})
		if len(vs) < n {
			done()
		}
	}
	if len(vs) > 0 {
		c.sound(vs)
	}
}

func bytesOf[V any](v *V) []byte { return unsafe.Slice((*byte)(unsafe.Pointer(v)), unsafe.Sizeof(*v)) }

// misplace changes who owns pebbles that are sent.
func (c *core[V]) misplace(owners []uint32) {
	ranks := uint32(c.engine.Size())
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
func (c *core[V]) forgotten() bool { return c.harms("one never sent") && done() }
