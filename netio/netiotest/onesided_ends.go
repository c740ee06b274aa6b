package netiotest

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/netio"
)

// withdrawn withdraws memory that others use: they get its contents or an error, never the zeros of the next exposure.
func withdrawn(w *world) {
	const rounds, size = 50 * times, 20 << 10
	ranks := len(w.ports)
	type tagged struct {
		netio.Address
		tag uint64
	}
	current := make([]atomic.Pointer[tagged], ranks)
	var left atomic.Int64
	left.Store(int64(ranks))
	failed := func(rank int, err error) error {
		var bad *netio.AddressError
		if errors.As(err, &bad) && bad.Rank == rank {
			return nil
		}
		return fmt.Errorf("rank %d: %w", rank, err)
	}
	w.each(func(rank int, p netio.Port) error {
		o, r := p.OneSided(), rand.New(rand.NewPCG(w.seed, uint64(rank)))
		var c netio.Completion
		buffer := make([]byte, size)
		touch := func() error {
			to := r.IntN(ranks)
			e := current[to].Load()
			if e == nil {
				return nil
			}
			if r.IntN(2) == 0 {
				for k := range size / 8 {
					binary.NativeEndian.PutUint64(buffer[8*k:], e.tag)
				}
				o.Put(e.Address, buffer, &c)
				if err := settle(p, &c); err != nil {
					return failed(rank, err)
				}
				return nil
			}
			o.Get(e.Address, buffer, &c)
			if err := settle(p, &c); err != nil {
				return failed(rank, err)
			}
			for k := range size / 8 {
				if word := binary.NativeEndian.Uint64(buffer[8*k:]); word != 0 && word != e.tag {
					return fmt.Errorf("rank %d found %#x at rank %d where %#x or nothing belongs", rank, word, to, e.tag)
				}
			}
			return nil
		}
		for i := range rounds {
			a, memory, err := o.Expose(size)
			if err != nil {
				return err
			}
			if bytes.Count(memory, []byte{0}) != size {
				return fmt.Errorf("rank %d: exposed memory is not zero", rank)
			}
			current[rank].Store(&tagged{a, uint64(rank+1)<<32 | uint64(i+1)})
			for range 1 + r.IntN(4) {
				must(touch())
			}
			must(o.Withdraw(a.Plus(r.IntN(size))))
			var old uint64
			o.Add(a, 1, &old, &c)
			if err := settle(p, &c); err == nil || failed(rank, err) != nil {
				return fmt.Errorf("rank %d: an addition to what has been withdrawn: %w", rank, err)
			}
		}
		left.Add(-1)
		for left.Load() > 0 {
			must(touch())
			p.Pause()
		}
		return nil
	})
}

// lossEndsOperations kills the last process while others use its memory.
func lossEndsOperations(w *world) {
	last := len(w.transports) - 1
	killer, ok := w.transports[last].(Killer)
	if !ok || last == 0 {
		w.t.Skip("this transport can't lose a process")
	}
	all := w.expose(1 << 20)
	lost := all[len(all)-1].Address
	killed := make(chan struct{})
	go func() {
		killer.Kill()
		close(killed)
	}()
	w.each(func(rank int, p netio.Port) error {
		if w.process[rank] == last {
			return nil
		}
		o := p.OneSided()
		buffer := make([]byte, 1<<20)
		for {
			var c netio.Completion
			o.Put(lost, buffer, &c)
			o.Get(lost, buffer, &c)
			err := settle(p, &c)
			var bad *netio.AddressError
			if errors.As(err, &bad) && bad.Rank == rank && bad.Address.Process == lost.Process {
				return nil
			}
			if err != nil {
				return err
			}
		}
	})
	<-killed
	for i := range last {
		var gone *netio.LostError
		require.ErrorAs(w.t, w.failure(i), &gone)
	}
	w.closeAll() // the killed one may return an error
}
