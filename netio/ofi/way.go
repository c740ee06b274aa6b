package ofi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"time"

	"github.com/activepebbles/pebbles/internal/handshake"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/internal/inflight"
	"github.com/activepebbles/pebbles/netio/tcp"
)

// Way is the way between processes that a fabric connects. All ranks of a process share its endpoint: whoever looks moves what is under way for all,
// and while nobody looks the sentry does.
//
// There is no room for a frame when the receiving process has granted no more bytes, or no more memory may be pinned.
type Way struct {
	config   *tcp.Config
	options  Options
	tcp      *tcp.Transport
	place    netio.Place
	token    uint64 // of packets for this process
	packet   int    // the largest
	address  []byte // of the endpoint
	provider string
	cuts     bool // the fabric cuts words: Put and Get are left to TCP
	offer    handshake.Offer
	links    []*link // by process; nil for those that it doesn't link
	linked   []*link // the others
	ports    []*port
	late     inflight.DelayedFlush
	news     atomic.Bool   // there is something to tell
	endings  atomic.Uint32 // of links
	sentry   sentry
	watch    watch

	mu        lock // guards the fabric, and all below
	fabric    fabric
	pinned    pinned
	arena     arena
	calls     calls
	slots     slots
	slabs     slabs
	exposures exposures
	hungry    []*transfer // that wait for slots; nil for those that need none any more
	fed       int         // of them, those that wait no more
	after     []func()    // to be done without the lock
	events    [eventsMax]event
	pieces    int  // of transfers, under way
	starved   bool // links have more to tell, and found no slot
	closed    bool
	counts    Counts
}

// Options say which fabric a way takes.
type Options struct {
	Provider string // of libfabric; "" is the first that has hardware
	All      bool   // the job can't do without
	Pinned   int64  // the most bytes of registered memory; 0 is what the system allows
}

// Counts say what a way has done. They are settled when the transport is closed.
type Counts struct {
	Packets, Frames, Fetched, Detours, Refused, Strangers uint64
	Puts, Gets                                            uint64
	SlabBytes, Granted                                    uint64 // posted, and granted to all processes; the first is always more
	Pinned                                                int64
}

// greeting is what others are told at the handshake.
type greeting struct {
	Provider string
	Address  []byte
	Token    uint64
	Host     string
	Packet   int // the most bytes that it can receive
	Packets  int // the most packets that may be under way to it from one process; 0 is no bound
}

// open makes a way over a fabric, which it owns.
func open(c *tcp.Config, f fabric, o Options) (*Way, error) {
	w := &Way{
		config: c, options: o, place: c.Place, fabric: f, token: random(), address: f.Address(),
		provider: f.Traits().Provider, cuts: f.Traits().Cuts, links: make([]*link, c.Place.Processes),
	}
	w.pinned = pinned{fabric: f, limit: o.Pinned}
	if w.pinned.limit == 0 {
		w.pinned.limit = pinnedDefault(f.Traits().Pins)
	}
	w.arena.pinned = &w.pinned
	w.packet = f.Traits().Packet
	w.slots.room, w.slabs.packet = w.packet, w.packet
	w.exposures.init()
	w.calls.init()
	w.sentry.init(w)
	w.watch.init(f.Traits().Locks)
	w.late.Init(w.flushLate)
	if !w.slots.grow(w) {
		f.Close()
		return nil, fmt.Errorf("pin the first %d bytes to send from: %w", slotsTogether*w.packet, w.pinned.refused)
	}
	if err := w.slabs.grow(w, uint64(c.Place.Processes-1)*windowFirst); err != nil {
		f.Close()
		return nil, fmt.Errorf("pin the first receive buffers of %d bytes: %w", w.slabs.needed(uint64(c.Place.Processes-1)*windowFirst)*slabBytes, err)
	}
	about, err := json.Marshal(greeting{f.Traits().Provider, f.Address(), w.token, host(), w.packet, f.Traits().Packets})
	if err != nil {
		return nil, err
	}
	w.offer = handshake.Offer{Place: "ofi", Address: string(about)}
	if !o.All {
		w.offer.Place += " " + f.Traits().Provider
	}
	return w, nil
}

// Name implements [tcp.Way].
func (w *Way) Name() string { return "ofi" }

// Offer implements [tcp.Way].
func (w *Way) Offer() handshake.Offer { return w.offer }

// OnHost implements [tcp.Way].
func (w *Way) OnHost(process int) bool { return w.links[process].onHost }

// LooksAtMemory implements [tcp.Way].
func (w *Way) LooksAtMemory() bool { return false }

// Port implements [tcp.Way].
func (w *Way) Port(rank int) tcp.WayPort { return w.ports[rank-w.place.First] }

// Meet implements [tcp.Way].
func (w *Way) Meet(_ context.Context, t *tcp.Transport, addresses map[int]string) error {
	w.tcp = t
	if w.options.All && len(addresses)+1 < w.place.Processes {
		return fmt.Errorf("connect by libfabric: %d of the other %d processes have no such fabric; give all transport ofi, or use auto or tcp",
			w.place.Processes-1-len(addresses), w.place.Processes-1)
	}
	for process, address := range addresses {
		if err := w.link(process, address); err != nil {
			return fmt.Errorf("connect to process %d by libfabric: %w", process, err)
		}
	}
	for _, l := range w.links { // in order
		if l != nil {
			w.linked = append(w.linked, l)
		}
	}
	if len(w.linked) == 0 {
		return nil
	}
	for i, p := range t.Under(access).Ports() {
		w.ports = append(w.ports, newPort(w, p, w.place.First+i))
	}
	w.exposures.begin(w)
	w.sentry.start()
	return nil
}

func (w *Way) link(process int, address string) error {
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
	if !w.mu.Lock(byOther) {
		return errStuck
	}
	defer w.mu.Unlock()
	peer, err := w.fabric.Link(g.Address)
	if err == nil {
		l := newLink(w, netio.PlaceOf(w.place.Ranks, w.place.Processes, process), peer, g)
		l.onHost, l.address = g.Host == host(), g.Address
		w.links[process] = l
	}
	return err
}

// host is the same for all processes of a running system.
func host() string {
	name, _ := os.Hostname()
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id") // there is none elsewhere than on Linux
	return name + " " + string(boot)
}

// unlock gives the lock back, and does what was to be done without it.
func (w *Way) unlock() {
	after := w.after
	w.after = nil
	w.mu.Unlock()
	for _, f := range after {
		f()
	}
}

// poll moves what is under way, unless somebody else does. It reports whether something has ended.
func (w *Way) poll(by holder) (some bool) {
	if !w.mu.TryLock(by) {
		return false
	}
	some = w.advance()
	w.unlock()
	return some
}

// advance is for the holder of the lock.
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
		if w.mu.GivenUp() { // ranks have gone on, and what has arrived is not put into their memory
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
	w.calls.again(w)
	return some
}

// blameMax is how long TCP has to tell of a loss that may be why something of nobody's has failed. It notices one within half a second.
const blameMax = 2 * time.Second

// suspect ends the job when something of nobody's has failed, unless TCP tells of a loss first.
func (w *Way) suspect(err error) {
	time.AfterFunc(blameMax, func() {
		if !w.sentry.over.Load() { // the way has not been closed meanwhile
			w.tcp.Under(access).Tell(fmt.Errorf("use the fabric: %w", err))
		}
	})
}

// broken ends the job: nothing moves any more.
func (w *Way) broken(err error) {
	w.closed = true
	w.after = append(w.after, func() { w.tcp.Under(access).Tell(fmt.Errorf("use the fabric: %w", err)) })
}

// flush tells all there is to tell. It costs a load when there is nothing.
func (w *Way) flush(by holder) {
	if !w.news.Load() || !w.mu.Lock(by) {
		return
	}
	w.tell()
	w.unlock()
}

func (w *Way) tell() {
	if w.closed || !w.news.Swap(false) {
		return
	}
	for _, l := range w.linked {
		l.flush()
	}
}

func (w *Way) flushLate() { w.flush(byOther) }

// suspicionMax is how long TCP has to tell why a process is not reached any more.
const suspicionMax = 500 * time.Millisecond

// doubt is called when something to or from a process has failed. Often enough it has ended, which TCP will tell.
func (w *Way) doubt(l *link, err error) {
	if l.over.Load() || w.closed || l.doubted {
		return
	}
	l.doubted = true
	time.AfterFunc(suspicionMax, func() {
		if !l.over.Load() {
			w.tcp.Under(access).Lose(l.place.Process, fmt.Errorf("use the fabric: %w", err))
		}
	})
}

// damaged ends the job: what came from a member makes no sense.
func (w *Way) damaged(l *link, err error) {
	if !errors.Is(err, netio.ErrDamaged) {
		err = fmt.Errorf("check packet: %w: %w", netio.ErrDamaged, err)
	}
	w.after = append(w.after, func() { w.tcp.Under(access).Lose(l.place.Process, err) })
}

// Unlink implements [tcp.Way].
func (w *Way) Unlink(process int) {
	l := w.links[process]
	if l == nil || l.over.Swap(true) {
		return
	}
	finished := w.tcp.Under(access).Finished(process)
	w.watch.begin(w, !finished)
	unlinked := make(chan struct{})
	go func() {
		defer close(unlinked)
		if w.mu.Lock(byOther) {
			w.unlink(l)
		}
		w.stir()
	}()
	var limit <-chan time.Time
	if finished { // nobody is in a hurry
		limit = time.After(stuckRound)
	}
	select {
	case <-unlinked:
	case <-limit:
	}
}

// unlink is for the holder of the lock, who gives it back.
func (w *Way) unlink(l *link) {
	l.end()
	w.exposures.forget(l.place.Process)
	w.unlock()
}

// stir has all ranks look for what has ended.
func (w *Way) stir() {
	w.endings.Add(1)
	for _, p := range w.ports {
		p.over.Wake()
	}
}

// Close implements [tcp.Way].
func (w *Way) Close(quiet bool) {
	w.watch.closing.Store(true)
	w.watch.begin(w, !quiet)
	closed := make(chan struct{})
	go func() {
		w.close(quiet)
		close(closed)
	}()
	select {
	case <-closed:
	case <-w.watch.stuck:
	}
	close(w.watch.over)
	if w.mu.GivenUp() {
		w.leave()
	}
}

func (w *Way) close(quiet bool) {
	w.sentry.stop()
	w.late.Stop()
	if !w.mu.Lock(byOther) {
		return
	}
	defer w.mu.Unlock()
	if w.fabric == nil {
		return
	}
	w.closed = true
	w.counts.Pinned = w.pinned.used
	for _, l := range w.linked {
		w.counts.Granted += l.window
	}
	w.counts.SlabBytes = uint64(w.slabs.count) * slabBytes
	w.fabric.Close()
	w.fabric = nil
	if w.provider == shmProvider {
		w.removeLeftovers()
	}
	w.calls.end()
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
