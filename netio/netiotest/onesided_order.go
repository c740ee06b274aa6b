package netiotest

import (
	"bytes"
	"errors"
	"fmt"
	"sync/atomic"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/netio"
)

// ownerNeedNotAttend uses only the port of rank 0: the other ranks make no call at all.
func ownerNeedNotAttend(w *world) {
	all := w.expose(1 << 20)
	for rank := range all {
		all[rank].words()[1] = uint64(rank)
	}
	w.each(func(rank int, p netio.Port) error {
		if rank > 0 {
			return nil
		}
		o := p.OneSided()
		var c netio.Completion
		for to, e := range all {
			var old, got uint64
			o.Add(e.Address, 5, &old, &c)
			o.Get(e.Plus(8), (*[8]byte)(unsafe.Pointer(&got))[:], &c)
			must(settle(p, &c))
			if old != 0 || got != uint64(to) {
				return fmt.Errorf("rank %d had %d and %d", to, old, got)
			}
		}
		return nil
	})
	for _, e := range all {
		require.EqualValues(w.t, 5, atomic.LoadUint64(&e.words()[0]))
	}
}

// fenced requires that a rank sees all puts of another one before a fence, once it gets a frame sent after the fence.
func fenced(w *world) {
	const rounds = 24 * times
	all := w.expose(64 << 10)
	first, last := 0, len(w.ports)-1
	owner := all[last/2]
	w.each(func(rank int, p netio.Port) error {
		o := p.OneSided()
		var c netio.Completion
		buffer := make([]byte, 64<<10)
		for i := range rounds {
			if rank == first {
				for k := range buffer {
					buffer[k] = byte(i + 1)
				}
				var puts netio.Completion
				o.Put(owner.Address, buffer, &puts)
				o.Fence(&c)
				must(settle(p, &c))
				must(settle(p, &puts))
				f := Frame(p, netio.Data+netio.Kind(i%2), first, last, 8)
				f.Seq = uint64(i + 1)
				p.Send(f)
			}
			if rank == last {
				f, err := recv(p)
				if err != nil {
					return err
				}
				seq := f.Seq
				f.Release()
				o.Get(owner.Address, buffer, &c)
				must(settle(p, &c))
				if bytes.Count(buffer, []byte{byte(seq)}) != len(buffer) {
					return fmt.Errorf("round %d: rank %d has not seen what was fenced", i, rank)
				}
				if last != first {
					p.Send(Frame(p, netio.Control, last, first, 8))
				}
			}
			if rank == first && last != first {
				f, err := recv(p)
				if err != nil {
					return err
				}
				f.Release()
			}
		}
		return allBack(p)
	})
}

// fencesWait puts a fence between long puts, whether or not they have left, and short gets that end earlier. The fence
// ends when the puts end, whatever else has ended.
func fencesWait(w *world) {
	const rounds, size = 20, 100 << 10
	ranks := len(w.ports)
	all := w.expose(size)
	w.each(func(rank int, p netio.Port) error {
		o := p.OneSided()
		buffer, words := make([]byte, size), make([][8]byte, ranks)
		for i := range rounds {
			var puts, fence, gets netio.Completion
			o.Put(all[(rank+i/2)%ranks].Address, buffer, &puts)
			if i%2 == 0 { // a look sends it
				if f := p.Recv(); f != nil {
					f.Release()
				}
			}
			o.Fence(&fence)
			for to := range all {
				o.Get(all[to].Address, words[to][:], &gets)
			}
			must(await(p, "end a fence", func() (bool, error) {
				if fence.Done() && !puts.Done() {
					return false, fmt.Errorf("rank %d, round %d: a fence is done ahead of a put before it", rank, i)
				}
				if f := p.Recv(); f != nil {
					f.Release()
				}
				return puts.Done() && fence.Done() && gets.Done(), nil
			}))
			must(errors.Join(puts.Err(), fence.Err(), gets.Err()))
		}
		return nil
	})
}
