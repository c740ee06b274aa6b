package target

import (
	"encoding/binary"
	"errors"
	"fmt"
	"unsafe"

	"github.com/activepebbles/pebbles/coalesce"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/reduce"
)

// coded carries pebbles through a codec. A pebble lies in a frame as a record: its key, its length, its bytes; so that
// a hop can pass it on without decoding it.
type coded struct {
	core    *core
	codec   *coder
	records [chunk][]byte // of a frame that has arrived
}

const (
	recordHead    = 12       // bytes of key and length
	codedBytesMax = 64 << 10 // of a frame, unless one record needs more
)

func (c *coded) blanks(lanes int) []coalesce.Lane { return make([]coalesce.Lane, lanes+1) }

func (c *coded) scatter(s *scratch, vs pebbles, lanes []uint32, inHandler bool) {
	for i := range vs.n {
		c.put(s, c.core.element.index(vs.at, i), s.keys[i], int(lanes[i]), inHandler)
	}
}

func (c *coded) keep(s *scratch, vs pebbles, keys []uint64, inHandler bool) {
	c.core.keys(vs, keys)
	for i := range vs.n {
		c.put(s, c.core.element.index(vs.at, i), keys[i], c.core.out.Plan.Self, inHandler)
	}
}

// put takes a pebble to a lane. What goes to this rank's own is encoded only for the queue.
func (c *coded) put(s *scratch, v unsafe.Pointer, key uint64, l int, inHandler bool) {
	switch {
	case l != c.core.out.Plan.Self:
		c.putRecord(c.encode(s, v, key), l, inHandler)
	case c.core.out.Queue.Installed:
		c.core.out.EnqueueRecord(c.encode(s, v, key))
	default:
		c.codec.copy(c.core.out.Own().Append(c.core.element.size), v, 1)
	}
}

// encode makes a pebble a record, in the scratch.
func (c *coded) encode(s *scratch, v unsafe.Pointer, key uint64) []byte {
	b := binary.LittleEndian.AppendUint64(s.record[:0], key)
	b = append(b, 0, 0, 0, 0)
	b, err := c.codec.encode(b, v)
	if err == nil && len(b) > netio.FrameBytesMax {
		err = fmt.Errorf("%d bytes are more than the %d that a frame can hold: send it in parts", len(b),
			netio.FrameBytesMax)
	}
	if err != nil {
		c.core.engine.Fail(fmt.Errorf("encode a pebble for key %d: %w", key, err))
	}
	s.record = b
	binary.LittleEndian.PutUint32(b[8:], uint32(len(b)-recordHead))
	return b
}

// putRecord appends a record to the lane of another rank. The record must not be in the memory of the side's scratch
// that handlers use.
func (c *coded) putRecord(record []byte, l int, inHandler bool) {
	if c.core.mixedDepths() {
		c.core.out.SplitByDepth(l)
	}
	c.core.supply(l, len(record), inHandler)
	if c.core.out.AddRecord(l, record) {
		c.core.out.SendFull(l)
		c.core.awaitCredit(l, inHandler)
	}
}

var errRecord = errors.New("its records are cut short")

// arrived takes in the pebbles of a frame, a chunk at a time.
func (c *coded) arrived(f *netio.Frame, home bool) error {
	s := c.core.hop.ready(&c.core.element)
	rest := f.Payload()
	for left := int(f.Count); left > 0; {
		n := min(left, chunk)
		left -= n
		var err error
		for i := range n {
			if s.keys[i], c.records[i], rest, err = cut(rest); err != nil {
				return err
			}
		}
		if err := c.sortRecords(s, n); err != nil {
			return err
		}
	}
	if len(rest) != 0 {
		return errRecord
	}
	return nil
}

// sortRecords decodes and handles the pebbles that are home, and passes the records of the others on: undecoded, unless
// they meet the cache.
func (c *coded) sortRecords(s *scratch, n int) error {
	e := &c.core.element
	advice, self := c.core.adviceAtHop(n), uint32(c.core.out.Plan.Self)
	lanes := c.core.lanesOf(s, s.keys[:n])
	home, away := 0, 0
	for i, l := range lanes {
		if l != self && advice != reduce.Use {
			continue
		}
		v := e.index(s.away.at, away)
		if l == self {
			v = e.index(s.home.at, home)
		}
		if err := c.codec.decode(c.records[i][recordHead:], v); err != nil {
			return fmt.Errorf("decode a pebble for key %d: %w", s.keys[i], err)
		}
		if l == self {
			home++
			continue
		}
		s.keys[away] = s.keys[i]
		away++
	}
	if advice == reduce.Watch {
		c.core.watch(s.keys[:n], lanes)
	}
	if home < n {
		c.core.out.Now = c.core.engine.ThisDepth()
		did := c.core.passOn(n - home)
		if advice == reduce.Use {
			c.core.reducedAtHop(s, away)
		} else {
			for i, l := range lanes {
				if l != self {
					c.putRecord(c.records[i], int(l), true)
				}
			}
		}
		c.core.passedOn(did)
	}
	if home > 0 {
		c.core.run(s.home.first(home))
	}
	s.forget(e, home, away)
	return nil
}

// cut takes the first record off.
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
