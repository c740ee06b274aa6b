package target

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/activepebbles/pebbles/coalesce"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/reduce"
)

// coded carries pebbles through a codec. A pebble lies in a frame as a record: its key, its length, its bytes; so that
// a hop can pass it on without decoding it.
type coded[V any] struct {
	core    *core[V]
	codec   Codec[V]
	records [chunk][]byte // of a frame that has arrived
}

const (
	recordHead    = 12       // bytes of key and length
	codedBytesMax = 64 << 10 // of a frame, unless one record needs more
)

func (c *coded[V]) blanks(lanes int) []coalesce.Lane { return make([]coalesce.Lane, lanes+1) }

func (c *coded[V]) scatter(s *scratch[V], vs []V, lanes []uint32, inHandler bool) {
	for i, v := range vs {
		c.put(s, v, s.keys[i], int(lanes[i]), inHandler)
	}
}

func (c *coded[V]) keep(s *scratch[V], vs []V, keys []uint64, inHandler bool) {
	c.core.keying.many(vs, keys)
	for i, v := range vs {
		c.put(s, v, keys[i], c.core.out.Plan.Self, inHandler)
	}
}

// put takes a pebble to a lane. What goes to this rank's own is encoded only for the queue.
func (c *coded[V]) put(s *scratch[V], v V, key uint64, l int, inHandler bool) {
	switch {
	case l != c.core.out.Plan.Self:
		c.putRecord(c.encode(s, v, key), l, inHandler)
	case c.core.out.Queue.Installed:
		c.core.out.EnqueueRecord(c.encode(s, v, key))
	default:
		coalesce.Put(c.core.out.Own(), v)
	}
}

// encode makes a pebble a record, in the scratch.
func (c *coded[V]) encode(s *scratch[V], v V, key uint64) []byte {
	b := binary.LittleEndian.AppendUint64(s.record[:0], key)
	b = append(b, 0, 0, 0, 0)
	b, err := c.codec.Append(b, v)
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
func (c *coded[V]) putRecord(record []byte, l int, inHandler bool) {
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
func (c *coded[V]) arrived(f *netio.Frame, home bool) error {
	s := c.core.hop.ready()
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
func (c *coded[V]) sortRecords(s *scratch[V], n int) error {
	advice, self := c.core.adviceAtHop(n), uint32(c.core.out.Plan.Self)
	lanes := c.core.lanesOf(s, s.keys[:n])
	home, away := 0, 0
	for i, l := range lanes {
		if l != self && advice != reduce.Use {
			continue
		}
		v, err := c.codec.Decode(c.records[i][recordHead:])
		if err != nil {
			return fmt.Errorf("decode a pebble for key %d: %w", s.keys[i], err)
		}
		if l == self {
			s.vs[home] = v
			home++
			continue
		}
		s.away[away], s.keys[away] = v, s.keys[i]
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
		c.core.run(s.vs[:home])
	}
	s.clear(home, away)
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
