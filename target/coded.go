package target

import (
	"encoding/binary"
	"errors"
	"fmt"
	"unsafe"

	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/reduce"
)

// coded carries pebbles through a codec. In a frame, a pebble is a record: its key, its length, its bytes. So a hop can
// pass it on without decoding it.
type coded struct {
	core    *core
	codec   *coder
	records [chunk][]byte // records of a frame that has arrived
}

const (
	recordHead    = 12       // size of key and length
	codedBytesMax = 64 << 10 // size of a frame, unless one record needs more
)

// put puts pebbles into their lanes. Those for this rank are encoded only for the queue.
func (c *coded) put(o *origin, vs pebbles, lanes []uint32) {
	self, e := uint32(c.core.out.Plan.Self), &c.core.element
	for i := range vs.n {
		v := e.index(vs.at, i)
		if lanes[i] == self && !o.Queued {
			e.copyOne(o.Home.Append(e.size), v)
			continue
		}
		c.core.out.PutRecord(&o.Origin, int(lanes[i]), c.encode(o, v, o.keys[i]))
	}
}

// queue queues pebbles for this rank. It overwrites keys.
func (c *coded) queue(o *origin, vs pebbles, keys []uint64) {
	c.core.keys(vs, keys)
	for i := range vs.n {
		c.core.out.PutRecord(&o.Origin, c.core.out.Plan.Self, c.encode(o, c.core.element.index(vs.at, i), keys[i]))
	}
}

// encode makes a record of a pebble, in its origin's memory.
func (c *coded) encode(o *origin, v unsafe.Pointer, key uint64) []byte {
	b := binary.LittleEndian.AppendUint64(o.record[:0], key)
	b = append(b, 0, 0, 0, 0)
	b, err := c.codec.encode(b, v)
	if err == nil && len(b) > netio.FrameBytesMax {
		err = fmt.Errorf("%d bytes are more than the %d that a frame can hold: send it in parts", len(b),
			netio.FrameBytesMax)
	}
	if err != nil {
		c.core.engine.Fail(fmt.Errorf("encode a pebble for key %d: %w", key, err))
	}
	o.record = b
	binary.LittleEndian.PutUint32(b[8:], uint32(len(b)-recordHead))
	return b
}

var errRecord = errors.New("its records are cut short")

// arrive delivers the pebbles of a frame, a chunk at a time.
func (c *coded) arrive(f *netio.Frame) error {
	o := c.core.hop.ready()
	rest := f.Payload()
	for left := int(f.Count); left > 0; {
		n := min(left, chunk)
		left -= n
		var err error
		for i := range n {
			if o.keys[i], c.records[i], rest, err = cut(rest); err != nil {
				return err
			}
		}
		if err := c.dispatch(o, n); err != nil {
			return err
		}
	}
	if len(rest) != 0 {
		return errRecord
	}
	return nil
}

// dispatch decodes and handles the pebbles that are home, and sends the records of the others on. Only records that
// meet the cache are decoded on the way.
func (c *coded) dispatch(o *origin, n int) error {
	advice, self := c.core.adviceAtHop(n), uint32(c.core.out.Plan.Self)
	lanes := c.core.lanesOf(o, o.keys[:n])
	o.Depth = c.core.engine.ThisDepth()
	home, away, err := c.decode(o, lanes, self, advice == reduce.Use)
	if err != nil {
		return err
	}
	if advice == reduce.Watch {
		c.core.watch(o.keys[:n], lanes)
	}
	o.Home.SetLen(home)
	if advice == reduce.Use {
		c.core.reducedAtHop(o, away)
		c.core.element.forget(o.away.at, away)
	} else {
		for i, l := range lanes {
			if l != self {
				c.core.out.PutRecord(&o.Origin, int(l), c.records[i])
			}
		}
		c.core.engine.Count.Forwarded += uint64(n - home)
	}
	c.core.runHome(o)
	return nil
}

// decode decodes the pebbles that are home into o.home. If all is set, it decodes the others into o.away, with their
// keys at the front of o.keys.
func (c *coded) decode(o *origin, lanes []uint32, self uint32, all bool) (home, away int, err error) {
	e := &c.core.element
	for i, l := range lanes {
		var v unsafe.Pointer
		switch {
		case l == self:
			v = e.index(o.home.at, home)
			home++
		case all:
			v = e.index(o.away.at, away)
			o.keys[away] = o.keys[i]
			away++
		default:
			continue
		}
		if err := c.codec.decode(c.records[i][recordHead:], v); err != nil {
			return 0, 0, fmt.Errorf("decode a pebble for key %d: %w", o.keys[i], err)
		}
	}
	return home, away, nil
}

// cut splits off the first record.
func cut(b []byte) (key uint64, record, rest []byte, err error) {
	if len(b) < recordHead {
		return 0, nil, nil, errRecord
	}
	n := recordHead + int(binary.LittleEndian.Uint32(b[8:]))
	if n > len(b) {
		return 0, nil, nil, errRecord
	}
	return binary.LittleEndian.Uint64(b), b[:n], b[n:], nil
}
