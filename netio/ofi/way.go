package ofi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/activepebbles/pebbles/internal/handshake"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/internal/inflight"
	"github.com/activepebbles/pebbles/netio/internal/way"
)

// Way is the way between processes that a fabric connects. All ranks of a process share its endpoint: each look of a
// rank advances the operations of all ranks, and the poller advances them while no rank looks.
//
// A frame finds no room when the receiving process has granted no more bytes, or no more memory may be pinned.
type Way struct {
	config   *way.Config
	options  Options
	line     way.LifeLine
	place    netio.Place
	token    uint64 // of packets for this process
	packet   int    // largest packet
	address  []byte // of the endpoint
	provider string
	cuts     bool // the fabric cuts words: TCP does Put and Get
	locks    bool // the provider has locks in memory that processes share
	offer    handshake.Offer
	peers    []*peer // by process; nil for unconnected ones
	linked   []*peer // connected peers
	ports    []*port
	late     inflight.DelayedFlush
	news     atomic.Bool   // releases, grants or notes are pending
	endings  atomic.Uint32 // of peers
	poller   poller
	stuck    atomic.Bool // Unlink has waited for the lock in vain
	left     atomic.Bool // Close has left while a call does not return

	mu        sync.Mutex // guards the fabric, and all fields below
	fabric    fabric
	pinned    pinned
	arena     arena
	calls     calls
	slots     slots
	slabs     slabs
	exposures exposures
	queue     queue
	after     []func() // calls to make without the lock
	events    [eventsMax]event
	pieces    int  // pieces of transfers in flight
	noSlot    bool // peers have pending packets, but found no slot
	closed    bool
	counts    Counts
}

// Options configure the fabric of a way.
type Options struct {
	Provider string // of libfabric; "" is the first that has hardware
	All      bool   // the job requires this way
	Pinned   int64  // limit of registered memory in bytes; 0 means the system's limit
}

// Counts are the counters of a way. They are final when the transport is closed.
type Counts struct {
	Packets, Frames, Fetched, Detours, Refused, Strangers uint64

	Puts, Gets uint64
	SlabBytes  uint64 // posted; always more than Granted
	Granted    uint64 // to all processes
	Pinned     int64
}

// greeting is the way's part of the handshake.
type greeting struct {
	Provider string
	Address  []byte
	Token    uint64
	Host     string
	Packet   int // most bytes that it can receive
	Packets  int // most packets in flight to it from one process; 0 means no bound
}

// open returns a way over a fabric, and owns the fabric.
func open(c *way.Config, f fabric, o Options) (*Way, error) {
	w := &Way{
		config: c, options: o, place: c.Place, fabric: f, token: random(), address: f.Address(),
		provider: f.Traits().Provider, cuts: f.Traits().Cuts, locks: f.Traits().Locks,
		peers: make([]*peer, c.Place.Processes),
	}
	w.pinned = pinned{fabric: f, limit: o.Pinned}
	if w.pinned.limit == 0 {
		w.pinned.limit = pinnedDefault(f.Traits().Pins)
	}
	w.arena.pinned = &w.pinned
	w.packet = f.Traits().Packet
	w.slots.room, w.slabs.packet = w.packet, w.packet
	w.exposures.init()
	w.poller.init(w)
	w.late.Init(w.flush)
	if !w.slots.grow(w) {
		w.discard()
		return nil, fmt.Errorf("pin the first %d bytes to send from: %w", slotsTogether*w.packet, w.pinned.refused)
	}
	windows := uint64(c.Place.Processes-1) * windowFirst
	if err := w.slabs.grow(w, windows); err != nil {
		w.discard()
		return nil, fmt.Errorf("pin the first receive buffers of %d bytes: %w", w.slabs.needed(windows)*slabBytes, err)
	}
	about, err := json.Marshal(greeting{f.Traits().Provider, f.Address(), w.token, host(), w.packet, f.Traits().Packets})
	if err != nil {
		w.discard()
		return nil, err
	}
	w.offer = handshake.Offer{Place: "ofi", Address: string(about)}
	if !o.All {
		w.offer.Place += " " + f.Traits().Provider
	}
	return w, nil
}

// discard frees a way that could not be opened.
func (w *Way) discard() {
	w.fabric.Close()
	for _, r := range w.pinned.all {
		unmapped(r.mem)
	}
}

// Name implements [way.Way].
func (w *Way) Name() string { return "ofi" }

// Offer implements [way.Way].
func (w *Way) Offer() handshake.Offer { return w.offer }

// OnHost implements [way.Way].
func (w *Way) OnHost(process int) bool { return w.peers[process].onHost }

// Local implements [way.Way].
func (w *Way) Local() bool { return false }

// LooksAtMemory implements [way.Way].
func (w *Way) LooksAtMemory() bool { return false }

// Port implements [way.Way].
func (w *Way) Port(rank int) way.Port { return w.ports[rank-w.place.First] }

// Meet implements [way.Way].
func (w *Way) Meet(_ context.Context, line way.LifeLine, addresses map[int]string) error {
	w.line = line
	if w.options.All && len(addresses)+1 < w.place.Processes {
		return fmt.Errorf("connect by libfabric: %d of the other %d processes have no such fabric; "+
			"give all transport ofi, or use auto or tcp",
			w.place.Processes-1-len(addresses), w.place.Processes-1)
	}
	for process, address := range addresses {
		if err := w.connect(process, address); err != nil {
			return fmt.Errorf("connect to process %d by libfabric: %w", process, err)
		}
	}
	for _, p := range w.peers { // in order
		if p != nil {
			w.linked = append(w.linked, p)
		}
	}
	if len(w.linked) == 0 {
		return nil
	}
	for i, p := range line.Ports() {
		w.ports = append(w.ports, newPort(w, p, w.place.First+i))
	}
	w.exposures.guard(w)
	w.poller.start()
	return nil
}

func (w *Way) connect(process int, address string) error {
	var g greeting
	if err := json.Unmarshal([]byte(address), &g); err != nil {
		return err
	}
	if mine := w.fabric.Traits().Provider; g.Provider != mine {
		return fmt.Errorf("it uses provider %s, this one %s: give both the same --provider", g.Provider, mine)
	}
	if g.Packet < packetSmall {
		return fmt.Errorf("it takes packets of %d bytes, %d are the least", g.Packet, packetSmall)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	peer, err := w.fabric.Link(g.Address)
	if err == nil {
		p := newPeer(w, netio.PlaceOf(w.place.Ranks, w.place.Processes, process), peer, g)
		p.onHost, p.address = g.Host == host(), g.Address
		w.peers[process] = p
	}
	return err
}

// host returns the same string for all processes of a running system.
func host() string {
	name, _ := os.Hostname()
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id") // exists only on Linux
	return name + " " + string(boot)
}

// unlock releases the lock, and then makes the calls that need it released.
func (w *Way) unlock() {
	after := w.after
	w.after = nil
	w.mu.Unlock()
	for _, f := range after {
		f()
	}
}

// poll advances the operations in flight, unless another goroutine does. It reports whether one has ended.
func (w *Way) poll() (some bool) {
	if !w.mu.TryLock() {
		return false
	}
	some = w.advance()
	w.unlock()
	return some
}

// advance is poll for the holder of the lock.
func (w *Way) advance() (some bool) {
	if w.closed {
		return false
	}
	for {
		n, err := w.fabric.Poll(w.events[:])
		if err != nil {
			w.broken(err)
			return some
		}
		if w.left.Load() { // ranks have continued, and arrivals must not reach their memory
			return some
		}
		for i := range w.events[:n] {
			w.ended(&w.events[i])
			w.events[i] = event{}
		}
		some = some || n > 0
		if n < len(w.events) {
			break
		}
	}
	w.calls.retryAll(w)
	return some
}

// lossDelayMax is the time for TCP to report a loss that may have failed an operation. TCP takes half a second at most.
const lossDelayMax = 2 * time.Second

// failUnlessTold ends the job after a failure without a known culprit, unless TCP reports a loss first.
func (w *Way) failUnlessTold(err error) {
	time.AfterFunc(lossDelayMax, func() {
		if !w.poller.over.Load() { // the way has not been closed meanwhile
			w.line.Tell(fmt.Errorf("use the fabric: %w", err))
		}
	})
}

// broken ends the job: nothing moves any more.
func (w *Way) broken(err error) {
	w.closed = true
	w.after = append(w.after, func() { w.line.Tell(fmt.Errorf("use the fabric: %w", err)) })
}

// flush sends pending releases, grants and notes. It costs a load when there are none.
func (w *Way) flush() {
	if !w.news.Load() {
		return
	}
	w.mu.Lock()
	w.flushLinks()
	w.unlock()
}

func (w *Way) flushLinks() {
	if w.closed || !w.news.Swap(false) {
		return
	}
	for _, p := range w.linked {
		p.flush()
	}
}

// causeDelayMax is the time that TCP has to report why a process cannot be reached.
const causeDelayMax = 500 * time.Millisecond

// loseUnlessTold is called when an operation with a process has failed. Often TCP will report the process's end.
func (w *Way) loseUnlessTold(p *peer, err error) {
	if p.over.Load() || w.closed || p.losing {
		return
	}
	p.losing = true
	time.AfterFunc(causeDelayMax, func() {
		if !p.over.Load() {
			w.line.Lose(p.place.Process, fmt.Errorf("use the fabric: %w", err))
		}
	})
}

// damaged ends the job: a member has sent an invalid packet.
func (w *Way) damaged(p *peer, err error) {
	if !errors.Is(err, netio.ErrDamaged) {
		err = fmt.Errorf("check packet: %w: %w", netio.ErrDamaged, err)
	}
	w.after = append(w.after, func() { w.line.Lose(p.place.Process, err) })
}

// Unlink implements [way.Way].
func (w *Way) Unlink(process int) {
	p := w.peers[process]
	if p == nil || p.over.Swap(true) {
		return
	}
	limit := w.stuckLimit(true)
	if w.stuck.Load() { // one has waited already
		limit = 0
	}
	if !within(time.After(limit), func() {
		w.mu.Lock()
		w.stuck.Store(false)
		p.reclaim()
		w.exposures.forget(p.place.Process)
		w.unlock()
	}) && limit > 0 {
		w.stuck.Store(true)
	}
	w.endings.Add(1)
	for _, p := range w.ports {
		p.over.Wake()
	}
}

// Close implements [way.Way].
func (w *Way) Close(quiet bool) {
	if !within(time.After(w.stuckLimit(!quiet)), func() { w.close(quiet) }) {
		w.abandon()
	}
}

func (w *Way) close(quiet bool) {
	w.poller.stop()
	w.late.Stop()
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.fabric == nil {
		return
	}
	w.closed = true
	w.counts.Pinned = w.pinned.used
	for _, p := range w.linked {
		w.counts.Granted += p.window
	}
	w.counts.SlabBytes = uint64(w.slabs.count) * slabBytes
	w.fabric.Close()
	w.fabric = nil
	if w.provider == shmProvider {
		w.removeShmFiles()
	}
	w.calls.abandon()
	if quiet {
		for _, c := range w.arena.chunks {
			dropped(c.mem)
		}
	}
	for _, r := range w.pinned.all {
		if _, _, frames := w.arena.find(r.mem); !frames {
			unmapped(r.mem)
		}
	}
}

// Preposted implements [netio.Preposter].
func (w *Way) Preposted(senders map[int]bool) (p netio.Preposted, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return p, false
	}
	for _, peer := range w.linked {
		if senders[peer.place.Process] {
			p.Senders++
		}
	}
	p.Provider, p.Links = w.fabric.Traits().Provider, len(w.linked)
	p.Window, p.WindowMax = windowFirst, windowMax
	p.Slab, p.Room, p.Ahead = slabBytes, slabBytes-int64(w.slabs.packet), int64(w.slabs.needed(0))
	p.Send, p.Limit = slotsTogether*int64(w.slots.room), w.pinned.limit
	return p, p.Links > 0
}
