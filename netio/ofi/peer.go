package ofi

import (
	"encoding/binary"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/activepebbles/pebbles/internal/cpu"
	"github.com/activepebbles/pebbles/internal/frame"
	"github.com/activepebbles/pebbles/internal/pending"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/internal/local"
)

// peer is another process. The way's lock guards all fields, except those for any goroutine.
//
// Flow control is by bytes. Each end counts the bytes of the packets that it has sent. The receiver sends the sender a
// limit for that count: the bytes that it has taken out, plus a window. Packets with frames leave the last part of the
// window (framesLeave) to packets that carry only releases, notes and limits. These leave the rest (releasesLeave) to
// packets that carry only a limit. An end sends a bare limit after each quarter of a window that it has received, and
// once when its frames found no room. The rest of the window has room for all of these before the other end has taken
// them out, so a limit can always be sent and no two ends deadlock. Where the fabric bounds the number of packets in
// flight, packets are counted in the same way.
type peer struct {
	w        *Way
	place    netio.Place
	endpoint uint64
	token    uint64      // of packets to the peer
	onHost   bool        // the peer shares processors with this process
	address  []byte      // of the peer's endpoint
	over     atomic.Bool // the peer will release nothing more; for any goroutine

	packets   allowance
	sent      uint64 // bytes
	limit     uint64 // of sent
	short     bool   // frames found no room since the last packet
	shortAt   uint64 // limit when short was last sent
	packetMax int
	packet    []byte // being filled; nil if none is
	slot      uint32 // of the packet
	used      int
	records   int
	table     pending.Table[sent]
	notes     []note

	taken    uint64 // bytes
	told     uint64 // limit that the peer was last sent
	window   uint64
	losing   bool
	released netio.Stack // frames of the peer that were released here and not yet reported; for any goroutine
	eager    *netio.Pool // lends frames for payloads in packets
	fetches  *netio.Pool // lends frames for fetched payloads
	keeper   [2]received
	leases   map[uint64]*lease
}

// sent is a frame that the peer has yet to release.
type sent struct {
	frame     *netio.Frame
	reference bool // the peer may fetch it
}

// note is a record other than a frame.
type note struct {
	kind   netio.Kind
	key    uint64
	number frame.Number
	fault  uint32
	reference
}

const noteBytes = recordHead + referenceBytes

// reserve is the part of a window that some packets leave to others.
type reserve struct{ bytes, packets int }

var (
	framesLeave   = reserve{8 << 10, 16}
	releasesLeave = reserve{1 << 10, 12} // and notes
	limitsLeave   = reserve{}
)

func newPeer(w *Way, place netio.Place, endpoint uint64, g greeting) *peer {
	p := &peer{
		w: w, place: place, endpoint: endpoint, token: g.Token, packetMax: min(w.packet, g.Packet),
		packets: allowance{here: w.fabric.Traits().Packets, there: g.Packets},
		limit:   windowFirst, told: windowFirst, window: windowFirst, leases: make(map[uint64]*lease),
	}
	for i := range p.keeper {
		p.keeper[i].peer = p
	}
	p.eager, p.fetches = netio.NewPool(&p.keeper[0]), netio.NewPool(&p.keeper[1])
	return p
}

// room makes room for need bytes in the open packet, or opens one, if that leaves the given reserve of the window. It
// reports false without room.
func (p *peer) room(need int, leave reserve) bool {
	if p.packet != nil && p.used+need > p.packetMax-packetRest {
		p.flush()
	}
	used := packetHead
	if p.packet != nil {
		used = p.used
	}
	if p.sent+uint64(used+need+leave.bytes) > p.limit || !p.packets.room(leave.packets) {
		return false
	}
	if p.packet == nil {
		slot, ok := p.w.slots.acquire(p.w)
		if !ok {
			p.w.noSlot = true
			return false
		}
		p.slot, p.used = slot, packetHead
		p.packet, _ = p.w.slots.at(slot)
	}
	return true
}

// add adds a frame to the packet if the packet has room for it.
func (p *peer) add(f *netio.Frame) bool {
	in := f.Inside(access)
	need, large := recordHead, f.Bytes > eagerMax
	var ref reference
	if large {
		r, offset, ok := p.w.arena.find(in.Memory)
		if !ok || int(f.Bytes) > p.w.fabric.Traits().Message {
			return false
		}
		need += referenceBytes
		ref = reference{r.at(offset + frame.HeaderRoom), r.key, uint64(f.Bytes), 0}
	} else {
		need += words(int(f.Bytes))
	}
	if !p.room(need, framesLeave) {
		if p.shortAt != p.limit { // else it would spend the rest of the window on reports
			p.short, p.shortAt = true, p.limit
			p.w.news.Store(true)
		}
		p.flush()
		return false
	}
	kind, number := f.Kind, frame.None
	if large || f.Kind == netio.Data {
		number = frame.Number(p.table.Add(sent{f, large}))
	}
	b := p.packet[p.used : p.used+need]
	if large {
		kind |= byReference
		ref.check = cpu.Checksum(f.Payload())
		putReference(b[recordHead:], ref)
	} else {
		clear(b[recordHead+copy(b[recordHead:], f.Payload()):])
	}
	putRecord(b, &f.Header, kind, number)
	p.used += need
	p.records++
	if f.Kind == netio.Control || p.used+recordHead+256 > p.packetMax-packetRest {
		p.flush()
	} else {
		p.w.news.Store(true)
		p.w.late.Arm()
	}
	if number == frame.None {
		f.Release()
	}
	return true
}

// say queues a note.
func (p *peer) say(n note) {
	p.notes = append(p.notes, n)
	p.w.news.Store(true)
}

// flush sends pending releases, grants and notes. Those without room wait until the other end has looked.
func (p *peer) flush() {
	if p.over.Load() {
		return
	}
	for {
		full := p.flushOnce()
		if !full {
			return
		}
	}
}

// flushOnce sends one packet at most, and reports whether more may be pending.
func (p *peer) flushOnce() (more bool) {
	due := p.due()
	if p.packet == nil && p.released.Empty() && len(p.notes) == 0 && !due {
		return false
	}
	if p.packet == nil {
		need := 0
		if len(p.notes) > 0 {
			need = noteBytes
		} else if !p.released.Empty() {
			need = 8
		}
		if need == 0 || !p.room(need, releasesLeave) {
			if need = 0; !due || !p.room(0, limitsLeave) {
				return false
			}
		}
		if need == 0 {
			p.send(0, 0)
			return false
		}
	}
	room := min(uint64(p.packetMax), p.limit-min(p.limit, p.sent+uint64(releasesLeave.bytes)))
	notes := 0
	for len(p.notes) > notes && uint64(p.used+noteBytes) <= room {
		n := &p.notes[notes]
		b := p.packet[p.used : p.used+noteBytes]
		putRecord(b, &netio.Header{Seq: n.key, Tag: n.fault}, n.kind, n.number)
		putReference(b[recordHead:], n.reference)
		p.used += noteBytes
		notes++
	}
	p.notes = p.notes[:copy(p.notes, p.notes[notes:])]
	releases := 0
	rest := p.released.TakeNewest()
	for !rest.Empty() && uint64(p.used+releaseBytes) <= room {
		f := rest.Shift()
		in := f.Inside(access)
		binary.LittleEndian.PutUint32(p.packet[p.used:], uint32(in.Received))
		p.used += releaseBytes
		releases++
		in.Pool.TakeBack(f)
	}
	more = !rest.Empty() || len(p.notes) > 0
	for f := rest.Shift(); f != nil; f = rest.Shift() {
		p.released.Push(f)
	}
	p.send(notes, releases)
	return more
}

// send sends the packet.
func (p *peer) send(notes, releases int) {
	p.told = p.taken + p.window
	p.packets.countSent()
	h := head{
		token: p.token, process: uint32(p.w.place.Process), limit: p.told, records: uint16(p.records + notes),
		releases: uint16(releases), short: p.short,
		taken: p.packets.told,
	}
	h.seal(p.packet[:p.used])
	p.short = false
	p.sent += uint64(p.used)
	w := p.w
	w.counts.Packets++
	w.counts.Frames += uint64(p.records)
	tag, ok := w.calls.add(call{kind: sendPacket, peer: p, slot: p.slot, bytes: p.used})
	if !ok { // would take more open calls than slots
		w.broken(errors.New("too many calls are in progress"))
		return
	}
	p.packet, p.records, p.used = nil, 0, 0
	w.submit(tag)
}

// arrived handles a received packet.
func (w *Way) arrived(packet []byte) {
	h, member, err := unseal(packet, w.token)
	if !member {
		if w.counts.Strangers++; w.counts.Strangers == 1 {
			w.config.Log.Warn("drop a packet of a stranger", "bytes", len(packet))
		}
		return
	}
	if err == nil && (int64(h.process) >= int64(len(w.peers)) || w.peers[h.process] == nil) {
		err = fmt.Errorf("check packet: %w: process %d is not linked", netio.ErrDamaged, h.process)
	}
	if err != nil {
		w.after = append(w.after, func() { w.line.Tell(err) })
		return
	}
	p := w.peers[h.process]
	p.taken += uint64(len(packet)) // even if the process has finished
	p.limit = max(p.limit, h.limit)
	p.packets.countReceived(h.taken)
	if h.short {
		p.widen()
	}
	if err := p.handle(packet[packetHead:], &h); err != nil {
		w.damaged(p, err)
	}
	if due := p.due(); due || len(p.notes) > 0 || !p.released.Empty() {
		w.news.Store(true)
		if due {
			p.flush()
		}
	}
}

// due reports whether the process needs its new limit soon.
func (p *peer) due() bool {
	return p.short || p.taken+p.window-p.told >= p.window/4 || p.packets.due()
}

// widen lets the process send more at a time if memory for slabs is available.
func (p *peer) widen() {
	if p.window >= windowMax {
		return
	}
	all := p.window
	for _, o := range p.w.linked {
		all += o.window
	}
	if err := p.w.slabs.grow(p.w, all); err != nil {
		p.w.complain()
		return
	}
	p.window *= 2
	p.w.news.Store(true)
}

var errPacket = errors.New("its records make no sense")

// handle handles a packet.
func (p *peer) handle(b []byte, h *head) error {
	for range h.records {
		if len(b) < recordHead {
			return errPacket
		}
		header, number := record(b)
		b = b[recordHead:]
		extra := referenceBytes
		if header.Kind == netio.Data || header.Kind == netio.Control {
			if header.Bytes > eagerMax {
				return errPacket
			}
			extra = words(int(header.Bytes))
		}
		if len(b) < extra {
			return errPacket
		}
		if err := p.handleRecord(header, number, b[:extra]); err != nil {
			return err
		}
		b = b[extra:]
	}
	if len(b) < int(h.releases)*releaseBytes {
		return errPacket
	}
	for range h.releases {
		if err := p.release(binary.LittleEndian.Uint32(b)); err != nil {
			return err
		}
		b = b[releaseBytes:]
	}
	return nil
}

func (p *peer) handleRecord(h netio.Header, number frame.Number, extra []byte) error {
	switch h.Kind {
	case netio.Data, netio.Control:
		f := p.eager.Get(int(h.Bytes))
		f.Header = h
		copy(f.Payload(), extra)
		f.Inside(access).Received = number
		return p.deliver(f)
	case netio.Data | byReference, netio.Control | byReference:
		h.Kind &^= byReference
		return p.fetch(h, number, referenceIn(extra))
	}
	return p.w.handleNote(p, note{kind: h.Kind, key: h.Seq, number: number, fault: h.Tag, reference: referenceIn(extra)})
}

// deliver delivers a frame to its rank.
func (p *peer) deliver(f *netio.Frame) error {
	w := p.w
	if !p.place.Has(int(f.From)) || !w.place.Has(int(f.To)) {
		return fmt.Errorf("a frame from rank %d for rank %d", f.From, f.To)
	}
	w.ports[int(f.To)-w.place.First].over.Deliver(f)
	return nil
}

// fetch begins to get a frame's payload.
func (p *peer) fetch(h netio.Header, number frame.Number, from reference) error {
	if h.Bytes <= eagerMax || h.Bytes > netio.FrameBytesMax || uint64(h.Bytes) != from.bytes {
		return errPacket
	}
	w := p.w
	w.counts.Fetched++
	f := p.lend(int(h.Bytes))
	f.Header = h
	f.Inside(access).Received = number
	if r, _, ok := w.arena.find(f.Inside(access).Memory); ok {
		if tag, ok := w.calls.add(call{kind: fetchFrame, peer: p, mem: r, fetch: fetching{f, from}}); ok {
			w.submit(tag)
			return nil
		}
	}
	t := &transfer{peer: p, fetch: fetching{f, from}, at: from.at, key: from.key}
	t.op.Kind, t.op.Data = local.Get, f.Payload()
	t.sendAll()
	return nil
}

// lend lends a frame for a fetched payload, in registered memory if available.
func (p *peer) lend(bytes int) *netio.Frame {
	w, k := p.w, &p.keeper[1]
	if p.fetches.Inside(access).Has(bytes) {
		return p.fetches.Get(bytes)
	}
	if k.next = w.arena.alloc(int(netio.FrameCost(bytes))); k.next == nil {
		w.complain()
	}
	f := p.fetches.Get(bytes)
	if k.next != nil { // the pool had a frame after all
		w.arena.release(k.next)
		k.next = nil
	}
	return f
}

// fetched delivers a fetched frame.
func (p *peer) fetched(got fetching, err error) {
	f := got.frame
	if err == nil && cpu.Checksum(f.Payload()) == got.from.check {
		if err := p.deliver(f); err != nil {
			p.w.damaged(p, err)
		}
		return
	}
	f.Inside(access).Pool.TakeBack(f)
	if err != nil {
		p.w.loseUnlessTold(p, err)
		return
	}
	p.w.damaged(p, fmt.Errorf("wrong CRC32C of %d bytes", got.from.bytes))
}

// release takes back a frame that the process has released.
func (p *peer) release(number uint32) error {
	if p.over.Load() {
		return nil
	}
	if p.table.At(number) == nil {
		return fmt.Errorf("it has released number %d, and nothing is in flight by it", number)
	}
	p.table.Remove(number).frame.Release()
	return nil
}

// reclaim takes back the frames that the process will no longer release. The process may still be reading, so memory
// that it has seen is not used again.
func (p *peer) reclaim() {
	for n, at := range p.table.All() {
		at.frame.Inside(access).Stale = at.reference
		p.table.Remove(n).frame.Release()
	}
	rest := p.released.TakeNewest()
	for f := rest.Shift(); f != nil; f = rest.Shift() {
		f.Inside(access).Pool.TakeBack(f)
	}
}
