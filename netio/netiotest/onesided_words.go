package netiotest

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"sync/atomic"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/netio"
)

const wordBytes = 8

// whole returns a word that shows tearing.
func whole(n uint64) uint64 { return n<<32 | ^n&math.MaxUint32 }

func torn(word uint64) bool { return word != 0 && word>>32 != ^word&math.MaxUint32 }

// atomicWords lets all ranks add to, swap and compare the same words, and put and get ranges of others, while the
// owners do the same.
func atomicWords(w *world) {
	const rounds, counters, ranges = 120 * times, 3, 600
	ranks := len(w.ports)
	all := w.expose(8 * (counters + ranges))
	w.each(func(rank int, p netio.Port) error {
		o, r := p.OneSided(), rand.New(rand.NewPCG(w.seed, uint64(rank)))
		var c netio.Completion
		room := make([]byte, 8*ranges+8)
		for i := range rounds {
			to := r.IntN(ranks)
			a := all[to].Address
			o.Add(a, 1, nil, &c)
			atomic.AddUint64(&all[rank].words()[0], 1) // the owner's way
			for done := false; !done; {
				var old, now uint64
				o.Get(a.Plus(8), (*[8]byte)(unsafe.Pointer(&now))[:], &c)
				must(settle(p, &c))
				o.CompareAndSwap(a.Plus(8), now, now+1, &old, &c)
				must(settle(p, &c))
				done = old == now
			}
			var old uint64
			o.Swap(a.Plus(16), whole(uint64(i)), &old, &c)
			from, n := r.IntN(ranges-1), 1+r.IntN(1+i%ranges)
			n = min(n, ranges-from)
			at := a.Plus(8 * (counters + from))
			buffer := room[r.IntN(8):][:8*n] // any alignment
			if i%2 == 0 {
				for k := range n {
					binary.NativeEndian.PutUint64(buffer[8*k:], whole(r.Uint64N(1<<30)))
				}
				o.Put(at, buffer, &c)
			} else {
				o.Get(at, buffer, &c)
			}
			must(settle(p, &c))
			for k := range n {
				if word := binary.NativeEndian.Uint64(buffer[8*k:]); torn(word) || torn(old) {
					return fmt.Errorf("rank %d: a torn word: %#x or %#x", rank, word, old)
				}
			}
		}
		return nil
	})
	var added, compared uint64
	for _, e := range all {
		added, compared = added+e.words()[0], compared+e.words()[1]
		for _, word := range e.words()[2:] {
			require.False(w.t, torn(word), "%#x", word)
		}
	}
	require.EqualValues(w.t, 2*rounds*ranks, added)
	require.EqualValues(w.t, rounds*ranks, compared)
}

// longPuts lets a rank put long ranges at odd offsets, each filled with one byte, while the owner reads by words and by
// ranges that begin at the same offsets. Each word that lies fully within a range comes from one put.
func longPuts(w *world) {
	const rounds, size = 20 * times, 100 << 10
	all := w.expose(size)
	words, last := all[0].words(), len(all)-1
	check := func(i int, word uint64) error {
		if word != word&math.MaxUint8*(math.MaxUint64/math.MaxUint8) {
			return fmt.Errorf("word %d is torn: %#x", i, word)
		}
		return nil
	}
	var over atomic.Bool
	w.each(func(rank int, p netio.Port) error {
		o, buffer := p.OneSided(), make([]byte, size)
		if rank == last {
			defer over.Store(true)
			for i := range rounds {
				for k := range buffer {
					buffer[k] = byte(i)
				}
				var c netio.Completion
				odd := 1 + i%(wordBytes-1)
				o.Put(all[0].Plus(odd), buffer[odd:size-1], &c)
				must(settle(p, &c))
			}
			return nil
		}
		for n := 0; rank == 0 && !over.Load(); n++ {
			var c netio.Completion
			odd := 1 + n%(wordBytes-1)
			o.Get(all[0].Plus(odd), buffer[:size-wordBytes], &c)
			must(settle(p, &c))
			for i := 1; i < len(words)-1; i++ {
				got := binary.NativeEndian.Uint64(buffer[wordBytes*i-odd:])
				must(errors.Join(check(i, got), check(i, atomic.LoadUint64(&words[i]))))
			}
			p.Pause()
		}
		return nil
	})
}
