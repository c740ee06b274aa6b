package tcp

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

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

// wire is one message as it travels on a stream, and how many frames it acknowledges.
type wire struct {
	name   string
	stream int
	bytes  []byte
	acks   int
}

// wires are messages of every kind, on every stream that they may come on, whose headers acknowledge a frame or none.
func wires() (all []wire) {
	const slots = 6
	add := func(name string, stream, acks int, m *netio.Frame) {
		name = fmt.Sprintf("%s on stream %d", name, stream)
		all = append(all, wire{name, stream, bytes.Clone(encode(m, 0)), acks},
			wire{name + ", with an acknowledgement", stream, encode(m, slots), acks + 1})
	}
	for stream, kind := range [streamCount]netio.Kind{controlStream: netio.Control, dataStream: netio.Data} {
		for _, payload := range []string{"", "x", "some payload"} {
			add(fmt.Sprintf("frame with %d bytes", len(payload)), stream, 0, sample(kind, 2, 1, payload))
		}
		add("heartbeat", stream, 0, message(heartbeat, ""))
		add("goodbye", stream, 0, message(goodbye, ""))
		for n := 1; n < slots; n += slots - 2 {
			var some []uint32
			for slot := range uint32(n) {
				some = append(some, slot)
			}
			add(fmt.Sprintf("acknowledgement of %d", n), stream, n, message(acknowledgement, string(slotsOf(some...))))
		}
		bare := encode(message(acknowledgement, ""), slots)
		all = append(all, wire{fmt.Sprintf("bare acknowledgement on stream %d", stream), stream, bare, 1})
	}
	add("abort without a reason", controlStream, 0, message(abort, ""))
	add("abort", controlStream, 0, message(abort, "the reason"))
	return all
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
	next, end := encode(sample(kind, 3, 0, "the next one"), 0), encode(message(goodbye, ""), 0)
	in := bytes.Join([][]byte{w.bytes, next, end}, nil)
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
		require.EqualValues(t, w.acks, whole.acknowledged, w.name)
		switch frames := len(whole.frames); {
		case w.bytes[0] == byte(goodbye):
			require.Zero(t, frames, w.name)
			require.Empty(t, whole.end, w.name)
		case w.bytes[0] == byte(abort):
			require.Contains(t, whole.end, "ended the job", w.name)
		case w.bytes[0] == byte(acknowledgement), w.bytes[0] == byte(heartbeat):
			require.Equal(t, 1, frames, w.name)
		default:
			require.Equal(t, 2, frames, w.name)
		}
	}
}
