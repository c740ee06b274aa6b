package tcp

import (
	"bytes"
	"fmt"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/activepebbles/pebbles/netio"
)

// trickle is a carrier that reads from and writes to memory, a few bytes at a time, and now and then is not ready.
type trickle struct {
	t    *rapid.T
	in   []byte
	out  []byte
	over bool // endWriting was called
}

func (c *trickle) draw() int {
	if rapid.IntRange(0, 3).Draw(c.t, "not ready") == 0 {
		return 0
	}
	most := rapid.SampledFrom([]int{100, 9000, 60_000}).Draw(c.t, "most")
	return rapid.IntRange(1, most).Draw(c.t, "bytes")
}

func (c *trickle) read(first, second []byte) (int, error) {
	n := min(c.draw(), len(c.in))
	if n == 0 {
		return 0, errAgain
	}
	part := copy(first, c.in[:n])
	n = part + copy(second, c.in[part:n])
	c.in = c.in[n:]
	return n, nil
}

func (c *trickle) write(pieces [][]byte) (int, error) {
	all := bytes.Join(pieces, nil)
	n := min(c.draw(), len(all))
	c.out = append(c.out, all[:n]...)
	if n < len(all) {
		return n, errAgain
	}
	return n, nil
}

func (c *trickle) endWriting() error {
	c.over = true
	return nil
}

// drawFrames draws frames from rank 2 or 3 to rank 0 or 1, of sizes around all bounds of reading and writing.
func drawFrames(t *rapid.T, kind netio.Kind) (all []*netio.Frame) {
	sizes := rapid.SampledFrom([]int{0, 1, 100, beyondBytes - 1, beyondBytes, wholeBytesMin - 1, wholeBytesMin, 40_000})
	for range rapid.IntRange(0, 12).Draw(t, "frames") {
		n := sizes.Draw(t, "size")
		f := sample(kind, rapid.Uint32Range(2, 3).Draw(t, "from"), rapid.Uint32Range(0, 1).Draw(t, "to"), "")
		g := netio.NewPool(nil).Get(n)
		g.Header, g.Inside(access).Sent = f.Header, f.Inside(access).Sent
		g.Bytes, g.Seq = uint32(n), f.Seq+uint64(len(all))
		for i := range g.Payload() {
			g.Payload()[i] = byte(i*7 + len(all))
		}
		all = append(all, g)
	}
	return all
}

// TestReaderGoesOnAnywhere stops at any byte, any number of times: all frames arrive intact, in order.
func TestReaderGoesOnAnywhere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sent := drawFrames(t, netio.Data)
		tr := newTransport(Config{Place: netio.PlaceOf(4, 2, 0)})
		r := newReader(tr.peer(1).streams[dataStream])
		r.in = r.in[:wholeBytesMin] // small enough to be filled
		c := &trickle{t: t, in: append(join(sent...), encode(message(goodbye, ""), 0)...)}
		for !r.over {
			if err := r.step(c); err != nil {
				require.ErrorIs(t, err, errAgain)
			}
		}
		for _, f := range sent {
			g := tr.Port(int(f.To)).Recv()
			require.NotNil(t, g)
			require.Equal(t, f.Header, g.Header)
			require.Equal(t, f.Inside(access).Sent, g.Inside(access).Received)
			require.Equal(t, f.Payload(), g.Payload())
			g.Release()
		}
		require.Nil(t, tr.Port(0).Recv())
		require.Nil(t, tr.Port(1).Recv())
		r.drop()
		tr.Close()
		require.Zero(t, tr.Received())
	})
}

// TestWriterGoesOnAnywhere compares the written bytes with the frames one after another. Control frames come home when
// the last byte has left, data frames when they are also acknowledged.
func TestWriterGoesOnAnywhere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kind := rapid.SampledFrom([]netio.Kind{netio.Control, netio.Data}).Draw(t, "kind")
		tr := newTransport(Config{Place: netio.PlaceOf(4, 2, 0)})
		l := tr.peer(1).streams[streamOf(kind)]
		w, c := newWriter(l), &trickle{t: t}
		var want []byte
		var twin sentFrames
		pools := []*netio.Pool{}
		for _, f := range append(drawFrames(t, kind), message(goodbye, "")) {
			if f.Kind == netio.Data {
				twin.enter(f) // assigns the ticket that the writer will assign
			}
			want = append(want, encode(f, 0)...)
			pools = append(pools, f.Inside(access).Pool)
			l.out.queue.Push(f)
		}
		for last := false; !last; {
			var err error
			if last, err = w.advance(c); err != nil {
				require.ErrorIs(t, err, errAgain)
				require.False(t, c.over)
			}
			require.LessOrEqual(t, len(c.out), len(want), "bytes are written twice")
		}
		require.True(t, c.over)
		require.True(t, bytes.Equal(want, c.out), "what was written")
		if kind == netio.Data {
			for slot := range len(pools) - 1 {
				require.NotZero(t, pools[slot].Lent())
				require.NoError(t, l.peer.sent.acknowledge(slotsOf(uint32(slot))))
			}
		}
		for _, p := range pools {
			require.Zero(t, p.Lent())
		}
		tr.Close()
	})
}

// TestWriterDropsWhatIsLeft stops in the middle of a frame: all come home.
func TestWriterDropsWhatIsLeft(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tr := newTransport(Config{Place: netio.PlaceOf(4, 2, 0)})
		l := tr.peer(1).streams[dataStream]
		w, c := newWriter(l), &trickle{t: t}
		frames := drawFrames(t, netio.Data)
		for _, f := range frames {
			l.out.queue.Push(f)
		}
		for range rapid.IntRange(0, 3).Draw(t, "tries") {
			w.advance(c)
		}
		l.out.close()
		w.drop()
		l.peer.sent.close()
		for _, f := range frames {
			require.Zero(t, f.Inside(access).Pool.Lent())
		}
		tr.Close()
	})
}

// split is a carrier that reads from memory up to each of some cuts, and then once returns errAgain.
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

// wire is one message as it travels on a stream, with the number of frames that it acknowledges.
type wire struct {
	name   string
	stream int
	bytes  []byte
	acks   int
}

// wires returns messages of every kind, on every stream that may carry them, whose headers acknowledge a frame or none.
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
	add("abort", controlStream, 0, noticeOf(1, 0))
	return all
}

// came is the result of a stream: the received frames, the acknowledged ones, and its end.
type came struct {
	frames       []string
	acknowledged int64
	end          string
	told         string
}

// readSplit reads a message, a frame and a goodbye, in pieces. Six frames are in flight, which the message may
// acknowledge.
func readSplit(t *testing.T, w wire, cuts func(at int) bool) (got came) {
	tr := newTransport(Config{Place: netio.PlaceOf(4, 2, 0), Log: slog.New(slog.DiscardHandler)})
	defer tr.Close()
	tr.Start(func(err error) { got.told = err.Error() })
	peer := tr.peer(1)
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
	tr.running.Wait() // for what an abort message does
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
// length up to its whole: the result is as if all came at once.
func TestMessagesMayBeSplitAnywhere(t *testing.T) {
	for _, w := range wires() {
		whole := readSplit(t, w, func(int) bool { return false })
		for cut := 1; cut <= len(w.bytes); cut++ {
			once := readSplit(t, w, func(at int) bool { return at == cut })
			require.Equal(t, whole, once, "%s: cut after byte %d of %d", w.name, cut, len(w.bytes))
			often := readSplit(t, w, func(at int) bool { return at%cut == 0 })
			require.Equal(t, whole, often, "%s: %d bytes at a time", w.name, cut)
		}
		if w.bytes[0] != byte(abort) { // after which nothing is in flight
			require.EqualValues(t, w.acks, whole.acknowledged, w.name)
		}
		switch frames := len(whole.frames); {
		case w.bytes[0] == byte(goodbye):
			require.Zero(t, frames, w.name)
			require.Empty(t, whole.end, w.name)
		case w.bytes[0] == byte(abort):
			require.Equal(t, 1, frames, w.name)
			require.Equal(t, "process 1 ended the job: stop", whole.told, w.name)
		case w.bytes[0] == byte(acknowledgement), w.bytes[0] == byte(heartbeat):
			require.Equal(t, 1, frames, w.name)
		default:
			require.Equal(t, 2, frames, w.name)
		}
	}
}
