package netiotest

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/exposed"
	key "github.com/activepebbles/pebbles/internal/frame"
	"github.com/activepebbles/pebbles/netio"
)

// oneSidedTwin makes each rank put to, get from, and change words of a part of every rank's exposed memory, with all
// lengths and alignments. A twin in the rank's own memory does the same.
func oneSidedTwin(w *world) {
	const part, steps = 160 << 10, 150 * times
	ranks := len(w.ports)
	all := w.expose(part * ranks)
	twins := make([][][]byte, ranks)
	w.each(func(rank int, p netio.Port) error {
		o, r := p.OneSided(), rand.New(rand.NewPCG(w.seed, uint64(rank)))
		var c netio.Completion
		for range ranks {
			twins[rank] = append(twins[rank], make([]byte, part))
		}
		for range steps {
			to := r.IntN(ranks)
			twin, a := twins[rank][to], all[to].Plus(part*rank)
			from := r.IntN(part)
			n := r.IntN(min(part-from, 1<<r.IntN(18)) + 1)
			word := from &^ 7
			old, was := uint64(0), binary.NativeEndian.Uint64(twin[word:])
			x, y := r.Uint64(), was+r.Uint64N(2)
			set := func(v uint64) { binary.NativeEndian.PutUint64(twin[word:], v) }
			buffer := make([]byte, n+8)[r.IntN(8):][:n]
			kind := r.IntN(7)
			many, _ := o.(wordMover)
			if kind > 4 && many == nil {
				continue
			}
			var words []exposed.Word
			if kind > 4 {
				words = wordsOf(r, part)
			}
			switch kind {
			case 0:
				for i := range buffer {
					buffer[i] = byte(r.Uint32())
				}
				copy(twin[from:], buffer)
				o.Put(a.Plus(from), buffer, &c)
			case 1:
				o.Get(a.Plus(from), buffer, &c)
			case 2:
				set(was + x)
				o.Add(a.Plus(word), x, &old, &c)
			case 3:
				set(x)
				o.Swap(a.Plus(word), x, &old, &c)
			case 4:
				if y == was {
					set(x)
				}
				o.CompareAndSwap(a.Plus(word), y, x, &old, &c)
			case 5:
				for _, w := range words {
					binary.NativeEndian.PutUint64(w.Data[:], r.Uint64())
					copy(twin[w.Offset:], w.Data[:])
				}
				many.PutWords(key.Access{}, a, within(words, a.Offset), &c)
			case 6:
				many.GetWords(key.Access{}, a, within(words, a.Offset), &c)
			}
			must(settle(p, &c))
			for _, w := range words {
				if kind == 6 && !bytes.Equal(twin[w.Offset:][:len(w.Data)], w.Data[:]) {
					return fmt.Errorf("rank %d: a word of many at %d of rank %d is not its twin's", rank, w.Offset, to)
				}
			}
			if kind == 1 && !bytes.Equal(twin[from:from+n], buffer) || kind > 1 && kind < 5 && old != was {
				return fmt.Errorf("rank %d: operation %d on %d bytes at %d of rank %d differs from its twin's",
					rank, kind, n, from, to)
			}
		}
		o.Fence(&c)
		return settle(p, &c)
	})
	for owner := range all {
		for rank := range twins {
			part := all[owner].memory[part*rank : part*(rank+1)]
			require.True(w.t, bytes.Equal(twins[rank][owner], part), "puts of rank %d at rank %d", rank, owner)
		}
	}
}

// wordMover is the interface of ports for package memory. Simulated ports lack it.
type wordMover interface {
	GetWords(key.Access, netio.Address, []exposed.Word, *netio.Completion)
	PutWords(key.Access, netio.Address, []exposed.Word, *netio.Completion)
}

// wordsOf returns disjoint words in a part, most of them aligned.
func wordsOf(r *rand.Rand, part int) (words []exposed.Word) {
	for _, at := range r.Perm(part / 16)[:1<<r.IntN(14)/8] {
		offset := uint64(16 * at)
		if r.IntN(8) == 0 {
			offset += r.Uint64N(8)
		}
		words = append(words, exposed.Word{Offset: offset, Data: new([exposed.WordBytes]byte)})
	}
	return words
}

// within returns the words shifted by an offset.
func within(words []exposed.Word, offset uint64) (moved []exposed.Word) {
	for _, w := range words {
		moved = append(moved, exposed.Word{Offset: w.Offset + offset, Data: w.Data})
	}
	return moved
}
