package engine

import (
	"fmt"
	"time"
	"unsafe"

	"github.com/activepebbles/pebbles/coalesce"
	"github.com/activepebbles/pebbles/internal/scenario"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/route"
)

// pebble is a pebble of a scenario: it goes to a rank, whose handler sends the rest of its chain on to the next rank.
type pebble struct {
	to, chain uint16 // chain is the number of pebbles that follow it
	number    uint32
}

// inbox is the target of scenarios on one rank.
type inbox struct {
	*Target
	m       *member
	out     coalesce.Outbox
	body    coalesce.Origin // of the main function, which waits
	handler coalesce.Origin
	ends    int // epochs that have ended
}

// register registers a target, with its lanes.
func (m *member) register(name string, t route.Topology, factor int, d Description) {
	b := &inbox{m: m, handler: coalesce.Origin{Queued: true}}
	b.body.Waiter = b
	d.Name, d.Topology, d.Pebble, d.Frame = name, t, 8, 8*factor
	if d.Schema == "" {
		d.Schema = "pebble"
	}
	d.Settings = fmt.Sprintf("topology %s, coalescing %d", t.Name(), factor)
	b.Target = m.rank.Register(d, b, &b.out)
	b.open(t, factor)
	m.inboxes[name] = b
}

func (b *inbox) open(t route.Topology, factor int) {
	b.out.Open(b.Sender, b.Label, t, coalesce.Shape{Unit: 8, MaxUnits: factor, Factor: factor})
}

// AwaitCredit implements coalesce.Waiter.
func (b *inbox) AwaitCredit(lane int) { b.Target.AwaitCredit(lane) }

// AwaitBudget implements coalesce.Waiter.
func (b *inbox) AwaitBudget(bytes int) { b.Target.AwaitBudget(bytes) }

// send sends pebbles, as the main function or as the running handler.
func (b *inbox) send(p pebble, n int) {
	b.EnterSend()
	from := &b.body
	if b.Rank.InHandler() {
		from = &b.handler
	}
	b.Begin()
	if from == &b.body {
		b.Sent(n)
	}
	b.Count.PebblesSent += uint64(n)
	from.Depth = b.NextDepth()
	for range n {
		b.put(from, p)
		p.number++
	}
	if from == &b.body {
		b.HandleQueued()
	}
	b.End()
}

// put puts a pebble into the lane of its next hop. The main function handles those for its own rank.
func (b *inbox) put(from *coalesce.Origin, p pebble) {
	l := b.lane(p)
	if l == b.out.Plan.Self && !from.Queued {
		b.handle([]pebble{p})
		return
	}
	b.out.Put(from, unsafe.Pointer(&p), []uint32{uint32(l)})
}

func (b *inbox) lane(p pebble) int {
	var lanes [1]uint32
	b.out.Plan.Fill([]uint32{uint32(p.to)}, lanes[:])
	return int(lanes[0])
}

// handle is the handler.
func (b *inbox) handle(vs []pebble) {
	depth := ""
	before := b.Handle(len(vs))
	if b.Rank.limit > 0 {
		depth = fmt.Sprintf(" of depth %d", b.Rank.depth)
	}
	for _, p := range vs {
		b.m.say("handles pebble %d%s", p.number, depth)
		if p.chain == 1<<16-1 {
			panic("a pebble that nobody can handle")
		}
		if p.chain > 0 {
			b.send(pebble{uint16((b.m.id + 1) % b.Rank.Size()), p.chain - 1, p.number}, 1)
		}
	}
	b.Handled(before)
}

// take handles the pebbles of a frame that are home, and passes the others on.
func (b *inbox) take(f *netio.Frame) {
	var home []pebble
	for _, p := range netio.Values[pebble](f, int(f.Count)) {
		if int(p.to) == b.m.id {
			home = append(home, p)
			continue
		}
		b.handler.Depth = b.ThisDepth()
		b.put(&b.handler, p)
		b.Count.Forwarded++
	}
	if home != nil {
		b.handle(home)
	}
}

// Deliver implements Endpoint.
func (b *inbox) Deliver(f *netio.Frame) (bool, error) {
	if int(f.Bytes) != 8*int(f.Count) {
		return true, fmt.Errorf("it holds %d bytes for %s", f.Bytes, scenario.Count(f.Count, "pebble"))
	}
	if !b.out.Accepts(f) {
		b.m.say("can't take in %s from rank %d", scenario.Count(f.Count, "pebble"), f.From)
		return false, nil
	}
	b.take(f)
	return true, nil
}

// again delivers pebbles of this rank to itself.
func (b *inbox) again(f *netio.Frame) {
	before := b.Handle(0)
	b.Handling(f.Flags)
	b.take(f)
	b.Handled(before)
}

// Drain implements Endpoint.
func (b *inbox) Drain() {
	all := b.out.TakeQueue()
	for f := all.Shift(); f != nil; f = all.Shift() {
		b.again(f)
		b.out.Dequeued(f)
	}
}

// Reroute implements Endpoint.
func (b *inbox) Reroute() error {
	all, err := b.out.Reroute()
	for f := all.Shift(); f != nil; f = all.Shift() {
		b.m.say("takes back %s", scenario.Count(f.Count, "pebble"))
		b.again(f)
		f.Release()
	}
	return err
}

// Flush implements Endpoint.
func (b *inbox) Flush(why coalesce.Reason, stage int) (sent, left bool) {
	before := b.Count.FramesSent
	left = b.out.Flush(why, stage)
	return b.Count.FramesSent != before, left
}

// Retune implements Endpoint.
func (b *inbox) Retune(s Setting) {
	b.m.say("target %q: topology %q, coalescing %d, cache %d", b.Name, s.Topology(b.Rank.Size()).Name(), s.Coalesce,
		s.Cache)
	if b.description.Tunes.Topology {
		b.Renew(s.Topology(b.Rank.Size()), 8*s.Coalesce, int64(8*s.Cache))
		b.open(s.Topology(b.Rank.Size()), s.Coalesce)
	}
}

// Holds implements Endpoint, like the methods below.
func (b *inbox) Holds() bool                { return b.out.Holds() }
func (b *inbox) FlushDue(now time.Duration) { b.out.FlushDue(now, false) }
func (b *inbox) AwaitRoom(any)              {}
func (b *inbox) EndEpoch()                  { b.ends++ }
func (b *inbox) Pebble() string             { return ", one of a scenario" }
