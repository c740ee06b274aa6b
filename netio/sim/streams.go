package sim

import (
	"fmt"
	"hash/crc32"

	"github.com/activepebbles/pebbles/netio"
)

// envelope is a frame's sequence number and checksum, which let its receiver detect faults.
type envelope struct {
	stream *stream
	number uint64
	sum    uint32
}

// stream numbers the frames from one process to another, like a connection.
type stream struct {
	from, to *Process
	sent     uint64
	below    uint64          // all frames with lower numbers have arrived
	beyond   map[uint64]bool // frames that have arrived out of order
	watched  bool            // a check of the sent number is planned
}

func (i *injector) stream(from, to *Process) *stream {
	key := [2]int{from.place.Process, to.place.Process}
	s := i.streams[key]
	if s == nil {
		s = &stream{from: from, to: to, beyond: map[uint64]bool{}}
		i.streams[key] = s
	}
	return s
}

// receive records the arrival of a frame, and reports whether it is the first copy. It is called at the time of
// sending: a frame takes less than the silence limit, and an unreceived frame in its rank's inbox is not missing.
func (s *stream) receive(number uint64) bool {
	if number < s.below || s.beyond[number] {
		return false
	}
	s.beyond[number] = true
	for s.beyond[s.below] {
		delete(s.beyond, s.below)
		s.below++
	}
	return true
}

// send sends a frame over a link with faults. opens marks the first frame of a batch.
func (i *injector) send(r, to *rank, k class, at instant, f *netio.Frame, opens bool) {
	w := i.world
	at += i.delay()
	if k == withinProcess {
		w.deliver(to, parcel{at, w.number(), f, nil, opens})
		return
	}
	s := i.stream(r.process, to.process)
	e := &envelope{s, s.sent, checksum(f)}
	s.sent++
	i.watch(s)
	at, never := i.partitioned(r, to, at)
	if never || i.drawn(i.Loss) {
		i.lose(f)
		return
	}
	if i.drawn(i.Corrupt) {
		i.damage(f)
	}
	copies := 1
	if i.drawn(i.Double) {
		w.stats.Duplicated++
		copies++
	}
	for range copies {
		if s.receive(e.number) {
			w.deliver(to, parcel{at, w.number(), f, e, opens})
		}
	}
}

func (i *injector) drawn(chance float64) bool { return chance > 0 && i.random.Float64() < chance }

// delay returns the delay of a frame.
func (i *injector) delay() instant {
	if !i.drawn(i.Delay) {
		return 0
	}
	i.world.stats.Delayed++
	return instant(i.random.Int64N(int64(instantOf(i.DelayMost)) + 1))
}

// late returns the arrival of a request or an answer that would arrive at a given moment without faults. It reports
// true if it never arrives. Random loss, damage and duplication affect only frames.
func (i *injector) late(from, to *rank, at instant) (instant, bool) {
	if !i.active() {
		return at, false
	}
	at += i.delay()
	return i.partitioned(from, to, at)
}

// lose drops a frame, and keeps its memory until the job's end. Its sender gets no error.
func (i *injector) lose(f *netio.Frame) {
	i.world.stats.Lost++
	i.lost.Push(f)
}

// damage flips a bit of a frame.
func (i *injector) damage(f *netio.Frame) {
	i.world.stats.Corrupted++
	if bit := i.random.IntN(8 * (int(f.Bytes) + 1)); bit/8 < int(f.Bytes) {
		f.Payload()[bit/8] ^= 1 << (bit % 8)
	} else {
		f.Tag ^= 1 << (bit % 8)
	}
}

// partitioned returns the arrival of a frame across partitions. It reports true if the frame never arrives.
func (i *injector) partitioned(r, to *rank, at instant) (instant, bool) {
	a, b := r.process.place.Process, to.process.place.Process
	for _, p := range i.Partitions {
		if (a < p.Below) == (b < p.Below) || r.clock < instantOf(p.At) || r.clock >= instantOf(p.At+p.For) {
			continue
		}
		if p.For >= i.Silence {
			return at, true
		}
		at += instantOf(p.At+p.For) - r.clock
	}
	return at, false
}

// watch plans a check that all sent frames have arrived, late enough for all of them.
func (i *injector) watch(s *stream) {
	if s.watched {
		return
	}
	s.watched = true
	count := s.sent
	w := i.world
	w.plan(w.time()+instantOf(i.Silence), func() { i.compare(s, count) })
}

// compare ends the job if one of those frames is missing.
func (i *injector) compare(s *stream, count uint64) {
	w := i.world
	w.mu.Lock()
	s.watched = false
	missing := s.below < count && !s.to.down
	if s.sent > count {
		i.watch(s)
	}
	w.mu.Unlock()
	if missing {
		s.to.fail(s.from.loss(fmt.Errorf("%w: frame %d of %d", ErrMissing, s.below+1, count)))
	}
}

// intact reports whether a parcel's frame is undamaged. The world is locked.
func (i *injector) intact(r *rank, p parcel) bool {
	if checksum(p.frame) == p.envelope.sum {
		return true
	}
	i.lost.Push(p.frame)
	e := p.envelope
	err := e.stream.from.loss(fmt.Errorf("%w: frame %d has a wrong checksum", netio.ErrDamaged, e.number+1))
	i.world.plan(i.world.time(), func() { r.process.fail(err) })
	return false
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// checksum returns a checksum of the header and the payload.
func checksum(f *netio.Frame) uint32 {
	var head [48]byte
	h := f.Header
	fields := []uint32{
		uint32(h.Kind) | uint32(h.Flags)<<8 | uint32(h.Target)<<16, h.Epoch, h.From, h.To,
		h.Count, h.Bytes, h.Check, h.Tag, uint32(h.Seq), uint32(h.Seq >> 32),
	}
	for i, v := range fields {
		head[4*i], head[4*i+1], head[4*i+2], head[4*i+3] = byte(v), byte(v>>8), byte(v>>16), byte(v>>24)
	}
	return crc32.Update(crc32.Checksum(head[:], castagnoli), castagnoli, f.Payload())
}
