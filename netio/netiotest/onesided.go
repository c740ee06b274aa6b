package netiotest

import (
	"unsafe"

	"github.com/activepebbles/pebbles/netio"
)

// settle waits at a port until a completion is done, and returns its error.
func settle(p netio.Port, c *netio.Completion) error {
	err := await(p, "end operations", func() (bool, error) {
		for f := p.Recv(); f != nil; f = p.Recv() {
			f.Release()
		}
		return c.Done(), nil
	})
	if err == nil {
		err = c.Err()
	}
	c.Reset()
	return err
}

// exposure is the exposed memory of one rank.
type exposure struct {
	netio.Address
	memory []byte
}

func (e *exposure) words() []uint64 {
	return unsafe.Slice((*uint64)(unsafe.Pointer(&e.memory[0])), len(e.memory)/8)
}

// expose exposes n bytes on every rank.
func (w *world) expose(n int) []exposure {
	all := make([]exposure, len(w.ports))
	w.each(func(rank int, p netio.Port) (err error) {
		e := &all[rank]
		e.Address, e.memory, err = p.OneSided().Expose(n)
		return err
	})
	return all
}

// near reports whether all exposures are near.
func near(o netio.OneSided, all []exposure) bool {
	for _, e := range all {
		if memory, err := o.Near(e.Address, 8); err != nil || memory == nil {
			return false
		}
	}
	return true
}
