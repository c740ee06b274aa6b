package netiotest

import (
	"fmt"
	"math"
	"runtime"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/netio"
)

// operationFlood begins many operations at once, all to all, and then waits.
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
		if err := settle(p, &c); err != nil {
			return err
		}
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

// oneSidedSteadyState counts what operations allocate once all pools are warm.
func oneSidedSteadyState(w *world) {
	const warm, count, looks, tolerance = 200, 300, 5, 0.02
	all := w.expose(16 << 10)
	owner := all[len(all)-1].Address
	buffer := make([]byte, 4<<10)
	measure := func(n int) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		w.each(func(rank int, p netio.Port) error {
			if rank > 0 {
				return nil
			}
			o := p.OneSided()
			c := &netio.Completion{}
			var old uint64
			for range n {
				o.Put(owner, buffer, c)
				o.Get(owner.Plus(8<<10), buffer, c)
				o.Add(owner.Plus(12<<10), 1, &old, c)
				o.Fence(c)
				if err := settle(p, c); err != nil {
					return err
				}
			}
			return nil
		})
		runtime.ReadMemStats(&after)
		return after.Mallocs - before.Mallocs
	}
	measure(warm)
	least := math.Inf(1) // of some looks: now and then the Go scheduler allocates for itself
	for look := 0; look < looks && least >= tolerance; look++ {
		least = min(least, float64(measure(count))/(4*count))
	}
	require.Less(w.t, least, tolerance, "allocations for each operation")
}
