package netiotest

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/netio"
)

func places(w *world) {
	ranks := 0
	for i, tr := range w.transports {
		require.Equal(w.t, netio.PlaceOf(len(w.ports), len(w.transports), i), tr.Place().OnHosts(nil))
		require.NotEmpty(w.t, tr.Name())
		ranks += tr.Place().Last - tr.Place().First
	}
	require.Equal(w.t, len(w.ports), ranks)
}

// fill sets contents derived from a frame's way and number, so that the receiver can compute them.
func fill(f *netio.Frame, seed uint64) {
	r := rand.New(rand.NewPCG(seed, uint64(f.From)<<40|uint64(f.To)<<20|f.Seq))
	f.Flags, f.Target, f.Epoch = uint8(r.Uint32()), uint16(r.Uint32()), r.Uint32()
	f.Count, f.Check, f.Tag = r.Uint32(), r.Uint32(), r.Uint32()
	b := f.Payload()
	for ; len(b) >= 8; b = b[8:] { // word by word, for large frames
		binary.LittleEndian.PutUint64(b, r.Uint64())
	}
	clear(b)
}

// size draws the length of frame i: mostly short, some empty, few large. One to the next rank exceeds every budget.
func size(r *rand.Rand, i, count int, next bool) int {
	switch {
	case i == count/2 && next:
		return 5<<20 + r.IntN(1000)
	case r.IntN(8) == 0:
		return 0
	case r.IntN(8) == 0:
		return r.IntN(256 << 10)
	default:
		return r.IntN(3000)
	}
}

// book records the frames that one rank has received.
type book struct {
	seed uint64
	seen map[[2]uint64]bool // by sender and number
	twin *netio.Pool
}

func (b *book) enter(f *netio.Frame, rank int) error {
	defer f.Release()
	key := [2]uint64{uint64(f.From), f.Seq}
	if b.seen[key] || int(f.To) != rank {
		return fmt.Errorf("rank %d got frame %v twice, or a frame for rank %d", rank, key, f.To)
	}
	b.seen[key] = true
	want := b.twin.Get(int(f.Bytes))
	defer want.Release()
	want.Kind, want.From, want.To, want.Bytes, want.Seq = f.Kind, f.From, f.To, f.Bytes, f.Seq
	fill(want, b.seed)
	if want.Header != f.Header || !bytes.Equal(want.Payload(), f.Payload()) {
		return fmt.Errorf("rank %d got frame %v changed: %+v, not %+v", rank, key, f.Header, want.Header)
	}
	return nil
}

// everyFrame sends frames of both kinds between all pairs, in both directions at once.
func everyFrame(w *world) {
	const count, budget = 24 * times, 8 << 20
	ranks := len(w.ports)
	w.each(func(rank int, p netio.Port) error {
		r := rand.New(rand.NewPCG(w.seed, uint64(rank)))
		b := &book{seed: w.seed, seen: map[[2]uint64]bool{}, twin: netio.NewPool(nil)}
		take := func() (err error) {
			for f := p.Recv(); f != nil && err == nil; f = p.Recv() {
				err = b.enter(f, rank)
			}
			return err
		}
		for i := range count {
			for to := range ranks {
				room := func() (bool, error) { err := take(); return p.Pool().Lent() < budget, err }
				must(await(p, "get room", room))
				f := Frame(p, netio.Data+netio.Kind(i%2), rank, to, size(r, i, count, to == (rank+1)%ranks))
				f.Seq = uint64(i)
				fill(f, w.seed)
				p.Send(f)
			}
		}
		err := await(p, "receive all", func() (bool, error) { err := take(); return len(b.seen) == count*ranks, err })
		if err != nil {
			return fmt.Errorf("%w: %d of %d frames", err, len(b.seen), count*ranks)
		}
		return allBack(p)
	})
	w.checkReceived()
}

// manyToOne lets all ranks send to rank 0 at full speed.
func manyToOne(w *world) {
	const count, budget = 500 * times, 128 << 10
	w.each(func(rank int, p netio.Port) error {
		got := make([]int, len(w.ports))
		total := 0
		take := func() {
			for f := p.Recv(); f != nil; f = p.Recv() {
				got[f.From] += int(f.Seq)
				total++
				f.Release()
			}
		}
		for i := range count {
			room := func() (bool, error) { take(); return p.Pool().Lent() < budget, nil }
			must(await(p, "get room", room))
			f := Frame(p, netio.Data, rank, 0, 100)
			f.Seq = uint64(i)
			p.Send(f)
		}
		if rank == 0 {
			all := func() (bool, error) { take(); return total == count*len(w.ports), nil }
			must(await(p, "receive all", all))
			for from, sum := range got {
				if sum != count*(count-1)/2 {
					return fmt.Errorf("from rank %d: sum %d", from, sum)
				}
			}
		}
		return allBack(p)
	})
	w.checkReceived()
}
