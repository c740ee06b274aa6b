package netiotest

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/netio"
)

// oneSidedTwin has each rank put to, and get from, a part of what every rank has exposed, of all lengths and
// alignments, and change words of it; a twin in memory of its own does the same.
func oneSidedTwin(w *world) {
	const part, steps = 160 << 10, 300
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
			kind := r.IntN(5)
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
			}
			if err := settle(p, &c); err != nil {
				return err
			}
			if kind == 1 && !bytes.Equal(twin[from:from+n], buffer) || kind > 1 && old != was {
				return fmt.Errorf("rank %d: operation %d on %d bytes at %d of rank %d is not what its twin did", rank, kind, n, from, to)
			}
		}
		o.Fence(&c)
		return settle(p, &c)
	})
	for owner := range all {
		for rank := range twins {
			require.True(w.t, bytes.Equal(twins[rank][owner], all[owner].memory[part*rank:part*(rank+1)]), "what rank %d has put at rank %d", rank, owner)
		}
	}
}
