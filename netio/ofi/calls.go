package ofi

import (
	"errors"
	"fmt"

	"github.com/activepebbles/pebbles/internal/pending"
	"github.com/activepebbles/pebbles/netio"
)

// call is one operation of the fabric that is in flight.
type call struct {
	kind    callKind
	peer    *peer
	slot    uint32 // of a packet, or of a piece of a transfer
	bytes   int
	slab    region
	mem     region // destination of a fetched frame
	fetch   fetching
	piece   []byte // of a transfer: a part of the rank's memory
	of      *transfer
	at, key uint64
}

// fetching is a frame whose payload is on its way.
type fetching struct {
	frame *netio.Frame
	from  reference
}

type callKind uint8

const (
	idleCall callKind = iota
	postSlab
	sendPacket
	fetchFrame
	putPiece
	getPiece
)

// calls are the calls in flight, by their tags.
type calls struct {
	table pending.Table[call]
	busy  []uint32 // refused by the busy fabric
	retry []uint32
}

const callsMax = 1 << 13

func (c *calls) full() bool { return c.table.Full(callsMax) }

// add adds a call. It reports false if the table is full.
func (c *calls) add(of call) (tag uint32, ok bool) {
	if c.full() {
		return 0, false
	}
	return c.table.Add(of), true
}

// abandon abandons all calls when the fabric is closed.
func (c *calls) abandon() {
	for _, at := range c.table.All() {
		if f := at.fetch.frame; f != nil {
			*at = call{} // its tag may still arrive
			f.Inside(access).Stale = true
			f.Inside(access).Pool.TakeBack(f)
		}
	}
}

// submit passes a call to the fabric, now or when the fabric has room.
func (w *Way) submit(tag uint32) {
	if len(w.calls.busy) > 0 || !w.try(tag) {
		w.calls.busy = append(w.calls.busy, tag)
	}
}

// retryAll retries the calls that the fabric has refused. A further refusal delays others only until the next look.
func (c *calls) retryAll(w *Way) {
	if len(c.busy) == 0 {
		return
	}
	c.retry, c.busy = c.busy, c.retry[:0]
	for i, tag := range c.retry {
		if !w.try(tag) {
			c.busy = append(c.busy, tag)
			if i >= retriesMax {
				c.busy = append(c.busy, c.retry[i+1:]...)
				return
			}
		}
	}
}

// retriesMax bounds the calls that one look repeats.
const retriesMax = 8

func (w *Way) try(tag uint32) (taken bool) {
	c := w.calls.table.At(tag)
	var err error
	switch c.kind {
	case postSlab:
		err = w.fabric.Post(c.slab.mem, c.slab, tag)
	case sendPacket:
		mem, r := w.slots.at(c.slot)
		err = w.fabric.Send(c.peer.endpoint, mem[:c.bytes], r, tag)
	case fetchFrame:
		err = w.fabric.Get(c.peer.endpoint, c.fetch.frame.Payload(), c.mem, c.fetch.from.at, c.fetch.from.key, tag)
	case putPiece:
		mem, r := w.slots.at(c.slot)
		err = w.fabric.Put(c.peer.endpoint, mem[:c.bytes], r, c.at, c.key, tag)
	case getPiece:
		mem, r := w.slots.at(c.slot)
		err = w.fabric.Get(c.peer.endpoint, mem[:c.bytes], r, c.at, c.key, tag)
	}
	if errors.Is(err, errBusy) {
		return false
	}
	if err != nil {
		w.ended(&event{tag: tag, err: err})
	}
	return true
}

// ended handles an event.
func (w *Way) ended(e *event) {
	at := w.calls.table.At(e.tag)
	if at == nil {
		return
	}
	c := *at
	switch c.kind {
	case postSlab:
		if e.err != nil {
			w.failUnlessTold(fmt.Errorf("receive: %w", e.err))
			return
		}
		if e.packet != nil {
			w.arrived(e.packet)
		}
		if e.left {
			w.submit(e.tag) // its contents have been copied
		}
		return
	case sendPacket:
		w.slots.release(c.slot)
	case fetchFrame:
		w.calls.table.Remove(e.tag)
		c.peer.fetched(c.fetch, e.err)
		return
	case putPiece, getPiece:
		w.calls.table.Remove(e.tag)
		w.moved(c, e.err)
		return
	default:
		return
	}
	w.calls.table.Remove(e.tag)
	if e.err != nil {
		w.loseUnlessTold(c.peer, e.err)
	}
	w.resume()
}
