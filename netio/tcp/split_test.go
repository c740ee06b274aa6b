package tcp

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/frame"
	"github.com/activepebbles/pebbles/netio"
)

// split is a carrier that reads from memory up to each of some cuts, and then says once that nothing more has come.
type split struct {
	in    []byte
	done  int
	cuts  func(at int) bool // whether a read must end before this byte
	again bool
}

func (c *split) read(first, second []byte) (int, error) {
	if c.again = !c.again; c.again || c.done == len(c.in) {
		return 0, errAgain
	}
	n := 1
	for c.done+n < len(c.in) && !c.cuts(c.done+n) {
		n++
	}
	n = min(n, len(first)+len(second))
	part := copy(first, c.in[c.done:c.done+n])
	copy(second, c.in[c.done+part:c.done+n])
	c.done += n
	return n, nil
}

func (c *split) write([][]byte) (int, error) { panic("it only reads") }
func (c *split) endWriting() error           { panic("it only reads") }

// wire is one message as it travels on a stream, and what comes of it.
type wire struct {
	name   string
	stream int
	bytes  []byte
}

// wires are messages of every kind, on every stream that they may come on.
func wires() (all []wire) {
	const slots = 6
	for stream, kind := range [streamCount]netio.Kind{controlStream: netio.Control, dataStream: netio.Data} {
		for _, payload := range []string{"", "x", "some payload"} {
			all = append(all, wire{fmt.Sprintf("frame of kind %d with %d bytes", kind, len(payload)), stream, encode(sample(kind, 2, 1, payload))})
		}
		all = append(all,
			wire{fmt.Sprintf("heartbeat on stream %d", stream), stream, encode(message(heartbeat, ""))},
			wire{fmt.Sprintf("goodbye on stream %d", stream), stream, encode(message(goodbye, ""))})
		for n := 1; n <= slots; n += slots - 1 {
			var some []uint32
			for slot := range uint32(n) {
				some = append(some, slot)
			}
			all = append(all, wire{fmt.Sprintf("acknowledgement of %d on stream %d", n, stream), stream, encode(message(acknowledgement, string(slotsOf(some...))))})
		}
	}
	return append(all,
		wire{"abort without a reason", controlStream, encode(message(abort, ""))},
		wire{"abort", controlStream, encode(message(abort, "the reason"))})
}

// came is what a stream has come to: the frames that were received, those that were acknowledged, and how it ended.
type came struct {
	frames       []string
	acknowledged int64
	end          string
}

// readSplit reads a message, a frame and a goodbye, in pieces. Six frames are in flight, which the message may
// acknowledge.
func readSplit(t *testing.T, w wire, cuts func(at int) bool) (got came) {
	tr := newTransport(Config{Place: netio.PlaceOf(4, 2, 0)})
	defer tr.Close()
	peer := tr.peers[1]
	pool := netio.NewPool(nil)
	var account netio.Account
	for range 6 {
		f := dataFrame(pool, &account)
		peer.sent.enter(f)
		peer.sent.written(f)
	}
	kind := netio.Data
	if w.stream == controlStream {
		kind = netio.Control
	}
	in := bytes.Join([][]byte{w.bytes, encode(sample(kind, 3, 0, "the next one")), encode(message(goodbye, ""))}, nil)
	r := newReader(peer.streams[w.stream])
	c := &split{in: in, cuts: cuts}
	for steps := 0; !r.over; steps++ {
		require.LessOrEqual(t, steps, 2*len(in)+2, "%s: the reader waits for more", w.name)
		if err := r.step(c); err != nil && err != errAgain {
			got.end = err.Error()
			break
		}
	}
	for rank := range 2 {
		for f := tr.Port(rank).Recv(); f != nil; f = tr.Port(rank).Recv() {
			got.frames = append(got.frames, fmt.Sprint(rank, f.Header, f.Inside(access).Received, string(f.Payload())))
			f.Release()
		}
	}
	pool.Lent()
	got.acknowledged = 6 - account.InFlight()
	r.drop()
	return got
}

// TestMessagesMayBeSplitAnywhere cuts the stream at each byte of a message of every kind, and into pieces of every
// length up to all of it: the same comes of it as when all comes at once.
func TestMessagesMayBeSplitAnywhere(t *testing.T) {
	for _, w := range wires() {
		whole := readSplit(t, w, func(int) bool { return false })
		for cut := 1; cut <= len(w.bytes); cut++ {
			require.Equal(t, whole, readSplit(t, w, func(at int) bool { return at == cut }), "%s: cut after byte %d of %d", w.name, cut, len(w.bytes))
			require.Equal(t, whole, readSplit(t, w, func(at int) bool { return at%cut == 0 }), "%s: %d bytes at a time", w.name, cut)
		}
		switch frames := len(whole.frames); {
		case w.bytes[0] == byte(goodbye):
			require.Equal(t, came{}, whole, w.name)
		case w.bytes[0] == byte(abort):
			require.Contains(t, whole.end, "ended the job", w.name)
		case w.bytes[0] == byte(acknowledgement):
			require.EqualValues(t, (len(w.bytes)-frame.WireHeader)/slotBytes, whole.acknowledged, w.name)
			require.Equal(t, 1, frames, w.name)
		case w.bytes[0] == byte(heartbeat):
			require.Equal(t, 1, frames, w.name)
		default:
			require.Equal(t, 2, frames, w.name)
		}
	}
}
