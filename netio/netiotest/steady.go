package netiotest

import (
	"math"
	"runtime"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/netio"
)

// steadyState counts the allocations of frames once all pools are warm.
func steadyState(w *world) {
	last := len(w.ports) - 1
	w.allocatesNothing("frame", 2, func(n int) {
		w.each(func(rank int, p netio.Port) error { return bounce(rank, last, n, p) })
	})
	w.checkReceived()
}

// oneSidedSteadyState counts the allocations of operations on exposed memory.
func oneSidedSteadyState(w *world) {
	all := w.expose(16 << 10)
	owner := all[len(all)-1].Address
	buffer := make([]byte, 4<<10)
	w.allocatesNothing("operation", 4, func(n int) {
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
				must(settle(p, c))
			}
			return nil
		})
	})
}

// allocatesNothing requires that rounds, of the given number of operations each, allocate nothing once all pools are
// warm. The tolerance covers the Go runtime and the transport's timers. An allocation for every operation would exceed
// it fifty times.
func (w *world) allocatesNothing(operation string, each int, run func(rounds int)) {
	const warm, count, looks, tolerance = 300, 500, 5, 0.02
	run(warm)
	least := math.Inf(1) // minimum of some looks: now and then the Go scheduler allocates for itself
	for look := 0; look < looks && least >= tolerance; look++ {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		run(count)
		runtime.ReadMemStats(&after)
		least = min(least, float64(after.Mallocs-before.Mallocs)/float64(each*count))
	}
	require.Less(w.t, least, tolerance, "allocations for each %s", operation)
}

// bounce sends frames from rank 0 to the last rank and back.
func bounce(rank, last, n int, p netio.Port) error {
	if rank != 0 && rank != last {
		return nil
	}
	for i := range n {
		if rank == 0 {
			p.Send(Frame(p, netio.Data+netio.Kind(i%2), 0, last, 2000))
		}
		f, err := recv(p)
		if err != nil {
			return err
		}
		f.Release()
		if rank == last && last != 0 {
			p.Send(Frame(p, netio.Data+netio.Kind(i%2), last, 0, 2000))
		}
	}
	return allBack(p)
}
