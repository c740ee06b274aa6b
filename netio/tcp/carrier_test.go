package tcp

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/activepebbles/pebbles/netio"
)

// trickle is a carrier that reads from and writes to memory, a few bytes at a time, and now and then says that it is
// not ready.
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

// drawFrames are frames from rank 2 or 3 to rank 0 or 1, of sizes around all bounds of reading and writing.
func drawFrames(t *rapid.T, kind netio.Kind) (all []*netio.Frame) {
	sizes := rapid.SampledFrom([]int{0, 1, 100, beyondBytes - 1, beyondBytes, wholeBytesMin - 1, wholeBytesMin, 40_000})
	for range rapid.IntRange(0, 12).Draw(t, "frames") {
		n := sizes.Draw(t, "size")
		f := sample(kind, rapid.Uint32Range(2, 3).Draw(t, "from"), rapid.Uint32Range(0, 1).Draw(t, "to"), "")
		g := netio.NewPool(nil).Get(n)
		g.Header, g.Inside(access).Sent = f.Header, f.Inside(access).Sent
		g.Bytes, g.Seq = uint32(n), uint64(len(all))
		for i := range g.Payload() {
			g.Payload()[i] = byte(i*7 + len(all))
		}
		all = append(all, g)
	}
	return all
}

// TestReaderGoesOnAnywhere stops at any byte, any number of times: all frames come out whole, in order.
func TestReaderGoesOnAnywhere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sent := drawFrames(t, netio.Data)
		tr := newTransport(Config{Place: netio.PlaceOf(4, 2, 0)})
		r := newReader(tr.peers[1].streams[dataStream])
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

// TestWriterGoesOnAnywhere compares what was written with the frames one after another. Control frames come home when
// the last byte has left, data frames when they are acknowledged besides.
func TestWriterGoesOnAnywhere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kind := rapid.SampledFrom([]netio.Kind{netio.Control, netio.Data}).Draw(t, "kind")
		tr := newTransport(Config{Place: netio.PlaceOf(4, 2, 0)})
		l := tr.peers[1].streams[streamOf(kind)]
		w, c := newWriter(l), &trickle{t: t}
		var want []byte
		var twin sentFrames
		pools := []*netio.Pool{}
		for _, f := range append(drawFrames(t, kind), message(goodbye, "")) {
			if f.Kind == netio.Data {
				twin.enter(f) // gives the ticket that the writer will give
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
		l := tr.peers[1].streams[dataStream]
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
