package netio

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"io"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

func sample(kind Kind, from, to uint32, payload string) *Frame {
	f := message(kind, payload)
	f.Flags, f.Target, f.Epoch, f.From, f.To, f.Count = 1, 2, 3, from, to, 6
	f.Check, f.Tag, f.Seq = 8, 9, 1<<63+10
	return f
}

func TestHeaderTravels(t *testing.T) {
	f := sample(Data, 4, 5, "payload")
	b := f.seal()
	require.Len(t, b, headerBytes+7)
	require.Equal(t, "payload", string(b[headerBytes:]))
	h, _, err := decodeHeader(b)
	require.NoError(t, err)
	require.Equal(t, f.Header, h)
}

func TestEveryFlippedHeaderBitIsSeen(t *testing.T) {
	b := sample(Data, 4, 5, "payload").seal()
	for bit := range headerBytes * 8 {
		b[bit/8] ^= 1 << (bit % 8)
		_, _, err := decodeHeader(b)
		require.ErrorIs(t, err, ErrDamaged, "bit %d", bit)
		b[bit/8] ^= 1 << (bit % 8)
	}
}

func FuzzDecodeHeader(f *testing.F) {
	f.Add(sample(Data, 4, 5, "payload").seal()[:headerBytes], false)
	f.Add(make([]byte, headerBytes), true)
	f.Fuzz(func(t *testing.T, b []byte, mend bool) {
		if len(b) < headerBytes {
			return
		}
		if mend {
			mendHeader(b)
		}
		h, sum, err := decodeHeader(b)
		if err != nil {
			require.ErrorIs(t, err, ErrDamaged)
			return
		}
		require.LessOrEqual(t, int(h.Bytes), FrameBytesMax)
		again := make([]byte, headerBytes)
		encodeHeader(again, &h, sum)
		require.Equal(t, b[:headerBytes], again)
	})
}

// mendHeader gives a header the sum that it claims to have.
func mendHeader(b []byte) {
	binary.LittleEndian.PutUint32(b[44:], crc32.Checksum(b[:44], castagnoli))
}

// streamReader reads b as if it came on a lane from process 1 (ranks 2 and 3) to process 0 (ranks 0 and 1).
func streamReader(b []byte, number int, budget int64) (*TCP, *reader) {
	t := newTCP(TCPConfig{Place: PlaceOf(4, 2, 0), ReceiveBudget: budget})
	return t, &reader{lane: t.peers[1].lanes[number], in: bufio.NewReader(bytes.NewReader(b))}
}

func join(frames ...*Frame) (b []byte) {
	for _, f := range frames {
		b = append(b, f.seal()...)
	}
	return b
}

func TestReaderRefuses(t *testing.T) {
	for words, c := range map[string]struct {
		lane int
		b    []byte
	}{
		"kind 2 on the wrong connection":      {dataLane, join(sample(Control, 2, 0, ""))},
		"kind 1 on the wrong connection":      {controlLane, join(sample(Data, 2, 0, ""))},
		"for rank 2, which is not in this":    {dataLane, join(sample(Data, 2, 2, ""))},
		"for rank 4294967295":                 {dataLane, join(sample(Data, 2, 1<<32-1, ""))},
		"from rank 1, which is not in proc":   {dataLane, join(sample(Data, 1, 0, ""))},
		"message 0xf0 with 2 bytes":           {dataLane, join(message(heartbeat, "xx"))},
		"message 0xf1 with 2 bytes":           {dataLane, join(message(goodbye, "xx"))},
		"abort message of 4 bytes on connect": {dataLane, join(message(abort, "stop"))},
		"abort message of 5000 bytes":         {controlLane, join(message(abort, string(make([]byte, 5000))))},
		"unknown kind 0x0":                    {dataLane, join(sample(0, 2, 0, ""))},
		"unknown kind 0x77":                   {dataLane, join(sample(0x77, 2, 0, ""))},
		"without a goodbye: read: EOF":        {dataLane, join(sample(Data, 2, 0, "abc"))},
		"without a goodbye: read: unexpected": {dataLane, join(sample(Data, 2, 0, "abc"))[:50]},
		"process 1 ended the job: stop":       {controlLane, join(message(abort, "stop"))},
	} {
		_, r := streamReader(c.b, c.lane, 1<<20)
		require.ErrorContains(t, r.run(), words)
	}
	_, r := streamReader(join(sample(Data, 2, 0, "abc"), message(heartbeat, ""), message(goodbye, "")), dataLane, 1<<20)
	require.NoError(t, r.run())
}

// FuzzReader feeds a whole stream. When asked to, it mends the sums of headers, so that the fuzzer gets past them.
func FuzzReader(f *testing.F) {
	f.Add(join(sample(Data, 2, 0, "abc"), sample(Data, 3, 1, ""), message(goodbye, "")), true, false)
	f.Add(join(sample(Control, 2, 0, "abc"), message(heartbeat, ""), message(abort, "reason")), false, false)
	f.Add(join(sample(Data, 2, 0, "abc")), true, true)
	f.Fuzz(func(t *testing.T, b []byte, data, mend bool) {
		number := controlLane
		if data {
			number = dataLane
		}
		if mend && len(b) >= headerBytes {
			if b[23] > 0 { // sixteen million bytes are enough
				b[23] = 0
			}
			mendHeader(b)
		}
		tr, r := streamReader(b, number, 1<<40)
		err := r.run()
		sent := 0
		for rank := range 2 {
			for p := tr.Port(rank); ; {
				f := p.Recv()
				if f == nil {
					break
				}
				require.EqualValues(t, rank, f.To)
				sent += headerBytes + int(f.Bytes)
				f.Release()
			}
		}
		require.LessOrEqual(t, sent, len(b))
		require.Zero(t, r.lane.received.pool.Lent())
		if err == nil {
			require.GreaterOrEqual(t, len(b), sent+headerBytes, "a goodbye")
		}
	})
}

// TestReceiverKeepsItsBudget reads on while frames are held: never more than the budget, but for one that is larger.
func TestReceiverKeepsItsBudget(t *testing.T) {
	const count, budget = 50, 4096
	var frames []*Frame
	for i := range count {
		n := 1000
		if i%10 == 9 {
			n = 20_000
		}
		frames = append(frames, sample(Data, 2, 0, string(make([]byte, n))))
	}
	tr, r := streamReader(join(append(frames, message(goodbye, ""))...), dataLane, budget)
	var reading sync.WaitGroup
	reading.Go(func() { require.NoError(t, r.run()) })
	p := tr.Port(0)
	for range count {
		f := p.Recv()
		for ; f == nil; f = p.Recv() {
			p.Wait(-1)
		}
		f.Release()
	}
	reading.Wait()
	require.Zero(t, r.lane.received.pool.Lent())
	require.LessOrEqual(t, r.lane.received.pool.Peak(), FrameCost(20_000), "what other sizes left idle was let go")
}

func TestReceiverStopsWaiting(t *testing.T) {
	tr, r := streamReader(join(sample(Data, 2, 0, "abc"), sample(Data, 2, 0, "abc")), dataLane, 1)
	ended := make(chan error)
	go func() { ended <- r.run() }()
	p := tr.Port(0)
	f := p.Recv()
	for ; f == nil; f = p.Recv() {
		p.Wait(-1)
	}
	r.lane.received.stop() // the second one has no room, and never will
	require.ErrorIs(t, <-ended, io.EOF)
	require.Nil(t, p.Recv())
	f.Release()
}
