package ofi

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"sync/atomic"

	"github.com/activepebbles/pebbles/internal/frame"
	"github.com/activepebbles/pebbles/internal/pending"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/internal/local"
)

// link is another process. All fields are guarded by the way's lock, except those that are for any goroutine.
//
// Flow control is by bytes. Each end counts the bytes of the packets that it has sent. The receiver tells the sender a
// limit for that count: the bytes that it has taken out, plus a window. Packets with frames leave the last part of the
// window (framesLeave) to packets that carry only releases, notes and limits. These leave the rest (releasesLeave) to
// packets that carry a limit alone. An end sends a bare limit after each quarter of a window that it has received, and
// once when its frames found no room. The rest of the window has room for all of these before the other end has taken
// them out: so a limit can always be sent, and no two ends wait for each other forever. Where the fabric bounds the
// number of packets in flight, packets are counted in the same way.
type link struct {
	w       *Way
	place   netio.Place
	peer    uint64
	token   uint64      // of packets to it
	onHost  bool        // it shares processors with this process
	address []byte      // of its endpoint
	over    atomic.Bool // nothing will be released there any more; for anybody

	packets   allowance
	sent      uint64 // bytes
	limit     uint64 // of sent
	short     bool   // frames found no room since the last packet
	shortAt   uint64 // the limit at which that was told last
	packetMax int
	packet    []byte // that is being filled; nil when there is none
	slot      uint32 // of it
	used      int
	records   int
	table     pending.Table[sent]
	notes     []note

	taken    uint64 // bytes
	told     uint64 // the limit that it was told last
	window   uint64
	losing   bool
	released netio.Stack // frames of its that were released here, which it is to be told; for anybody
	eager    *netio.Pool // lends frames for what came in packets
	fetches  *netio.Pool // and for what is fetched
	keeper   [2]received
	leases   map[uint64]*lease
}

// sent is a frame that it has yet to release.
type sent struct {
	frame     *netio.Frame
	reference bool // it may fetch it
}

// note is a record that is no frame.
type note struct {
	kind   netio.Kind
	key    uint64
	number frame.Number
	fault  uint32
	reference
}

const noteBytes = recordHead + referenceBytes

// reserve is what some packets leave of a window to others.
type reserve struct{ bytes, packets int }

var (
	framesLeave   = reserve{8 << 10, 16}
	releasesLeave = reserve{1 << 10, 12} // and notes
	limitsLeave   = reserve{}
)

func newLink(w *Way, p netio.Place, peer uint64, g greeting) *link {
	l := &link{w: w, place: p, peer: peer, token: g.Token, packetMax: min(w.packet, g.Packet), packets: allowance{here: w.fabric.Traits().Packets, there: g.Packets}, limit: windowFirst, told: windowFirst, window: windowFirst, leases: make(map[uint64]*lease)}
	for i := range l.keeper {
		l.keeper[i].link = l
	}
	l.eager, l.fetches = netio.NewPool(&l.keeper[0]), netio.NewPool(&l.keeper[1])
	return l
}

// room makes room for so many bytes in the open packet, or opens one, if that leaves a part of the window. It reports
// false when there is no room.
func (l *link) room(need int, leave reserve) bool {
	if l.packet != nil && l.used+need > l.packetMax-packetRest {
		l.flush()
	}
	used := packetHead
	if l.packet != nil {
		used = l.used
	}
	if l.sent+uint64(used+need+leave.bytes) > l.limit || !l.packets.room(leave.packets) {
		return false
	}
	if l.packet == nil {
		slot, ok := l.w.slots.acquire(l.w)
		if !ok {
			l.w.noSlot = true
			return false
		}
		l.slot, l.used = slot, packetHead
		l.packet, _ = l.w.slots.at(slot)
	}
	return true
}

// add adds a frame to the packet, if there is room for it.
func (l *link) add(f *netio.Frame) bool {
	in := f.Inside(access)
	need, large := recordHead, f.Bytes > eagerMax
	var ref reference
	if large {
		r, offset, ok := l.w.arena.find(in.Memory)
		if !ok || int(f.Bytes) > l.w.fabric.Traits().Message {
			return false
		}
		need += referenceBytes
		ref = reference{r.at(offset + frame.HeaderRoom), r.key, uint64(f.Bytes), 0}
	} else {
		need += words(int(f.Bytes))
	}
	if !l.room(need, framesLeave) {
		if l.shortAt != l.limit { // or it would tell it with all that is left of the window
			l.short, l.shortAt = true, l.limit
			l.w.news.Store(true)
		}
		l.flush()
		return false
	}
	kind, number := f.Kind, frame.None
	if large || f.Kind == netio.Data {
		number = frame.Number(l.table.Add(sent{f, large}))
	}
	b := l.packet[l.used : l.used+need]
	if large {
		kind |= byReference
		ref.check = crc32.Checksum(f.Payload(), castagnoli)
		putReference(b[recordHead:], ref)
	} else {
		clear(b[recordHead+copy(b[recordHead:], f.Payload()):])
	}
	putRecord(b, &f.Header, kind, number)
	l.used += need
	l.records++
	if f.Kind == netio.Control || l.used+recordHead+256 > l.packetMax-packetRest {
		l.flush()
	} else {
		l.w.news.Store(true)
		l.w.late.Arm()
	}
	if number == frame.None {
		f.Release()
	}
	return true
}

// say has a note told soon.
func (l *link) say(n note) {
	l.notes = append(l.notes, n)
	l.w.news.Store(true)
}

// flush sends what there is to tell. What there is no room for waits until the other end has looked.
func (l *link) flush() {
	if l.over.Load() {
		return
	}
	for {
		full := l.flushOnce()
		if !full {
			return
		}
	}
}

// flushOnce reports whether there may be more to tell.
func (l *link) flushOnce() (more bool) {
	due := l.due()
	if l.packet == nil && l.released.Empty() && len(l.notes) == 0 && !due {
		return false
	}
	if l.packet == nil {
		need := 0
		if len(l.notes) > 0 {
			need = noteBytes
		} else if !l.released.Empty() {
			need = 8
		}
		if need == 0 || !l.room(need, releasesLeave) {
			if need = 0; !due || !l.room(0, limitsLeave) {
				return false
			}
		}
		if need == 0 {
			l.send(0, 0)
			return false
		}
	}
	room := min(uint64(l.packetMax), l.limit-min(l.limit, l.sent+uint64(releasesLeave.bytes)))
	notes := 0
	for len(l.notes) > notes && uint64(l.used+noteBytes) <= room {
		n := &l.notes[notes]
		b := l.packet[l.used : l.used+noteBytes]
		putRecord(b, &netio.Header{Seq: n.key, Tag: n.fault}, n.kind, n.number)
		putReference(b[recordHead:], n.reference)
		l.used += noteBytes
		notes++
	}
	l.notes = l.notes[:copy(l.notes, l.notes[notes:])]
	releases := 0
	rest := l.released.TakeNewest()
	for !rest.Empty() && uint64(l.used+releaseBytes) <= room {
		f := rest.Shift()
		in := f.Inside(access)
		binary.LittleEndian.PutUint32(l.packet[l.used:], uint32(in.Received))
		l.used += releaseBytes
		releases++
		in.Pool.TakeBack(f)
	}
	more = !rest.Empty() || len(l.notes) > 0
	for f := rest.Shift(); f != nil; f = rest.Shift() {
		l.released.Push(f)
	}
	l.send(notes, releases)
	return more
}

// send lets the packet leave.
func (l *link) send(notes, releases int) {
	l.told = l.taken + l.window
	l.packets.countSent()
	h := head{
		token: l.token, process: uint32(l.w.place.Process), limit: l.told, records: uint16(l.records + notes), releases: uint16(releases), short: l.short,
		taken: l.packets.told,
	}
	h.seal(l.packet[:l.used])
	l.short = false
	l.sent += uint64(l.used)
	w := l.w
	w.counts.Packets++
	w.counts.Frames += uint64(l.records)
	tag, ok := w.calls.add(call{kind: sendPacket, link: l, slot: l.slot, bytes: l.used})
	if !ok { // which takes as many calls as there are slots, and more
		w.broken(errors.New("too many calls are in progress"))
		return
	}
	l.packet, l.records, l.used = nil, 0, 0
	w.begin(tag)
}

// arrived takes in a packet.
func (w *Way) arrived(packet []byte) {
	h, member, err := unseal(packet, w.token)
	if !member {
		if w.counts.Strangers++; w.counts.Strangers == 1 {
			w.config.Log.Warn("drop a packet of a stranger", "bytes", len(packet))
		}
		return
	}
	if err == nil && (int64(h.process) >= int64(len(w.links)) || w.links[h.process] == nil) {
		err = fmt.Errorf("check packet: %w: process %d is not linked", netio.ErrDamaged, h.process)
	}
	if err != nil {
		w.after = append(w.after, func() { w.line.Tell(err) })
		return
	}
	l := w.links[h.process]
	l.taken += uint64(len(packet)) // of one that has finished, too
	l.limit = max(l.limit, h.limit)
	l.packets.countReceived(h.taken)
	if h.short {
		l.widen()
	}
	if err := l.handle(packet[packetHead:], &h); err != nil {
		w.damaged(l, err)
	}
	if due := l.due(); due || len(l.notes) > 0 || !l.released.Empty() {
		w.news.Store(true)
		if due {
			l.flush()
		}
	}
}

// due reports whether the process is to be told soon how far it may count.
func (l *link) due() bool {
	return l.short || l.taken+l.window-l.told >= l.window/4 || l.packets.due()
}

// widen lets the process send more at a time, if slabs can be had for it.
func (l *link) widen() {
	if l.window >= windowMax {
		return
	}
	all := l.window
	for _, o := range l.w.linked {
		all += o.window
	}
	if err := l.w.slabs.grow(l.w, all); err != nil {
		l.w.complain()
		return
	}
	l.window *= 2
	l.w.news.Store(true)
}

var errPacket = errors.New("its records make no sense")

// handle takes in what a packet says.
func (l *link) handle(b []byte, h *head) error {
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
		if err := l.handleRecord(header, number, b[:extra]); err != nil {
			return err
		}
		b = b[extra:]
	}
	if len(b) < int(h.releases)*releaseBytes {
		return errPacket
	}
	for range h.releases {
		if err := l.release(binary.LittleEndian.Uint32(b)); err != nil {
			return err
		}
		b = b[releaseBytes:]
	}
	return nil
}

func (l *link) handleRecord(h netio.Header, number frame.Number, extra []byte) error {
	switch h.Kind {
	case netio.Data, netio.Control:
		f := l.eager.Get(int(h.Bytes))
		f.Header = h
		copy(f.Payload(), extra)
		f.Inside(access).Received = number
		return l.deliver(f)
	case netio.Data | byReference, netio.Control | byReference:
		h.Kind &^= byReference
		return l.fetch(h, number, referenceIn(extra))
	}
	return l.w.handleNote(l, note{kind: h.Kind, key: h.Seq, number: number, fault: h.Tag, reference: referenceIn(extra)})
}

// deliver hands a frame to its rank.
func (l *link) deliver(f *netio.Frame) error {
	w := l.w
	if !l.place.Has(int(f.From)) || !w.place.Has(int(f.To)) {
		return fmt.Errorf("a frame from rank %d for rank %d", f.From, f.To)
	}
	w.ports[int(f.To)-w.place.First].over.Deliver(f)
	return nil
}

// fetch begins to get a frame's payload.
func (l *link) fetch(h netio.Header, number frame.Number, from reference) error {
	if h.Bytes <= eagerMax || h.Bytes > netio.FrameBytesMax || uint64(h.Bytes) != from.bytes {
		return errPacket
	}
	w := l.w
	w.counts.Fetched++
	f := l.lend(int(h.Bytes))
	f.Header = h
	f.Inside(access).Received = number
	if r, _, ok := w.arena.find(f.Inside(access).Memory); ok {
		if tag, ok := w.calls.add(call{kind: fetchFrame, link: l, mem: r, fetch: fetching{f, from}}); ok {
			w.begin(tag)
			return nil
		}
	}
	t := &transfer{link: l, fetch: fetching{f, from}, at: from.at, key: from.key}
	t.op.Kind, t.op.Data = local.Get, f.Payload()
	t.run()
	return nil
}

// lend lends a frame for what is fetched, of memory that is registered if there is some.
func (l *link) lend(bytes int) *netio.Frame {
	w, k := l.w, &l.keeper[1]
	if l.fetches.Inside(access).Has(bytes) {
		return l.fetches.Get(bytes)
	}
	if k.next = w.arena.alloc(int(netio.FrameCost(bytes))); k.next == nil {
		w.complain()
	}
	f := l.fetches.Get(bytes)
	if k.next != nil { // the pool had one after all
		w.arena.release(k.next)
		k.next = nil
	}
	return f
}

// fetched hands over what was fetched.
func (l *link) fetched(got fetching, err error) {
	f := got.frame
	if err == nil && crc32.Checksum(f.Payload(), castagnoli) == got.from.check {
		if err := l.deliver(f); err != nil {
			l.w.damaged(l, err)
		}
		return
	}
	f.Inside(access).Pool.TakeBack(f)
	if err != nil {
		l.w.loseUnlessTold(l, err)
		return
	}
	l.w.damaged(l, fmt.Errorf("wrong CRC32C of %d bytes", got.from.bytes))
}

// release takes back a frame that the process has released.
func (l *link) release(number uint32) error {
	if l.over.Load() {
		return nil
	}
	if l.table.At(number) == nil {
		return fmt.Errorf("it has released number %d, and nothing is in flight by it", number)
	}
	l.table.Remove(number).frame.Release()
	return nil
}

// end gives back what the process will not release any more. It may be reading still: memory that it was shown is not
// used again.
func (l *link) end() {
	for n, at := range l.table.All() {
		at.frame.Inside(access).Stale = at.reference
		l.table.Remove(n).frame.Release()
	}
	rest := l.released.TakeNewest()
	for f := rest.Shift(); f != nil; f = rest.Shift() {
		f.Inside(access).Pool.TakeBack(f)
	}
}

// received keeps the pool of frames that came from a process.
type received struct {
	netio.Heap

	link *link
	next []byte // memory for the next frame; nil is Go's
}

// Memory implements [netio.Keeper].
func (r *received) Memory(n int) []byte {
	if mem := r.next; mem != nil {
		r.next = nil
		return mem
	}
	return r.Heap.Memory(n)
}

// Drop implements [netio.Keeper].
func (r *received) Drop(f *netio.Frame) { r.link.w.arena.release(f.Inside(access).Memory) }

// Release implements [netio.Keeper].
func (r *received) Release(p *netio.Pool, f *netio.Frame) {
	l := r.link
	if f.Inside(access).Received == frame.None || l.over.Load() {
		p.TakeBack(f)
		return
	}
	if l.released.Push(f) {
		l.w.news.Store(true)
		l.w.late.Arm()
	}
	if l.over.Load() { // whoever ended it may have looked before
		rest := l.released.TakeNewest()
		for f := rest.Shift(); f != nil; f = rest.Shift() {
			f.Inside(access).Pool.TakeBack(f)
		}
	}
}
