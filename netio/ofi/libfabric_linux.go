//go:build amd64 || arm64

package ofi

import (
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"unsafe"

	"github.com/ebitengine/purego"
	"golang.org/x/sys/unix"
)

// libfabric is a fabric over an endpoint of the library.
type libfabric struct {
	l                      *library
	processes              int
	info                   *fiInfo
	fabric, domain, av, cq *object
	ep                     *endpoint
	traits                 traits
	iWARP                  bool // the device is an iWARP adapter
	mode                   int32
	keyMask                uint64
	descriptor             int
	regions                map[uintptr]*memoryRegion
	address                []byte
	held                   held
	arguments              [9]uintptr // of the current call
	scratch                *scratch   // arguments outside the Go heap
	memory                 []byte     // of scratch
	slabs                  map[uint32][]byte

	recvMsg, send, get, putMsg, read, readError, tryWait uintptr
	self                                                 uintptr // endpoint
	queue                                                uintptr
}

const tagsMax = callsMax // operations in flight

// scratch is the memory that calls point to.
type scratch struct {
	contexts [tagsMax][8]uintptr // one per operation, as large as any provider needs
	entries  [eventsMax]cqEntry
	failure  cqError
	local    ioVec
	desc     uintptr
	remote   rmaVec
	message  message
	rma      rmaMessage
	waited   uintptr
	out      uintptr // result that a call returns by a pointer
}

// openLibfabric opens an endpoint of a provider for a job of the given number of processes; "" means the first provider
// that has hardware. Providers over IP use node, the address of this host.
func openLibfabric(provider, node string, processes int) (fabric, error) {
	l, err := load()
	if err != nil {
		return nil, err
	}
	// libfabric reads these once, when it first looks for providers. rxm makes queues for this number of peers, by
	// default 256, which exceeds the limits of soft-RoCE.
	peers := processes
	if base(provider) == "tcp" { // receives where a slab has room, so rxm's buffers may be small
		l.setenv("FI_OFI_RXM_EAGER_LIMIT", strconv.Itoa(packetLarge), false)
	} else {
		peers = shareReceives(l, processes)
	}
	l.setenv("FI_UNIVERSE_SIZE", strconv.Itoa(peers), false)
	f := &libfabric{
		l: l, processes: processes, descriptor: -1,
		regions: make(map[uintptr]*memoryRegion), slabs: make(map[uint32][]byte),
	}
	keepingSignals(func() { err = f.open(provider, node) }) // shm installs signal handlers for its endpoints
	if err != nil {
		f.Close()
		return nil, err
	}
	if f.iWARP {
		return &ordered{fabric: f}, nil
	}
	return f, nil
}

// shareReceives makes the connections of rxm share their receives. It returns the number of peers for rxm's queue.
func shareReceives(l *library, processes int) (peers int) {
	all := receives(processes) * max(processes-1, 1)
	l.setenv("FI_OFI_RXM_USE_SRX", "1", false)
	l.setenv("FI_OFI_RXM_MSG_RX_SIZE", strconv.Itoa(all), false)
	return peersFor(processes, all)
}

// query lists a provider's endpoints for this package; "" means all providers. more is a further required capability.
func query(l *library, provider, node string, more uint64) (*fiInfo, error) {
	hints := hintsOf(l)
	hints.caps |= more
	defer invoke(l.freeInfo, ptr(hints))
	if provider != "" {
		hints.fabric.provider = cString(provider)
		defer func() { hints.fabric.provider = nil }() // it is Go's memory
	}
	var where, service *byte
	flags := uintptr(0)
	if overIP[base(provider)] && node != "" {
		where, service, flags = cString(node), cString("0"), flagSource
	}
	found, h := new(*fiInfo), new(held)
	r := status(invoke(l.getInfo, versionMin, hold(h, where), hold(h, service), flags, ptr(hints), hold(h, found)))
	runtime.KeepAlive(h)
	if r < 0 {
		return nil, l.fault("look for providers", r)
	}
	return *found, nil
}

// hintsOf returns the requirements of this package, which supports all modes of registration that it names.
func hintsOf(l *library) *fiInfo {
	at := uintptr(invoke(l.dupInfo, 0))
	h := *(**fiInfo)(unsafe.Pointer(&at))
	h.caps = capMsg | capRMA
	h.mode = modeContext | modeContext2
	h.ep.kind = kindRDM
	h.domain.threading, h.domain.data = threadDomain, progressManual
	h.domain.mrMode = mrLocal | mrVirtual | mrAllocated | mrProvKey | mrEndpoint
	return h
}

func (f *libfabric) open(provider, node string) (err error) {
	f.info, err = query(f.l, provider, node, 0)
	if errors.Is(err, errNoData) {
		return fmt.Errorf("libfabric %s has no provider %q with reliable datagrams (FI_EP_RDM), FI_MSG and FI_RMA: "+
			"fi_info (package libfabric-bin) lists those it has",
			f.l.Version(), provider)
	}
	if err != nil {
		return err
	}
	size := (int(unsafe.Sizeof(scratch{})) + 4095) &^ 4095
	if f.memory, err = unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE); err != nil {
		return err
	}
	f.scratch = (*scratch)(unsafe.Pointer(&f.memory[0]))
	i := f.info
	f.mode = i.domain.mrMode
	f.keyMask = ^uint64(0)
	if bytes := i.domain.keyBytes; bytes > 0 && bytes < 8 {
		f.keyMask = 1<<(8*bytes) - 1
	}
	f.traits = traits{
		Provider: goString(i.fabric.provider), Pins: f.mode&(mrLocal|mrAllocated) != 0,
		Message: int(min(i.ep.messageMax, 1<<30)),
		Packet:  packetOf(provider),
	}
	f.traits.Locks = f.traits.Provider == shmProvider
	// A receiver moves partial data from a socket to the memory itself; shm copies bytes, in segments.
	f.traits.Cuts = overIP[base(f.traits.Provider)] || f.traits.Provider == shmProvider
	if strings.HasPrefix(f.traits.Provider, "verbs") {
		f.traits.Packets = receives(f.processes)
		f.iWARP = isIWARP("/", goString(i.domain.name))
		f.traits.Cuts = f.iWARP
	}
	if err := f.openObjects(); err != nil {
		return fmt.Errorf("open provider %s: %w", f.traits.Provider, err)
	}
	return nil
}

// step makes one call that opens something.
func (f *libfabric) step(what string, function uintptr, arguments ...uintptr) error {
	if r := status(invoke(function, arguments...)); r < 0 {
		return f.l.fault(what, r)
	}
	return nil
}

func (f *libfabric) openObjects() error {
	i := f.info
	if err := f.step("open the fabric", f.l.fabric, ptr(i.fabric), hold(&f.held, &f.fabric), 0); err != nil {
		return err
	}
	domain := hold(&f.held, &f.domain)
	if err := f.step("open the domain", f.fabric.ops[opDomain], ptr(f.fabric), ptr(i), domain, 0); err != nil {
		return err
	}
	if err := f.openQueue(); err != nil {
		return err
	}
	av := &avAttr{kind: vectorTable, count: uint64(f.processes)}
	asked, vector := hold(&f.held, av), hold(&f.held, &f.av)
	if err := f.step("open the address vector", f.domain.ops[opAV], ptr(f.domain), asked, vector, 0); err != nil {
		return err
	}
	endpoint := hold(&f.held, &f.ep)
	if err := f.step("open the endpoint", f.domain.ops[opEndpoint], ptr(f.domain), ptr(i), endpoint, 0); err != nil {
		return err
	}
	f.self, f.queue = ptr(f.ep), ptr(f.cq)
	bind := f.ep.fid.ops[opBind]
	if err := f.step("bind the address vector", bind, f.self, ptr(f.av), 0); err != nil {
		return err
	}
	if err := f.step("bind the queue", bind, f.self, f.queue, flagSend|flagRecv); err != nil {
		return err
	}
	shm := f.traits.Provider == "shm" // its option must be set before it is enabled
	if !shm {
		if err := f.keepRoom(); err != nil {
			return err
		}
	}
	if err := f.step("enable the endpoint", f.ep.fid.ops[opControl], f.self, controlEnable, 0); err != nil {
		return err
	}
	if shm {
		if err := f.keepRoom(); err != nil {
			return err
		}
	}
	f.recvMsg, f.send = f.ep.msg[opRecvMsg], f.ep.msg[opSend]
	f.get, f.putMsg = f.ep.rma[opRMARead], f.ep.rma[opRMAWriteMsg]
	f.read, f.readError = f.cq.ops[opRead], f.cq.ops[opReadError]
	f.tryWait = f.fabric.ops[opTryWait]
	name, length := make([]byte, 512), new(uint64)
	*length = uint64(len(name))
	at, bytes := hold(&f.held, &name[0]), hold(&f.held, length)
	if err := f.step("ask for the address", f.ep.cm[opGetName], f.self, at, bytes); err != nil {
		return err
	}
	f.address = name[:*length]
	return nil
}

// keepRoom makes the provider end a slab that has no room for another packet.
func (f *libfabric) keepRoom() error {
	room := new(uint64)
	*room = uint64(f.traits.Packet)
	return f.step("keep room for a packet in each slab",
		f.ep.ops[opSetOption], f.self, optionEndpoint, optionMinMulti, hold(&f.held, room), 8)
}

// openQueue asks for a queue with a wait object, and then for one without.
func (f *libfabric) openQueue() error {
	a := &cqAttr{size: 4096, format: formatData, wait: waitDescriptor}
	err := f.step("open a queue", f.domain.ops[opCQ], ptr(f.domain), hold(&f.held, a), hold(&f.held, &f.cq), 0)
	if err != nil {
		a.wait = waitNone
		return f.step("open a queue", f.domain.ops[opCQ], ptr(f.domain), hold(&f.held, a), hold(&f.held, &f.cq), 0)
	}
	fd := new(int32)
	if f.step("ask for its descriptor", f.cq.fid.ops[opControl], ptr(f.cq), controlGetWait, hold(&f.held, fd)) == nil {
		f.descriptor = int(*fd)
	}
	return nil
}

// ptr returns the address of memory outside the Go heap, or of memory that the endpoint holds.
func ptr[T any](p *T) uintptr { return uintptr(unsafe.Pointer(p)) }

// held keeps Go memory that C points to, on the heap.
type held struct{ all []any }

func hold[T any](h *held, p *T) uintptr {
	h.all = append(h.all, p)
	return uintptr(unsafe.Pointer(p))
}

func (f *libfabric) Address() []byte { return f.address }

func (f *libfabric) Traits() traits { return f.traits }

func (f *libfabric) Link(address []byte) (uint64, error) {
	if len(address) == 0 {
		return 0, errors.New("it has no address")
	}
	n := status(invoke(f.av.ops[opInsert], ptr(f.av), hold(&f.held, &address[0]), 1, ptr(&f.scratch.out), 0, 0))
	if n != 1 {
		return 0, fmt.Errorf("provider %s takes no such address", f.traits.Provider)
	}
	return uint64(f.scratch.out), nil
}

func (f *libfabric) Register(mem []byte, key uint64) (region, error) {
	const access = flagRead | flagWrite | flagRecv | flagSend | flagRemoteRead | flagRemoteWrit
	err := f.step("register memory", f.domain.mr[opRegister], ptr(f.domain), ptr(&mem[0]), uintptr(len(mem)),
		access, 0, uintptr(key&f.keyMask), 0, ptr(&f.scratch.out), 0)
	if err != nil {
		return region{}, err
	}
	m := *(**memoryRegion)(unsafe.Pointer(&f.scratch.out))
	if f.mode&mrEndpoint != 0 {
		if err = f.step("bind memory", m.ops[opBind], ptr(m), f.self, 0); err == nil {
			err = f.step("enable memory", m.ops[opControl], ptr(m), controlEnable, 0)
		}
		if err != nil {
			invoke(m.ops[opClose], ptr(m))
			return region{}, err
		}
	}
	r := region{mem: mem, key: m.key, desc: m.desc, handle: ptr(m)}
	if f.mode&mrVirtual != 0 {
		r.base = uint64(ptr(&mem[0]))
	}
	f.regions[r.handle] = m
	return r, nil
}

func (f *libfabric) Deregister(r region) error {
	m := f.regions[r.handle]
	delete(f.regions, r.handle)
	return f.step("deregister memory", m.ops[opClose], ptr(m))
}

func (f *libfabric) context(tag uint32) uintptr { return ptr(&f.scratch.contexts[tag]) }

func (f *libfabric) Post(slab []byte, r region, tag uint32) error {
	s := f.scratch
	f.slabs[tag] = slab
	s.local, s.desc = ioVec{ptr(&slab[0]), uintptr(len(slab))}, r.desc
	s.message = message{local: &s.local, desc: &s.desc, locals: 1, peer: ^uint64(0), context: f.context(tag)}
	return f.result("post a slab", f.do(f.recvMsg, f.self, ptr(&s.message), flagMultiRecv))
}

func (f *libfabric) Send(peer uint64, mem []byte, r region, tag uint32) error {
	return f.result("send", f.do(f.send, f.self, ptr(&mem[0]), uintptr(len(mem)), r.desc, uintptr(peer), f.context(tag)))
}

func (f *libfabric) Get(peer uint64, mem []byte, r region, at, key uint64, tag uint32) error {
	return f.result("get", f.do(f.get, f.self, ptr(&mem[0]), uintptr(len(mem)), r.desc,
		uintptr(peer), uintptr(at), uintptr(key), f.context(tag)))
}

func (f *libfabric) Put(peer uint64, mem []byte, r region, at, key uint64, tag uint32) error {
	s := f.scratch
	s.local, s.desc = ioVec{ptr(&mem[0]), uintptr(len(mem))}, r.desc
	s.remote = rmaVec{at, uint64(len(mem)), key}
	s.rma = rmaMessage{
		local: &s.local, desc: &s.desc, locals: 1, peer: peer, remote: &s.remote, remotes: 1, context: f.context(tag),
	}
	return f.result("put", f.do(f.putMsg, f.self, ptr(&s.rma), flagDelivered))
}

// do calls C with memory outside the Go heap. It allocates nothing.
func (f *libfabric) do(function uintptr, arguments ...uintptr) int {
	n := copy(f.arguments[:], arguments)
	r, _, _ := purego.SyscallN(function, f.arguments[:n]...)
	return int(r)
}

func (f *libfabric) result(what string, r int) error {
	switch r {
	case 0:
		return nil
	case -errAgainNumber:
		return errBusy
	}
	return f.l.fault(what, r)
}

func (f *libfabric) Poll(into []event) (int, error) {
	s := f.scratch
	n := f.do(f.read, f.queue, ptr(&s.entries[0]), uintptr(min(len(into), eventsMax)))
	switch {
	case n == -errAgainNumber || n == 0:
		return 0, nil
	case n == -errAvailable:
		return f.failed(into)
	case n < 0:
		return 0, f.l.fault("look at the queue", n)
	}
	for i := range n {
		c := &s.entries[i]
		into[i] = event{tag: f.tag(c.context), left: c.flags&flagMultiRecv != 0}
		if c.flags&flagRecv != 0 && c.length > 0 {
			slab := f.slabs[into[i].tag]
			from := c.buffer - ptr(&slab[0])
			into[i].packet = slab[from : from+uintptr(c.length)]
		}
	}
	return n, nil
}

func (f *libfabric) tag(context uintptr) uint32 {
	return uint32((context - ptr(&f.scratch.contexts[0])) / unsafe.Sizeof(f.scratch.contexts[0]))
}

// failed takes an error out of the queue.
func (f *libfabric) failed(into []event) (int, error) {
	c := &f.scratch.failure
	*c = cqError{}
	if n := f.do(f.readError, f.queue, ptr(c), 0); n <= 0 {
		return 0, nil
	}
	if c.context == 0 {
		return 0, nil // no call waits for it
	}
	into[0] = event{
		tag:  f.tag(c.context),
		err:  f.l.fault("provider "+f.traits.Provider, -int(c.err)),
		left: c.flags&flagMultiRecv != 0,
	}
	return 1, nil
}

func (f *libfabric) Descriptor() int { return f.descriptor }

func (f *libfabric) MayWait() bool {
	if f.descriptor < 0 {
		return false
	}
	f.scratch.waited = f.queue
	return status(f.do(f.tryWait, ptr(f.fabric), ptr(&f.scratch.waited), 1)) == 0
}

func (f *libfabric) Close() {
	if f.ep != nil {
		invoke(f.ep.fid.ops[opClose], ptr(f.ep))
	}
	for _, m := range f.regions {
		invoke(m.ops[opClose], ptr(m))
	}
	for _, o := range []*object{f.cq, f.av, f.domain, f.fabric} {
		if o != nil {
			invoke(o.fid.ops[opClose], ptr(o))
		}
	}
	if f.info != nil {
		invoke(f.l.freeInfo, ptr(f.info))
	}
	if f.memory != nil {
		_ = unix.Munmap(f.memory)
	}
	*f = libfabric{l: f.l, descriptor: -1}
}
