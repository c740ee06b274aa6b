package netiotest

import (
	"bytes"
	"errors"
	"fmt"
	"math"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/netio"
)

// badAddresses uses bad addresses: they are errors that name the cause, and nothing is written.
func badAddresses(w *world) {
	const size = 100
	all := w.expose(size)
	w.each(func(rank int, p netio.Port) error {
		o := p.OneSided()
		own := all[rank].Address
		other := all[(rank+1)%len(all)].Address
		var c netio.Completion
		var word [8]byte
		mine, err := o.Near(own, size)
		if err != nil || len(mine) != size {
			return fmt.Errorf("%d bytes of this rank's memory are near, not %d: %w", len(mine), size, err)
		}
		gone, _, err := o.Expose(8)
		if err == nil {
			err = o.Withdraw(gone)
		}
		if err != nil {
			return err
		}
		nowhere, unknown, later := own, own, other
		nowhere.Process, unknown.Key, later.Key = uint32(len(w.transports)), own.Key^1<<20, other.Key+1000<<32
		far := own
		far.Offset = math.MaxUint64 - 3
		for what, try := range map[string]struct {
			at  netio.Address
			n   int
			why string
		}{
			"the zero value":       {netio.Address{}, 8, "nothing was exposed there"},
			"no process":           {nowhere, 8, "the job has no such process"},
			"an unknown key":       {unknown, 8, "nothing was exposed there"},
			"a key that may come":  {later, 8, "nothing was exposed there"},
			"withdrawn":            {gone, 8, "it has been withdrawn"},
			"beyond the end":       {own.Plus(size - 7), 8, "it ends beyond what was exposed"},
			"beyond another's end": {other.Plus(size - 7), 8, "it ends beyond what was exposed"},
			"far beyond":           {far, 8, "it ends beyond what was exposed"},
		} {
			for call, begin := range map[string]func(){
				"Put": func() { o.Put(try.at, word[:], &c) },
				"Get": func() { o.Get(try.at, word[:], &c) },
			} {
				begin()
				err := settle(p, &c)
				var bad *netio.AddressError
				if !errors.As(err, &bad) || bad.Rank != rank || bad.Call != call || bad.Address != try.at || bad.Bytes != 8 {
					return fmt.Errorf("%s of %s: %w", call, what, err)
				}
				if text := err.Error(); !bytes.Contains([]byte(text), []byte(try.why)) {
					return fmt.Errorf("%s of %s: %q does not say %q", call, what, text, try.why)
				}
			}
		}
		odd := other.Plus(4)
		var old uint64
		for call, begin := range map[string]func(){
			"Add":            func() { o.Add(odd, 1, &old, &c) },
			"Swap":           func() { o.Swap(odd, 1, &old, &c) },
			"CompareAndSwap": func() { o.CompareAndSwap(odd, 0, 1, &old, &c) },
		} {
			begin()
			var bad *netio.AddressError
			if err := settle(p, &c); !errors.As(err, &bad) || bad.Call != call || bad.Address != odd {
				return fmt.Errorf("%s at half a word: %w", call, err)
			}
		}
		if other.Process != own.Process {
			var bad *netio.AddressError
			if err := o.Withdraw(other); !errors.As(err, &bad) || bad.Rank != rank {
				return fmt.Errorf("another process's memory was withdrawn: %w", err)
			}
		}
		for _, n := range []int{0, -1} {
			if _, _, err := o.Expose(n); err == nil {
				return fmt.Errorf("%d bytes were exposed", n)
			}
		}
		if _, _, err := o.Expose(math.MaxInt); err == nil {
			return errors.New("more was exposed than there is")
		}
		return nil
	})
	for _, e := range all {
		require.EqualValues(w.t, size, bytes.Count(e.memory, []byte{0}), "nothing was written")
	}
}
