package fit

import (
	"unsafe"

	"github.com/activepebbles/pebbles/netio"
)

var exchangeSizes = []int{64, 512, 2048, 4096, 8192, 16384}

// exchange is the time of a frame sent and a frame taken in by an end, while both ends do both as fast as they can: what a frame
// costs the processors when none of them waits, though the ends lie on two cores. Both ends write and read all words of a frame, as
// those who fill buffers and handle pebbles do.
func (e *end) exchange(bytes, frames int) (seconds float64, err error) {
	start := e.Now()
	if err := e.trade(bytes, frames); err != nil {
		return 0, err
	}
	return (e.Now() - start).Seconds() / float64(frames), nil
}

// trade sends so many frames and takes in as many.
func (e *end) trade(bytes, frames int) error {
	most := underWay - netio.FrameCost(bytes)
	sent, taken, sum := 0, 0, uint64(0)
	for idle := 0; taken < frames || sent < frames; {
		worked := false
		if sent < frames && (e.Pool().LentAtMost() <= most || e.Pool().Lent() <= most) {
			e.post(bytes)
			sent, worked = sent+1, true
		}
		for f := e.Recv(); f != nil && taken < frames; f = e.Recv() {
			sum += addWords(f)
			f.Release()
			taken, worked = taken+1, true
		}
		if worked {
			idle = 0
			continue
		}
		if err := e.idle(&idle); err != nil {
			return err
		}
	}
	e.checksum += sum
	return e.room(0)
}

// post sends a frame all of whose words are written.
func (e *end) post(bytes int) {
	f := e.Pool().Get(bytes)
	f.Kind, f.From, f.To, f.Bytes, f.Tag = netio.Data, e.self, 1-e.self, uint32(bytes), take
	for i, w := 0, words(f); i < len(w); i++ {
		w[i] = uint64(i)
	}
	e.sent++
	e.Send(f)
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
