package ofi

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sync"
	"unsafe"
)

// loopback is a network in memory whose endpoints are fabrics. Tests set its faults.
type loopback struct {
	mu    sync.Mutex
	all   []*loop
	delay int // looks before an event
	late  int // additional looks before the event of a get
	busy  int // interval of refused calls; 0 means never
	calls int

	refuseAfter int // registrations that an endpoint grants; 0 means all
	none        int // packets without a slab
	overtaken   int // sends and puts that began while gets from the same end were open

	packets int // most in flight from one end to another; 0 means no bound
	most    int // observed maximum of them
	cuts    bool
}

// loop is one end of a loopback.
type loop struct {
	net     *loopback
	number  uint64
	regions map[uint64]region
	granted int
	slabs   []loopSlab
	events  []loopEvent
	closed  bool
	failing error // of later sends
	packets int   // of its net
	cuts    bool  // of its net
}

type loopSlab struct {
	mem  []byte
	used int
	tag  uint32
}

type loopEvent struct {
	event
	wait int
	from uint64
	got  bool // end of a get from there
}

func (n *loopback) open() *loop {
	n.mu.Lock()
	defer n.mu.Unlock()
	f := &loop{net: n, number: uint64(len(n.all)), regions: map[uint64]region{}, packets: n.packets, cuts: n.cuts}
	n.all = append(n.all, f)
	return f
}

// ends opens an end for each process.
func (n *loopback) ends(int) (fabric, error) { return n.open(), nil }

// with opens an end for each process except one, which gets f.
func (n *loopback) with(f fabric, process int) func(int) (fabric, error) {
	return func(p int) (fabric, error) {
		if p == process {
			return f, nil
		}
		return n.open(), nil
	}
}

func (f *loop) Address() []byte { return binary.LittleEndian.AppendUint64(nil, f.number) }

func (f *loop) Link(address []byte) (uint64, error) { return binary.LittleEndian.Uint64(address), nil }

func (f *loop) Register(mem []byte, key uint64) (region, error) {
	f.net.mu.Lock()
	defer f.net.mu.Unlock()
	if f.granted++; f.net.refuseAfter > 0 && f.granted > f.net.refuseAfter {
		return region{}, errors.New("register memory: Cannot allocate memory")
	}
	r := region{mem: mem, key: key, base: uint64(addressOf(mem))}
	f.regions[key] = r
	return r, nil
}

func (f *loop) Deregister(r region) error {
	f.net.mu.Lock()
	defer f.net.mu.Unlock()
	delete(f.regions, r.key)
	return nil
}

// turn reports whether a call is accepted.
func (f *loop) turn() error {
	f.net.calls++
	if f.net.busy > 0 && f.net.calls%f.net.busy == 0 {
		return errBusy
	}
	return nil
}

func (f *loop) tell(e event) { f.hear(e, f.number) }

// hear queues an event of another end.
func (f *loop) hear(e event, from uint64) {
	f.events = append(f.events, loopEvent{event: e, wait: f.net.delay, from: from})
	under := 0
	for _, o := range f.events {
		if o.packet != nil && o.from == from {
			under++
		}
	}
	f.net.most = max(f.net.most, under)
}

// passes counts operations that begin while a get from the same end is open.
func (f *loop) passes(peer uint64) {
	if slices.ContainsFunc(f.events, func(e loopEvent) bool { return e.got && e.from == peer }) {
		f.net.overtaken++
	}
}

func (f *loop) Post(slab []byte, _ region, tag uint32) error {
	f.net.mu.Lock()
	defer f.net.mu.Unlock()
	if err := f.turn(); err != nil {
		return err
	}
	f.slabs = append(f.slabs, loopSlab{mem: slab, tag: tag})
	return nil
}

func (f *loop) Send(peer uint64, mem []byte, _ region, tag uint32) error {
	f.net.mu.Lock()
	defer f.net.mu.Unlock()
	if err := f.turn(); err != nil {
		return err
	}
	f.passes(peer)
	to := f.net.all[peer]
	switch {
	case f.failing != nil:
		f.tell(event{tag: tag, err: f.failing})
		return nil
	case to.closed:
		f.tell(event{tag: tag, err: errors.New("the end is closed")})
		return nil
	case len(to.slabs) == 0:
		f.net.none++
		return errBusy
	}
	s := &to.slabs[0]
	at := s.mem[s.used : s.used+len(mem) : s.used+len(mem)]
	s.used += copy(at, mem)
	e := event{tag: s.tag, packet: at}
	if len(s.mem)-s.used < packetSmall {
		e.left = true
		to.slabs = to.slabs[1:]
	}
	to.hear(e, f.number)
	f.tell(event{tag: tag})
	return nil
}

// find returns memory of another end.
func (f *loop) find(peer uint64, at, key uint64, n int) ([]byte, error) {
	to := f.net.all[peer]
	r, ok := to.regions[key]
	if to.closed || !ok || at < r.base || at+uint64(n) > r.base+uint64(len(r.mem)) {
		return nil, fmt.Errorf("a bad key or address: %x", key)
	}
	return r.mem[at-r.base:][:n], nil
}

// move copies word by word, since the memory's own process may read it.
func move(to, from []byte) {
	for ; len(to) >= 8 && uintptr(unsafe.Pointer(&to[0]))%8 == 0; to, from = to[8:], from[8:] {
		*(*uint64)(unsafe.Pointer(&to[0])) = binary.LittleEndian.Uint64(from)
	}
	copy(to, from)
}

func (f *loop) Put(peer uint64, mem []byte, _ region, at, key uint64, tag uint32) error {
	f.net.mu.Lock()
	defer f.net.mu.Unlock()
	if err := f.turn(); err != nil {
		return err
	}
	f.passes(peer)
	there, err := f.find(peer, at, key, len(mem))
	if err == nil {
		move(there, mem)
	}
	f.tell(event{tag: tag, err: err})
	return nil
}

func (f *loop) Get(peer uint64, mem []byte, _ region, at, key uint64, tag uint32) error {
	f.net.mu.Lock()
	defer f.net.mu.Unlock()
	if err := f.turn(); err != nil {
		return err
	}
	there, err := f.find(peer, at, key, len(mem))
	if err == nil {
		move(mem, there)
	}
	e := loopEvent{event: event{tag: tag, err: err}, wait: f.net.delay + f.net.late, from: peer, got: true}
	f.events = append(f.events, e)
	return nil
}

func (f *loop) Poll(into []event) (n int, err error) {
	f.net.mu.Lock()
	defer f.net.mu.Unlock()
	still := f.events[:0]
	for i := range f.events {
		if e := &f.events[i]; e.wait > 0 || n == len(into) {
			e.wait--
			still = append(still, *e)
		} else {
			into[n] = e.event
			n++
		}
	}
	f.events = still
	return n, nil
}

func (f *loop) Descriptor() int { return -1 }

func (f *loop) MayWait() bool { return false }

func (f *loop) Traits() traits {
	return traits{
		Provider: "loopback", Message: 1 << 30, Packet: packetSmall, Locks: true, Packets: f.packets, Cuts: f.cuts,
	}
}

func (f *loop) Close() {
	f.net.mu.Lock()
	defer f.net.mu.Unlock()
	f.closed = true
}
