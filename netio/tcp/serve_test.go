package tcp

import (
	"bytes"
	"encoding/binary"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/exposed"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/internal/local"
)

// serving returns the server of a process that has exposed the given number of bytes.
func serving(t testing.TB, bytes int) (s *server, key uint64, memory []byte) {
	tr := newTransport(Config{Place: netio.PlaceOf(2, 2, 0)})
	t.Cleanup(tr.space.Drop)
	key, memory, err := tr.space.Expose(bytes)
	require.NoError(t, err)
	return &server{t: tr, answers: netio.NewPool(nil)}, key, memory
}

// requestOf returns a request with the operations.
func requestOf(ops ...local.Operation) *netio.Frame {
	f := &flow{}
	for _, op := range ops {
		begin(f, op)
	}
	f.left = f.ops.tail
	bytes := 0
	for n := range f.ops.tail {
		room, _ := f.ops.at(n).room()
		bytes += room
	}
	q := netio.NewPool(nil).Get(bytes)
	q.Kind, q.Count, q.Bytes = request, uint32(len(ops)), uint32(bytes)
	f.encode(q.Payload(), 0)
	return q
}

// begin adds an operation to a flow, as a word of a series if it is one.
func begin(f *flow, op local.Operation) {
	if op.Kind <= local.Put && len(op.Data) == exposed.WordBytes {
		one := exposed.Word{Offset: op.Offset, Data: (*[exposed.WordBytes]byte)(op.Data)}
		f.pushWords(op.Kind, op.Address, []exposed.Word{one}, op.Completion)
	} else {
		f.push(operation{Operation: op})
	}
}

// resultsOf reads the results of an operation or a series: the fault of each, and the bytes that it has read.
func resultsOf(b []byte, k local.Kind, bytes, count int) (faults []exposed.Fault, results, rest []byte, ok bool) {
	n, b, ok := number(b)
	each := n == faultEach
	bytes = answerRoom(k, bytes) - resultBytes
	for range count {
		if each && ok {
			n, b, ok = number(b)
		}
		fault, good := exposed.FaultOf(n)
		if !ok || !good || len(b) < bytes {
			return nil, nil, nil, false
		}
		faults, results, b = append(faults, fault), append(results, b[:bytes]...), b[bytes:]
	}
	return faults, results, b, true
}

func wordOp(kind local.Kind, key, offset, word uint64) local.Operation {
	return local.Operation{
		Kind: kind, Address: netio.Address{Key: key, Offset: offset}, Data: binary.LittleEndian.AppendUint64(nil, word),
	}
}

// Words of one exposure travel together, and cost less than half; with a fault among them, each has its own.
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
		faults, results, rest, ok := resultsOf(a.Payload(), kind, exposed.WordBytes, words)
		require.True(t, ok)
		for i, fault := range faults {
			require.Equal(t, i == words/2, fault == exposed.Beyond, "operation %d: %v", i, fault)
			if kind == local.Get && fault == exposed.None {
				require.EqualValues(t, i, binary.LittleEndian.Uint64(results[8*i:]))
			}
		}
		require.Empty(t, rest)
	}
}

// FuzzServe lets a member send any request. The answer has one result per operation, and fits.
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
			return // no reader accepts it
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
		for rest, left := a.Payload(), b; len(left) > 0; {
			op, after, ok := decodeOperation(left)
			require.True(t, ok)
			_, _, rest, ok = resultsOf(rest, op.kind, op.bytes, op.count())
			require.True(t, ok)
			results += uint32(op.count())
			if left = after; len(left) == 0 {
				require.Empty(t, rest)
			}
		}
		require.Equal(t, count, results)
	})
}

// asking returns operations on memory of process 1, including a fence.
func asking(key uint64) (ops []local.Operation) {
	for i, kind := range []local.Kind{local.Get, local.Get, local.Fence, local.Put, local.Put, local.Add} {
		ops = append(ops, wordOp(kind, key, 8*uint64(i), 1))
	}
	return ops
}

// ask begins operations on rank 0.
func ask(tr *Transport, ops []local.Operation) (*remote, *flow, *netio.Completion) {
	var c netio.Completion
	r := &remote{t: tr}
	to := r.flow(1)
	for _, op := range ops {
		op.Completion = &c
		op.Completion.Inside(access).Begin(1)
		r.open++
		begin(to, op)
	}
	to.left = to.ops.tail
	return r, to, &c
}

// FuzzAnswer lets a member answer anything to five operations.
func FuzzAnswer(f *testing.F) {
	s, key, _ := serving(f, 24)
	all := asking(key)
	ops := slices.DeleteFunc(slices.Clone(all), func(op local.Operation) bool { return op.Kind == local.Fence })
	a, err := s.serve(requestOf(ops...)) // with a fault among the Puts
	require.NoError(f, err)
	f.Add(a.Payload(), a.Count)
	f.Add(a.Payload()[:len(a.Payload())-1], a.Count)
	f.Add(a.Payload(), a.Count+1)
	take := func(t testing.TB, b []byte, count uint32) (*netio.Completion, error) {
		tr := newTransport(Config{Place: netio.PlaceOf(2, 2, 0)})
		defer tr.space.Drop()
		r, to, c := ask(tr, all)
		a := netio.NewPool(nil).Get(len(b))
		a.Kind, a.Count, a.Bytes, a.Seq = answer, count, uint32(len(b)), to.ops.head
		copy(a.Payload(), b)
		return c, r.handleAnswer(tr.peer(1), a)
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

// A fence waits for operations that have left and were not answered, even if none is left to send.
func TestFencesWaitForWhatHasLeft(t *testing.T) {
	var put, fence netio.Completion
	f := &flow{}
	r := &remote{flows: []*flow{nil, f}}
	put.Inside(access).Begin(1)
	f.push(operation{Operation: local.Operation{Kind: local.Put, Completion: &put}})
	f.left = f.ops.tail
	r.open++
	r.Fence(&fence)
	require.False(t, fence.Done())
	r.endOldest(f, nil) // the answer
	require.True(t, put.Done())
	require.False(t, fence.Done(), "nobody has looked")
	r.request(f)
	r.endFences(f)
	require.True(t, fence.Done())
	require.Zero(t, r.Open())
}

// A long transfer is split between words, at any offset.
func TestPiecesEndWithWords(t *testing.T) {
	for offset := range uint64(2 * exposed.WordBytes) {
		at, pieces := netio.Address{Offset: offset}, 0
		for rest := 5 * pieceBytesMax; rest > 0; pieces++ {
			n := (&remote{}).piece(at, rest)
			require.LessOrEqual(t, n, pieceBytesMax)
			rest -= n
			at = at.Plus(n)
			require.True(t, rest == 0 || at.Offset%exposed.WordBytes == 0, "a word is in two pieces")
		}
		require.LessOrEqual(t, pieces, 6)
	}
}

// TestRequestBeforeTheSegment serves a request with a bad address before this process shares its segment with others of
// its host, as it does at the end of the start. Later requests find the shared segment.
func TestRequestBeforeTheSegment(t *testing.T) {
	both, _ := twins(t, time.Hour)
	get := func(a netio.Address) error {
		p := both[1].Port(1)
		var c netio.Completion
		p.OneSided().Get(a, make([]byte, 16), &c)
		for !c.Done() {
			p.Recv()
			p.Wait(time.Millisecond)
		}
		return c.Err()
	}
	require.ErrorIs(t, get(netio.Address{Process: 0, Key: 1 << 32}), exposed.Unknown)
	s, err := exposed.Reserve(0, 1<<30, 3, exposed.EntriesMax)
	require.NoError(t, err)
	both[0].space.Share(s)
	a, _, err := both[0].Port(0).OneSided().Expose(4096)
	require.NoError(t, err)
	runtime.GC() // unmaps a segment that nobody has
	require.NoError(t, get(a))
	closeBoth(both)
	server := &both[0].peer(1).server
	require.Equal(t, s.User(server.number), server.user)
}
