package tcp

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"io"
	"log/slog"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/frame"
	"github.com/activepebbles/pebbles/model"
	"github.com/activepebbles/pebbles/netio"
)

func sample(kind netio.Kind, from, to uint32, payload string) *netio.Frame {
	f := message(kind, payload)
	f.Flags, f.Target, f.Epoch, f.From, f.To, f.Count = 1, 2, 3, from, to, 6
	f.Check, f.Tag, f.Seq, f.Inside(access).Sent = 8, 9, 1<<63+10, frame.NewNumber(11, true)
	return f
}

// TestModelKnowsHeaders checks that predictions count the bytes that travel.
func TestModelKnowsHeaders(t *testing.T) { require.EqualValues(t, frame.WireHeader, model.HeaderBytes) }

func TestEveryFlippedHeaderBitIsSeen(t *testing.T) {
	b := encode(sample(netio.Data, 4, 5, "payload"), 0)
	for bit := range frame.WireHeader * 8 {
		b[bit/8] ^= 1 << (bit % 8)
		_, _, err := decodeHeader(b)
		require.ErrorIs(t, err, netio.ErrDamaged, "bit %d", bit)
		b[bit/8] ^= 1 << (bit % 8)
	}
}

func FuzzDecodeHeader(f *testing.F) {
	f.Add(encode(sample(netio.Data, 4, 5, "payload"), 0)[:frame.WireHeader], false)
	f.Add(make([]byte, frame.WireHeader), true)
	f.Fuzz(func(t *testing.T, b []byte, mend bool) {
		if len(b) < frame.WireHeader {
			return
		}
		if mend {
			mendHeader(b)
		}
		h, e, err := decodeHeader(b)
		if err != nil {
			require.ErrorIs(t, err, netio.ErrDamaged)
			return
		}
		require.LessOrEqual(t, int(h.Bytes), netio.FrameBytesMax)
		again := make([]byte, frame.WireHeader)
		encodeHeader(again, &h, e)
		require.Equal(t, b[:frame.WireHeader], again)
	})
}

// mendHeader corrects the sum of a header.
func mendHeader(b []byte) {
	binary.LittleEndian.PutUint32(b[52:], crc32.Checksum(b[:52], crc32.MakeTable(crc32.Castagnoli)))
}

// streamed is a reader and the bytes that it reads.
type streamed struct {
	reader
	from blocking
}

func (s *streamed) run() error { return s.reader.run(&s.from) }

// streamReader reads b as if it came on a stream from process 1 (ranks 2 and 3) to process 0 (ranks 0 and 1).
func streamReader(b []byte, number int) (*Transport, *streamed) {
	t := newTransport(Config{Place: netio.PlaceOf(4, 2, 0), Log: slog.New(slog.DiscardHandler)})
	s := &streamed{reader: newReader(t.peer(1).streams[number])}
	s.feed(b)
	return t, s
}

// feed sets the next bytes.
func (s *streamed) feed(b []byte) {
	s.over = false
	s.from.watch = newWatch(canned{Reader: bytes.NewReader(b)}, time.Hour)
}

// canned is a connection that only delivers its bytes.
type canned struct {
	net.Conn
	io.Reader
}

func (c canned) Read(b []byte) (int, error)    { return c.Reader.Read(b) }
func (canned) SetReadDeadline(time.Time) error { return nil }

func join(frames ...*netio.Frame) (b []byte) {
	for _, f := range frames {
		b = append(b, encode(f, 0)...)
	}
	return b
}

func TestReaderRefuses(t *testing.T) {
	for words, c := range map[string]struct {
		stream int
		b      []byte
	}{
		"kind 2 on the wrong connection":      {dataStream, join(sample(netio.Control, 2, 0, ""))},
		"kind 1 on the wrong connection":      {controlStream, join(sample(netio.Data, 2, 0, ""))},
		"for rank 2, which is not in this":    {dataStream, join(sample(netio.Data, 2, 2, ""))},
		"for rank 4294967295":                 {dataStream, join(sample(netio.Data, 2, 1<<32-1, ""))},
		"from rank 1, which is not in proc":   {dataStream, join(sample(netio.Data, 1, 0, ""))},
		"message 0xf0 with 2 bytes":           {dataStream, join(message(heartbeat, "xx"))},
		"message 0xf1 with 2 bytes":           {dataStream, join(message(goodbye, "xx"))},
		"abort message of 4 bytes on connect": {dataStream, join(message(abort, "stop"))},
		"abort message of 5000 bytes":         {controlStream, join(message(abort, string(make([]byte, 5000))))},
		"acknowledgement of 0 bytes":          {controlStream, join(message(acknowledgement, ""))},
		"acknowledgement of 6 bytes":          {dataStream, join(message(acknowledgement, "\x00\x00\x00\x00\x00\x00"))},
		"acknowledgement of 4100 bytes":       {controlStream, join(message(acknowledgement, string(make([]byte, 4100))))},
		"nothing is in flight in slot 7":      {dataStream, encode(sample(netio.Data, 2, 0, ""), 8)},
		"nothing is in flight in slot 0":      {controlStream, join(message(acknowledgement, "\x00\x00\x00\x00"))},
		"in flight in slot 4294967295":        {dataStream, join(message(acknowledgement, "\xff\xff\xff\xff"))},
		"unknown kind 0x0":                    {dataStream, join(sample(0, 2, 0, ""))},
		"unknown kind 0x77":                   {dataStream, join(sample(0x77, 2, 0, ""))},
		"without a goodbye: read: EOF":        {dataStream, join(sample(netio.Data, 2, 0, "abc"))},
		"without a goodbye: read: unexpected": {dataStream, join(sample(netio.Data, 2, 0, "abc"))[:frame.WireHeader+2]},
		"of process 0 for process 2":          {controlStream, join(noticeOf(0, 2))},
		"of process 2 for process 0":          {controlStream, join(noticeOf(2, 0))},
	} {
		_, r := streamReader(c.b, c.stream)
		require.ErrorContains(t, r.run(), words)
	}
	_, r := streamReader(join(sample(netio.Data, 2, 0, "abc"), message(heartbeat, ""), message(goodbye, "")), dataStream)
	require.NoError(t, r.run())
}

// noticeOf is an abort message.
func noticeOf(origin, to uint32) *netio.Frame {
	f := message(abort, "stop")
	f.From, f.To = origin, to
	return f
}

// What follows an abort message is read: it may have to be passed on.
func TestReaderGoesOnAfterAbort(t *testing.T) {
	tr, r := streamReader(join(noticeOf(1, 0), sample(netio.Control, 2, 0, ""), message(goodbye, "")), controlStream)
	told := make(chan error, 1)
	tr.Start(func(err error) { told <- err })
	require.NoError(t, r.run())
	require.EqualError(t, <-told, "process 1 ended the job: stop")
	tr.Port(0).Recv().Release()
}

// FuzzReader feeds a whole stream. On request, it corrects the sums of headers, so that the fuzzer gets past them.
func FuzzReader(f *testing.F) {
	f.Add(join(sample(netio.Data, 2, 0, "abc"), sample(netio.Data, 3, 1, ""), message(goodbye, "")), true, false)
	f.Add(join(sample(netio.Control, 2, 0, "abc"), message(heartbeat, ""), message(abort, "reason")), false, false)
	f.Add(join(sample(netio.Data, 2, 0, "abc")), true, true)
	f.Add(join(message(acknowledgement, "\x00\x00\x00\x00"), message(goodbye, "")), false, false)
	f.Fuzz(func(t *testing.T, b []byte, data, mend bool) {
		number := controlStream
		if data {
			number = dataStream
		}
		if mend && len(b) >= frame.WireHeader {
			if b[23] > 0 { // sixteen million bytes are enough
				b[23] = 0
			}
			mendHeader(b)
		}
		tr, r := streamReader(b, number)
		err := r.run()
		sent := 0
		for rank := range 2 {
			for p := tr.Port(rank); ; {
				f := p.Recv()
				if f == nil {
					break
				}
				require.EqualValues(t, rank, f.To)
				sent += frame.WireHeader + int(f.Bytes)
				f.Release()
			}
		}
		require.LessOrEqual(t, sent, len(b))
		r.drop()
		tr.peer(1).acks.close()
		require.Zero(t, r.stream.received.pool.Lent())
		if err == nil {
			require.GreaterOrEqual(t, len(b), sent+frame.WireHeader, "a goodbye")
		}
	})
}
