package netiotest

import (
	"fmt"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/netio"
)

// operationFlood begins many operations at once, from all ranks to all, and then waits.
func operationFlood(w *world) {
	const count, big = 2000, 1 << 20
	ranks := len(w.ports)
	all := w.expose(big + 8)
	w.each(func(rank int, p netio.Port) error {
		o := p.OneSided()
		var c netio.Completion
		got := make([]uint64, count)
		large := make([]byte, big)
		for i := range count {
			a := all[(rank+i)%ranks].Plus(big)
			if i%2 == 0 {
				o.Add(a, 1, nil, &c)
			} else {
				o.Get(a, (*[8]byte)(unsafe.Pointer(&got[i]))[:], &c)
			}
		}
		o.Get(all[(rank+1)%ranks].Address, large, &c)
		open := o.Open()
		must(settle(p, &c))
		if o.Open() != 0 || w.process[rank] != w.process[(rank+1)%ranks] && open == 0 && !near(o, all) {
			return fmt.Errorf("rank %d had %d operations open, and now %d", rank, open, o.Open())
		}
		return nil
	})
	var sum uint64
	for _, e := range all {
		sum += e.words()[big/8]
	}
	require.EqualValues(w.t, ranks*count/2, sum)
}
