package tcp

import (
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/exposed"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/internal/local"
)

// twin is a flow with its plain twin: one process that performs each operation at once.
type twin struct {
	*testing.T
	*rand.Rand
	s      *server
	r      *remote
	f      *flow
	keys   []uint64
	there  [][]byte            // exposed
	memory [][]byte            // of the twin
	began  []*netio.Completion // except those of fences
	check  []func()
	sent   []*netio.Frame
}

func newTwin(t *testing.T, seed uint64) *twin {
	s, first, memory := serving(t, 256)
	second, more, err := s.t.space.Expose(len(memory))
	require.NoError(t, err)
	w := &twin{T: t, Rand: rand.New(rand.NewPCG(seed, 0)), s: s, keys: []uint64{first, second}}
	w.there, w.memory = [][]byte{memory, more}, [][]byte{make([]byte, len(memory)), make([]byte, len(memory))}
	w.r = &remote{t: newTransport(Config{Place: netio.PlaceOf(2, 2, 0)})}
	t.Cleanup(w.r.t.space.Drop)
	w.f = w.r.flow(1)
	return w
}

// begin begins an operation, here and at the twin.
func (w *twin) begin() {
	if w.IntN(6) == 0 {
		w.beginWords()
		return
	}
	bytes := []int{8, 8, 8, 8, 8, 8, 0, 3, 16}[w.IntN(9)]
	k, which := []local.Kind{local.Get, local.Get, local.Put, local.Put, local.Add, local.Fence}[w.IntN(6)], w.IntN(2)
	offset := w.IntN(len(w.memory[which])/8+w.IntN(2)) * 8 // seldom beyond
	c := new(netio.Completion)
	if k == local.Fence {
		w.r.Fence(c)
		return
	}
	a := netio.Address{Process: 1, Key: w.keys[which], Offset: uint64(offset)}
	data := make([]byte, bytes)
	if k == local.Add {
		bytes = exposed.WordBytes
		w.r.Start(local.Operation{Kind: k, Address: a, With: 7, Completion: c})
	} else {
		for i := range data {
			data[i] = byte(w.Uint32())
		}
		w.r.Start(local.Operation{Kind: k, Address: a, Data: data, Completion: c})
	}
	w.began = append(w.began, c)
	require.False(w, c.Done())
	good := offset+bytes <= len(w.memory[which])
	var want []byte
	if good {
		there := w.memory[which][offset : offset+bytes]
		switch k {
		case local.Get:
			want = append(want, there...)
		case local.Put:
			copy(there, data)
		default:
			binary.LittleEndian.PutUint64(there, binary.LittleEndian.Uint64(there)+7)
		}
	}
	w.check = append(w.check, func() {
		require.True(w, c.Done())
		if !good {
			failed := &netio.AddressError{Rank: 0, Call: k.String(), Address: a, Bytes: bytes, Cause: exposed.Beyond}
			require.Equal(w, failed, c.Err())
			return
		}
		require.NoError(w, c.Err())
		if k == local.Get {
			require.Equal(w, string(want), string(data))
		}
	})
}

// beginWords begins many operations on words, which share a completion.
func (w *twin) beginWords() {
	k, which := []local.Kind{local.Get, local.Put}[w.IntN(2)], w.IntN(2)
	there, c := w.memory[which], new(netio.Completion)
	a := netio.Address{Process: 1, Key: w.keys[which]}
	words, want := make([]exposed.Word, 1+w.IntN(100)), make([][exposed.WordBytes]byte, 100)
	var failed error // the first
	for i := range words {
		data := [exposed.WordBytes]byte{byte(w.Uint32()), byte(w.Uint32())}
		offset := w.IntN(len(there)/exposed.WordBytes) * exposed.WordBytes
		if w.IntN(300) == 0 {
			offset = len(there)
		}
		words[i] = exposed.Word{Offset: uint64(offset), Data: &data}
		switch {
		case offset == len(there) && failed == nil:
			failed = &netio.AddressError{
				Call: k.String(), Address: a.Plus(offset), Bytes: exposed.WordBytes, Cause: exposed.Beyond,
			}
			fallthrough
		case offset == len(there):
			want[i] = data
		case k == local.Get:
			want[i] = [exposed.WordBytes]byte(there[offset:])
		default:
			want[i] = data
			copy(there[offset:], data[:])
		}
	}
	w.r.MoveWords(k, a, append([]exposed.Word(nil), words...), c)
	w.began = append(w.began, c)
	w.check = append(w.check, func() {
		require.True(w, c.Done())
		require.Equal(w, failed, c.Err())
		for i, one := range words {
			require.Equal(w, want[i], *one.Data)
		}
	})
}

// done returns the number of completed operations.
func (w *twin) done() (n int) {
	for _, c := range w.began {
		if c.Done() {
			n++
		}
	}
	return n
}

// leave encodes the operations that may leave, as request does.
func (w *twin) leave() {
	for w.f.left != w.f.ops.tail && w.f.ops.at(w.f.left).Kind == local.Fence {
		w.f.left++
	}
	from, bytes, count := w.f.left, 0, 0
	for ; w.f.left != w.f.ops.tail; w.f.left++ {
		if op := w.f.ops.at(w.f.left); op.Kind != local.Fence {
			room, answer := op.room()
			bytes, count, w.f.window = bytes+room, count+op.count(), w.f.window+room+answer
		}
	}
	if count > 0 {
		q := netio.NewPool(nil).Get(bytes)
		q.Kind, q.Count, q.Bytes, q.Seq, q.From = request, uint32(count), uint32(bytes), from, 0
		w.f.encode(q.Payload(), from)
		w.sent = append(w.sent, q)
	}
}

// answer serves the oldest request.
func (w *twin) answer() {
	q := w.sent[0]
	w.sent = w.sent[1:]
	a, err := w.s.serve(q)
	require.NoError(w, err)
	a.From = 1
	require.NoError(w, w.r.handleAnswer(w.r.t.peer(1), a))
}

// Words that travel as a series give the results of single operations, among and before any others.
func TestFlowsAreLikeMemory(t *testing.T) {
	for seed := range uint64(60) {
		w := newTwin(t, seed)
		most := []int{1, 3, 60}[seed%3] // requests in flight
		for range 100 {
			for range w.IntN(8) {
				w.begin()
			}
			w.leave()
			if len(w.sent) > w.IntN(most) {
				w.answer()
			}
		}
		for w.leave(); len(w.sent) > 0; {
			w.answer()
		}
		w.r.endFences(w.f)
		for _, check := range w.check {
			check()
		}
		require.Equal(t, w.memory, w.there, "seed %d", seed)
		require.Zero(t, w.r.Open(), "seed %d", seed)
		require.Zero(t, w.f.window, "seed %d", seed)
		require.Equal(t, w.f.words.tail, w.f.words.head)
	}
}

// No series is longer than an answer has room for, for words one by one or many at a time.
func TestSeriesAreBounded(t *testing.T) {
	for _, k := range []local.Kind{local.Get, local.Put} {
		request, answer := roomOfWord(k)
		require.Equal(t, wordRoom, request+answer)
		f, words, total := &flow{}, 0, 0
		for batch := range 300 {
			for all := make([]exposed.Word, batch); len(all) > 0; {
				n, room := f.pushWords(k, netio.Address{Key: 1}, all, nil)
				require.Positive(t, n)
				all, total = all[n:], total+room
			}
		}
		require.Greater(t, f.ops.tail, uint64(3))
		for n := range f.ops.tail {
			op := f.ops.at(n)
			room, answer := op.room()
			require.LessOrEqual(t, max(room, answer), requestBytesMax)
			words += op.words
			total -= room + answer
		}
		require.Zero(t, total)
		require.EqualValues(t, f.words.tail, words)
	}
}

// When a process is lost, all operations that it has not answered fail, and the fences are done.
func TestAbandonedFlows(t *testing.T) {
	for seed := range uint64(50) {
		w := newTwin(t, seed)
		for range 5 {
			for range 3 {
				w.begin()
			}
			w.leave()
		}
		w.answer()
		w.begin() // it does not leave
		open := len(w.began) - w.done()
		require.Positive(t, open)
		w.r.abandon(w.f)
		require.Len(t, w.began, w.done())
		lost := 0
		for _, c := range w.began {
			if errors.As(c.Err(), new(*netio.LostError)) {
				lost++
			}
		}
		require.Equal(t, open, lost)
		require.Zero(t, w.r.Open())
		require.Zero(t, w.f.window)
	}
}

// An answer with an unknown fault is damage, and nothing of its series is taken.
func TestUnknownFaults(t *testing.T) {
	w := newTwin(t, 1)
	const words = 3
	for i := range words {
		offset := len(w.there[0]) - 8 + 8*(i/2) // the last is beyond
		a := netio.Address{Process: 1, Key: w.keys[0], Offset: uint64(offset)}
		w.r.Start(local.Operation{
			Kind: local.Get, Address: a, Data: make([]byte, exposed.WordBytes), Completion: new(netio.Completion),
		})
	}
	w.leave()
	a, err := w.s.serve(w.sent[0])
	require.NoError(t, err)
	a.From = 1
	const each = resultBytes + exposed.WordBytes
	require.EqualValues(t, resultBytes+words*each, a.Bytes, "each has a fault of its own")
	for at := resultBytes; at < int(a.Bytes); at += each {
		fault := a.Payload()[at+resultBytes-1 : at+resultBytes]
		fault[0] ^= 0x40
		require.ErrorIs(t, w.r.handleAnswer(w.r.t.peer(1), a), errAnswer)
		require.Equal(t, words, w.r.Open())
		require.EqualValues(t, words, w.f.words.tail-w.f.words.head)
		fault[0] ^= 0x40
	}
	require.NoError(t, w.r.handleAnswer(w.r.t.peer(1), a))
	require.Zero(t, w.r.Open())
}
