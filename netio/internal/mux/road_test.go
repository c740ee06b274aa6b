package mux

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/activepebbles/pebbles/internal/frame"
	"github.com/activepebbles/pebbles/internal/handshake"
	"github.com/activepebbles/pebbles/internal/pending"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/internal/idle"
	"github.com/activepebbles/pebbles/netio/internal/way"
)

// road is a way between the processes of a test, which run in one process. Send copies a frame into the receiver's
// queue. A road refuses frames at a fixed interval, and links the processes of one place.
type road struct {
	name        string
	offer       handshake.Offer
	refuseEvery int // 0 means never
	place       netio.Place
	ports       []*roadPort
	unmet       error // error of Meet
	closed      atomic.Int32

	mu             sync.Mutex
	links          map[int]*road // by process
	sent           pending.Table[passage]
	asked, crossed int
}

// passage is a frame that a rank of another process has not released.
type passage struct {
	frame   *netio.Frame
	process int
}

// roads are all open roads, by address.
var roads sync.Map

func newRoad(c *way.Config, name, place string, refuseEvery int) *road {
	r := &road{name: name, refuseEvery: refuseEvery, place: c.Place, links: make(map[int]*road)}
	r.offer = handshake.Offer{Place: place, Address: fmt.Sprintf("%s of process %d at %p", name, c.Place.Process, r)}
	for range c.Place.Last - c.Place.First {
		r.ports = append(r.ports, &roadPort{road: r, pool: netio.NewPool(lender{road: r})})
	}
	roads.Store(r.offer.Address, r)
	return r
}

func (r *road) Name() string           { return r.name }
func (r *road) Offer() handshake.Offer { return r.offer }
func (r *road) OnHost(int) bool        { return true }
func (r *road) Local() bool            { return false }
func (r *road) LooksAtMemory() bool    { return true }
func (r *road) Port(rank int) way.Port { return r.ports[rank-r.place.First] }
func (r *road) Close(bool)             { r.closed.Add(1); roads.Delete(r.offer.Address) }
func (r *road) counts() (asked, taken int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.asked, r.crossed
}

func (r *road) Meet(_ context.Context, line way.LifeLine, addresses map[int]string) error {
	for i, p := range line.Ports() {
		r.ports[i].parking = p.Parking()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for process, address := range addresses {
		if to, ok := roads.Load(address); ok {
			r.links[process] = to.(*road)
		}
	}
	return r.unmet
}

// Unlink returns the frames that will not be released.
func (r *road) Unlink(process int) {
	r.mu.Lock()
	delete(r.links, process)
	var home []*netio.Frame
	for n, at := range r.sent.All() {
		if at.process == process {
			home = append(home, r.sent.Remove(n).frame)
		}
	}
	r.mu.Unlock()
	for _, f := range home {
		f.Release()
	}
}

// enter returns the road that takes a frame, and the frame's number.
func (r *road) enter(f *netio.Frame, process int) (to *road, n uint32) {
	r.mu.Lock()
	defer r.mu.Unlock()
	to = r.links[process]
	if to == nil {
		return nil, 0
	}
	if r.asked++; r.refuseEvery > 0 && r.asked%r.refuseEvery == 0 {
		return nil, 0
	}
	r.crossed++
	return to, r.sent.Add(passage{f, process})
}

// released is called by the process that has received a frame.
func (r *road) released(n uint32, process int) {
	r.mu.Lock()
	at := r.sent.At(n)
	if at == nil || at.process != process {
		r.mu.Unlock()
		return
	}
	f := r.sent.Remove(n).frame
	r.mu.Unlock()
	f.Release()
}

// roadPort is one rank's end of a road.
type roadPort struct {
	road    *road
	pool    *netio.Pool // of received frames
	parking *idle.Parking
	asleep  atomic.Bool
	waiting atomic.Int64

	mu    sync.Mutex
	queue []parcel
	taken int // index in the queue
}

// parcel is a copy of a frame.
type parcel struct {
	header  netio.Header
	payload []byte
	sender  int // process
	number  uint32
}

func (p *roadPort) Memory(int) []byte   { return nil }
func (p *roadPort) Drop(*netio.Frame)   {}
func (p *roadPort) Gather()             {}
func (p *roadPort) Leave()              { p.asleep.Store(false) }
func (p *roadPort) Look(times int) bool { return p.waiting.Load() > 0 }

func (p *roadPort) Announce() bool {
	p.asleep.Store(true)
	return p.waiting.Load() > 0
}

func (p *roadPort) Send(f *netio.Frame) bool {
	to, n := p.road.enter(f, p.road.place.ProcessOf(int(f.To)))
	if to == nil {
		return false
	}
	q := to.ports[int(f.To)-to.place.First]
	q.put(f, p.road.place.Process, n)
	if q.asleep.Load() {
		q.parking.Wake()
	}
	return true
}

// put copies a frame into a parcel, which may reuse the memory of an earlier one.
func (p *roadPort) put(f *netio.Frame, sender int, n uint32) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.queue) == cap(p.queue) {
		p.queue = append(p.queue, parcel{})
	} else {
		p.queue = p.queue[:len(p.queue)+1]
	}
	at := &p.queue[len(p.queue)-1]
	at.header, at.payload, at.sender, at.number = f.Header, append(at.payload[:0], f.Payload()...), sender, n
	p.waiting.Add(1)
}

func (p *roadPort) Recv() *netio.Frame {
	if p.waiting.Load() == 0 {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	at := &p.queue[p.taken]
	f := p.pool.Get(len(at.payload))
	f.Header = at.header
	copy(f.Payload(), at.payload)
	in := f.Inside(access)
	in.Sender, in.Received = uint32(at.sender), frame.Number(at.number)
	if p.taken++; p.taken == len(p.queue) {
		p.queue, p.taken = p.queue[:0], 0
	}
	p.waiting.Add(-1)
	return f
}

// lender is the keeper of the pool of received frames.
type lender struct {
	netio.Heap
	road *road
}

// Release implements [netio.Keeper].
func (l lender) Release(pool *netio.Pool, f *netio.Frame) {
	in := f.Inside(access)
	process, n := int(in.Sender), uint32(in.Received)
	pool.TakeBack(f)
	l.road.mu.Lock()
	to := l.road.links[process]
	l.road.mu.Unlock()
	if to != nil {
		to.released(n, l.road.place.Process)
	}
}
