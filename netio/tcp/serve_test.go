package tcp

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/exposed"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/internal/local"
)

// serving is what answers requests for a process that has exposed so many bytes.
func serving(t testing.TB, bytes int) (s *server, key uint64, memory []byte) {
	tr := newTransport(Config{Place: netio.PlaceOf(2, 2, 0)})
	t.Cleanup(tr.space.Drop)
	key, memory, err := tr.space.Expose(bytes)
	require.NoError(t, err)
	return &server{t: tr, answers: netio.NewPool(nil)}, key, memory
}

// requestOf is a request with the operations.
func requestOf(ops ...local.Operation) *netio.Frame {
	f := &flow{}
	bytes, last := 0, series{}
	for i := range ops {
		room, _, s := roomOf(&ops[i], last)
		bytes, last = bytes+room, s
		f.push(ops[i])
	}
	f.left = f.tail
	q := netio.NewPool(nil).Get(bytes)
	q.Kind, q.Count, q.Bytes = request, uint32(len(ops)), uint32(bytes)
	f.encode(q.Payload(), f.head)
	return q
}

func wordOp(kind local.Kind, key, offset, word uint64) local.Operation {
	return local.Operation{
		Kind: kind, Address: netio.Address{Key: key, Offset: offset}, Data: binary.LittleEndian.AppendUint64(nil, word),
	}
}

// Words of one exposure travel as one, and cost less than half; with a fault among them each has its own.
func TestWordsOfOneExposureTravelAsOne(t *testing.T) {
	const words = 100
	s, key, memory := serving(t, 8*words)
	for _, kind := range []local.Kind{local.Put, local.Get} {
		var ops []local.Operation
		for i := range uint64(words) {
			ops = append(ops, wordOp(kind, key, 8*i, i))
		}
		q := requestOf(ops...)
		a, err := s.serve(q)
		require.NoError(t, err)
		each := map[local.Kind][2]int{local.Put: {16, 0}, local.Get: {8, 8}}[kind]
		require.EqualValues(t, seriesBytes+words*each[0], q.Bytes)
		require.EqualValues(t, resultBytes+words*each[1], a.Bytes)
		for i := range words {
			require.EqualValues(t, i, binary.LittleEndian.Uint64(memory[8*i:]))
			if kind == local.Get {
				require.EqualValues(t, i, binary.LittleEndian.Uint64(a.Payload()[resultBytes+8*i:]))
			}
		}
		ops[words/2].Offset = 8*words - 7
		a, err = s.serve(requestOf(ops...))
		require.NoError(t, err)
		require.EqualValues(t, resultBytes+words*(resultBytes+each[1]), a.Bytes)
		var results resultsOf
		rest := a.Payload()
		for i := range ops {
			result, more, fault, ok := results.next(rest, seriesOf(kind, key, exposed.WordBytes), each[1])
			require.True(t, ok)
			require.Equal(t, i == words/2, fault == exposed.Beyond, "operation %d: %v", i, fault)
			if kind == local.Get && fault == exposed.None {
				require.EqualValues(t, i, binary.LittleEndian.Uint64(result))
			}
			rest = more
		}
		require.Empty(t, rest)
	}
}

// FuzzServe has a member send any request. The answer has as many results as operations were asked for, and fits.
func FuzzServe(f *testing.F) {
	_, key, _ := serving(f, 1) // that of any process's first exposure
	many := requestOf(wordOp(local.Get, key, 0, 0), wordOp(local.Get, key, 8, 0), wordOp(local.Put, key, 16, 1),
		wordOp(local.Put, key, 57, 2), local.Operation{Kind: local.Add, Address: netio.Address{Key: key}, With: 3})
	f.Add(many.Payload(), many.Count)
	f.Add(many.Payload(), many.Count+1)
	alone := bytes.Clone(many.Payload())
	alone[len(alone)-operationBytes-8+14] = 1 // an Add is in no series
	f.Add(append(alone, make([]byte, 16)...), many.Count+1)
	long := requestOf(local.Operation{Kind: local.Put, Address: netio.Address{Key: key}, Data: make([]byte, 13)})
	f.Add(long.Payload(), long.Count)
	f.Fuzz(func(t *testing.T, b []byte, count uint32) {
		if len(b) > requestBytesMax+pieceBytesMax {
			return // no reader lets it in
		}
		s, _, memory := serving(t, 64)
		q := netio.NewPool(nil).Get(len(b))
		q.Kind, q.Count, q.Bytes = request, count, uint32(len(b))
		copy(q.Payload(), b)
		a, err := s.serve(q)
		if err != nil {
			require.ErrorIs(t, err, errRequest)
			require.Equal(t, make([]byte, 64), memory[:64], "nothing was done")
			return
		}
		require.Equal(t, count, a.Count)
		require.LessOrEqual(t, int(a.Bytes), requestBytesMax+pieceBytesMax)
		results := uint32(0)
		var last resultsOf
		for rest, left := a.Payload(), b; len(left) > 0; {
			op, after, ok := decodeOperation(left)
			require.True(t, ok)
			for range op.count() {
				bytes := answerRoom(op.kind, op.bytes) - resultBytes
				_, rest, _, ok = last.next(rest, seriesOf(op.kind, op.key, op.bytes), bytes)
				require.True(t, ok)
				results++
			}
			last.series, left = series{}, after
			if len(left) == 0 {
				require.Empty(t, rest)
			}
		}
		require.Equal(t, count, results)
	})
}

// ask has rank 0 begin operations on memory of process 1, of which a fence is one.
func ask(tr *Transport, key uint64) (*remote, *flow, *netio.Completion) {
	var c netio.Completion
	r := &remote{t: tr}
	to := r.flow(1)
	for i, kind := range []local.Kind{local.Get, local.Get, local.Fence, local.Put, local.Put, local.Add} {
		op := wordOp(kind, key, 8*uint64(i), 1)
		op.Completion = &c
		op.Completion.Inside(access).Begin()
		r.open++
		to.push(op)
	}
	to.left = to.tail
	return r, to, &c
}

// FuzzAnswer has a member answer anything to five operations.
func FuzzAnswer(f *testing.F) {
	s, key, _ := serving(f, 24)
	_, to, _ := ask(s.t, key)
	var ops []local.Operation
	for n := to.head; n != to.tail; n++ {
		if op := to.at(n); op.Kind != local.Fence {
			ops = append(ops, *op)
		}
	}
	a, err := s.serve(requestOf(ops...)) // with a fault among the Puts
	require.NoError(f, err)
	f.Add(a.Payload(), a.Count)
	f.Add(a.Payload()[:len(a.Payload())-1], a.Count)
	f.Add(a.Payload(), a.Count+1)
	take := func(t testing.TB, b []byte, count uint32) (*netio.Completion, error) {
		tr := newTransport(Config{Place: netio.PlaceOf(2, 2, 0)})
		defer tr.space.Drop()
		r, to, c := ask(tr, key)
		a := netio.NewPool(nil).Get(len(b))
		a.Kind, a.Count, a.Bytes, a.Seq = answer, count, uint32(len(b)), to.head
		copy(a.Payload(), b)
		return c, r.handleAnswer(tr.peers[1], a)
	}
	_, err = take(f, append(bytes.Clone(a.Payload()), make([]byte, 8)...), a.Count)
	require.ErrorIs(f, err, errAnswer, "more came than was asked for")
	f.Fuzz(func(t *testing.T, b []byte, count uint32) {
		c, err := take(t, b, count)
		if err != nil {
			require.ErrorIs(t, err, errAnswer)
			return
		}
		require.LessOrEqual(t, count, uint32(len(ops)))
		require.Equal(t, count == uint32(len(ops)), c.Done())
	})
}
