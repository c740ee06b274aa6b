package target

import (
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/activepebbles/pebbles/coalesce"
	"github.com/activepebbles/pebbles/internal/engine"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/reduce"
	"github.com/activepebbles/pebbles/route"
)

// coded carries pebbles through a codec. A pebble lies in a frame as a record: its key, its length, its bytes; so that a
// hop can pass it on without decoding it.
type coded[V any] struct {
	core[V]
	codec  Codec[V]
	one    [1]V
	others map[string]*outbox // lanes of topologies that the target had before
}

const (
	recordHead    = 12       // bytes of key and length
	codedBytesMax = 64 << 10 // of a frame, unless one record needs more
	queueBytes    = 16 << 10 // of a frame of the queue, unless one record needs more
)

func (c *coded[V]) open(door *engine.Target, plan *route.Plan, factor int) {
	c.outbox.open(door, plan, 1, codedBytesMax, factor)
	c.blank, c.release = func(int) coalesce.Lane { return coalesce.Lane{} }, c.drain
	c.counts = make([]int32, len(plan.Lanes))
}

func (c *coded[V]) own() *coalesce.Lane { return &c.lanes[c.plan.Self] }

func (c *coded[V]) sendAll(vs []V) {
	inHandler := c.door.Enter()
	c.door.Begin(inHandler)
	for _, v := range vs {
		c.sendOne(v, inHandler)
	}
	c.door.End()
}

func (c *coded[V]) send(v V) {
	inHandler := c.door.Enter()
	c.door.Begin(inHandler)
	c.sendOne(v, inHandler)
	c.door.End()
}

func (c *coded[V]) sendOne(v V, inHandler bool) {
	c.door.Count().PebblesSent++
	if !inHandler {
		c.door.Spend(1) // which may let handlers run: first of all
	}
	c.now = c.door.NextDepth()
	s := c.side(inHandler)
	key := c.key(s, v)
	did := inHandler && c.queue.install(c.own())
	c.pass(s, v, key, c.laneOf(s, key), inHandler)
	c.queue.remove(c.own(), did)
	c.filled = true
	if !inHandler {
		c.door.Settle()
	}
}

// pass takes a pebble through the cache to its lane.
func (c *coded[V]) pass(s *scratch[V], v V, key uint64, l int, inHandler bool) {
	if l == c.plan.Self || !c.meets(s, key) {
		c.let(s, v, key, l, inHandler)
		return
	}
	c.reduced(s, v, key, inHandler)
}

// meets tells whether a pebble for another rank goes through the cache.
func (c *coded[V]) meets(s *scratch[V], key uint64) bool {
	advice := c.advice(1)
	if advice == reduce.Watch {
		s.keys[0] = key
		c.cache.Watch(s.keys[:1])
	}
	return advice == reduce.Use
}

// reduced takes a pebble through the cache, and what comes out to its lane.
func (c *coded[V]) reduced(s *scratch[V], v V, key uint64, inHandler bool) {
	c.regroup(inHandler)
	if v, key, ok := c.cache.FilterOne(v, key); ok {
		c.let(s, v, key, c.laneOf(s, key), inHandler)
	}
}

// let takes a pebble to its lane, or to the handler at once when the main function sends it to its own rank.
func (c *coded[V]) let(s *scratch[V], v V, key uint64, l int, inHandler bool) {
	if l == c.plan.Self && !inHandler {
		c.one[0] = v
		c.run(c.one[:])
		clear(c.one[:]) // let go of what the pebble points to
		return
	}
	c.put(s, c.record(s, v, key), l, inHandler)
}

// record encodes a pebble into the scratch.
func (c *coded[V]) record(s *scratch[V], v V, key uint64) []byte {
	b := binary.LittleEndian.AppendUint64(s.bytes[:0], key)
	b = append(b, 0, 0, 0, 0)
	b, err := c.codec.Append(b, v)
	if err == nil && len(b) > netio.FrameBytesMax {
		err = fmt.Errorf("%d bytes are more than the %d that a frame can hold: send it in parts", len(b), netio.FrameBytesMax)
	}
	if err != nil {
		c.door.Fail(fmt.Errorf("encode a pebble for key %d: %w", key, err))
	}
	s.bytes = b
	binary.LittleEndian.PutUint32(b[8:], uint32(len(b)-recordHead))
	return b
}

// put appends a record to a lane. The record must not be in the memory of the side's scratch that handlers use.
func (c *coded[V]) put(s *scratch[V], record []byte, l int, inHandler bool) {
	if l == c.plan.Self {
		c.enqueue(record)
		return
	}
	if c.minds() {
		c.apart(l)
	}
	if !c.fits(l, len(record)) {
		c.fit(l, len(record), inHandler)
	}
	lane := &c.lanes[l]
	copy(c.frames[l].Space()[lane.Len():], record)
	lane.Taken(lane.Len() + len(record))
	c.counts[l]++
	if int(c.counts[l]) >= c.factorOf(l) || lane.Len() >= c.mostOf(l) {
		c.emit(l, coalesce.Full)
		if !inHandler {
			now := c.now // handlers may run
			c.await(l)
			c.now = now
		}
	}
}

func (c *coded[V]) fits(l, bytes int) bool {
	return c.frames[l] != nil && len(c.frames[l].Space())-c.lanes[l].Len() >= bytes
}

// fit makes room in a lane for so many bytes.
func (c *coded[V]) fit(l, bytes int, inHandler bool) {
	if c.frames[l] != nil {
		if c.grow(l, c.lanes[l].Len()+bytes) {
			return
		}
		c.emit(l, coalesce.Full)
	}
	room := max(c.roomOf(l), bytes)
	if !inHandler {
		now := c.now // handlers may run
		c.door.Room(room)
		c.now = now
		if c.minds() {
			c.apart(l)
		}
	}
	if c.frames[l] == nil {
		c.attach(l, room)
	}
	if !c.fits(l, bytes) { // handlers have sent to the same lane meanwhile
		c.fit(l, bytes, inHandler)
	}
}

// enqueue appends a record to the queue of what handlers sent to this rank.
func (c *coded[V]) enqueue(record []byte) {
	q, own := &c.queue, c.own()
	if q.frame != nil && (len(q.frame.Space())-own.Len() < len(record) || c.door.Deep() && q.frame.Flags != c.now) {
		c.seal(own)
	}
	if q.frame == nil {
		q.frame = c.door.AttachQueue(max(queueBytes, len(record)))
		q.frame.Flags = c.now
		*own = coalesce.Over(q.frame.Base(), len(q.frame.Space()))
	}
	copy(q.frame.Space()[own.Len():], record)
	own.Taken(own.Len() + len(record))
	c.counts[c.plan.Self]++
}

func (c *coded[V]) seal(own *coalesce.Lane) {
	c.queue.seal(int(c.counts[c.plan.Self]), own.Len())
	c.counts[c.plan.Self] = 0
	*own = coalesce.Lane{}
}

// Deliver implements engine.Endpoint.
func (c *coded[V]) Deliver(f *netio.Frame) error { return c.arrived(f) }

// Drain implements engine.Endpoint.
func (c *coded[V]) Drain() {
	if c.queue.frame != nil {
		c.seal(&c.queue.lane)
	}
	all := c.queue.waiting.Move() // what handlers send from here on waits for the next time
	for f := all.Shift(); f != nil; f = all.Shift() {
		before := c.door.Handle(0)
		c.door.Handling(f.Flags)
		if err := c.arrived(f); err != nil {
			c.door.Fail(err)
		}
		c.door.Handled(before)
		c.door.DetachQueue(f)
	}
}

var errRecord = errors.New("its records are cut short")

// arrived handles the pebbles of a frame that are home, a chunk at a time, and passes the others on.
func (c *coded[V]) arrived(f *netio.Frame) error {
	s := c.hop.ready()
	home := 0
	rest := f.Payload()
	for range f.Count {
		key, record, err := c.next(&rest)
		if err != nil {
			return err
		}
		l := c.laneOf(s, key)
		if here := l == c.plan.Self; here || c.atHops && c.meets(s, key) {
			v, err := c.codec.Decode(record[recordHead:])
			if err != nil {
				return fmt.Errorf("decode a pebble for key %d: %w", key, err)
			}
			if here {
				s.vs[home] = v
				if home++; home == chunk {
					c.runHome(s, &home)
				}
				continue
			}
			c.forward(func() { c.reduced(s, v, key, true) })
			continue
		}
		c.forward(func() { c.put(s, record, l, true) })
	}
	c.runHome(s, &home)
	if len(rest) != 0 {
		return errRecord
	}
	return nil
}

func (c *coded[V]) next(rest *[]byte) (key uint64, record []byte, err error) {
	b := *rest
	if len(b) < recordHead {
		return 0, nil, errRecord
	}
	n := recordHead + int(binary.LittleEndian.Uint32(b[8:]))
	if n > len(b) {
		return 0, nil, errRecord
	}
	*rest = b[n:]
	return binary.LittleEndian.Uint64(b), b[:n], nil
}

func (c *coded[V]) runHome(s *scratch[V], home *int) {
	if *home > 0 {
		vs := s.vs[:*home]
		c.run(vs)
		clear(vs) // let go of what the pebbles point to
		*home = 0
	}
}

func (c *coded[V]) forward(pass func()) {
	c.door.Count().Forwarded++
	c.now = c.door.ThisDepth()
	did := c.queue.install(c.own())
	if !c.atHops {
		pass()
	} else {
		merged := c.cache.Merged()
		pass()
		c.door.Count().MergedAtHops += c.cache.Merged() - merged
	}
	c.queue.remove(c.own(), did)
	c.filled = true
}

// Flush implements engine.Endpoint.
func (c *coded[V]) Flush(why coalesce.Reason, stage int) (sent, left bool) {
	return c.flush(why, stage)
}

// Reroute implements engine.Endpoint.
func (c *coded[V]) Reroute() error { return c.reroute(c.arrived) }

// drain moves what the cache holds back into the lanes.
func (c *coded[V]) drain(inHandler bool) {
	if c.cache == nil || c.draining {
		return
	}
	c.draining = true
	before := c.now
	c.now = c.heldDepth
	s := c.drained.ready()
	did := inHandler && c.queue.install(c.own())
	for n := c.cache.Drain(s.away, s.keys); n > 0; n = c.cache.Drain(s.away, s.keys) {
		for i, v := range s.away[:n] {
			key := s.keys[i] // laneOf overwrites the first
			c.let(s, v, key, c.laneOf(s, key), inHandler)
		}
		clear(s.away[:n])
	}
	c.queue.remove(c.own(), did)
	c.now = before
	c.draining = false
	c.merged()
}

// FlushDue implements engine.Endpoint.
func (c *coded[V]) FlushDue(now time.Duration) {
	if c.look(now, c.held()) {
		c.Flush(coalesce.Due, engine.AllStages)
	}
}
