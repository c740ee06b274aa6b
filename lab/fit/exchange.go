package fit

import (
	"unsafe"

	"github.com/activepebbles/pebbles/netio"
)

// tradeSizes are those of frames that both ends exchange.
var tradeSizes = []int{64, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536}

// tradeBytes is how many bytes a trade has in flight: a link's credit. Where the kernel copies frames it is eight times
// as much, as of a rank with eight links: those copies must not stay in the caches of a core. Cache misses on a rank's
// own frames are part of the costs of an application's pebbles.
func (e *end) tradeBytes() int64 {
	if e.batches {
		return 8 * inFlight
	}
	return inFlight
}

// tradeFrames is the number of frames of a trade: as many as may be in flight, and at least an eighth of those of a
// stream.
func (e *end) tradeFrames(bytes, stream int) int {
	return max(stream/8, int(e.tradeBytes()/netio.FrameCost(bytes)))
}

// trade is the time of a frame sent and a frame received by an end, while both ends do both as fast as they can: what
// frames cost the processors at both ends, for neither waits. Both ends write and read all words of a frame, as filling
// buffers and handling pebbles does. They send as much as may be in flight, and then receive what the other end has
// sent. With alone they pause after each frame, so that each frame leaves by itself.
//
// beyond is how much longer that takes than to write and read the frames without sending them, which both ends do
// afterwards.
func (e *end) trade(bytes, frames int, alone bool) (beyond float64, err error) {
	start := e.Now()
	sent, taken := 0, 0
	for polls := 0; taken < frames || sent < frames; {
		if err := e.failure(); err != nil {
			return 0, err
		}
		before := sent + taken
		if alone || taken >= sent {
			sent += e.burst(bytes, frames-sent, alone)
		}
		for taken < frames {
			f := e.Recv()
			if f == nil {
				break
			}
			e.checksum += addWords(f)
			f.Release()
			taken++
		}
		if sent+taken > before {
			polls = 0
		} else if err := e.idle(&polls); err != nil {
			return 0, err
		}
	}
	seconds := (e.Now() - start).Seconds() / float64(frames)
	if err := e.room(0); err != nil {
		return 0, err
	}
	return seconds - e.touching(bytes, frames), e.failure()
}

// burst sends as many frames as may be in flight, or one alone, and returns how many.
func (e *end) burst(bytes, most int, alone bool) (sent int) {
	if alone {
		most = min(most, 1)
	}
	for ; sent < most && e.roomFor(bytes); sent++ {
		e.post(bytes)
	}
	if alone && sent > 0 {
		e.Pause()
	}
	return sent
}

// roomFor reports whether another frame may be in flight.
func (e *end) roomFor(bytes int) bool {
	most := e.tradeBytes() - netio.FrameCost(bytes)
	return e.Pool().LentAtMost() <= most || e.Pool().Lent() <= most
}

// touching is the time of a frame that is written and read by the same end, among as many as a trade has in flight: the
// part of a trade that the link does not cause.
func (e *end) touching(bytes, frames int) (seconds float64) {
	start := e.Now()
	var filled netio.Frames
	for i := 0; i < frames && e.failure() == nil; i++ {
		if !e.roomFor(bytes) {
			e.drain(&filled)
		}
		filled.Push(e.fill(bytes))
	}
	for !filled.Empty() {
		e.drain(&filled)
	}
	return (e.Now() - start).Seconds() / float64(frames)
}

// drain reads and releases the first frame.
func (e *end) drain(filled *netio.Frames) {
	f := filled.Shift()
	e.checksum += addWords(f)
	f.Release()
}

// post sends a frame all of whose words are written.
func (e *end) post(bytes int) {
	e.sent++
	e.Send(e.fill(bytes))
}

func (e *end) fill(bytes int) *netio.Frame {
	f := e.Pool().Get(bytes)
	f.Kind, f.From, f.To, f.Bytes, f.Tag = netio.Data, e.self, 1-e.self, uint32(bytes), receive
	w := words(f)
	for i := range w {
		w[i] = uint64(i)
	}
	return f
}

func addWords(f *netio.Frame) (sum uint64) {
	for _, w := range words(f) {
		sum += w
	}
	return sum
}

// words are those of a frame's payload.
func words(f *netio.Frame) []uint64 {
	return unsafe.Slice((*uint64)(f.Base()), f.Bytes/8)
}

// trades asks the other end to exchange frames, and does so.
func (e *end) trades(bytes, frames int, alone bool) (beyond float64, err error) {
	command := uint32(trade)
	if alone {
		command = tradeAlone
	}
	e.sendWith(command, bytes, uint64(frames))
	if err := e.room(0); err != nil {
		return 0, err
	}
	return e.trade(bytes, frames, alone)
}
