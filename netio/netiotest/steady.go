package netiotest

import (
	"math"
	"runtime"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/netio"
)

// steadyState counts what frames allocate once all pools are warm. The tolerance is for what the Go runtime and the
// transport's timers do meanwhile; a single allocation for every frame is fifty times as much.
func steadyState(w *world) {
	const warm, count, looks, tolerance = 300, 500, 5, 0.02
	last := len(w.ports) - 1
	measure := func(n int) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		w.each(func(rank int, p netio.Port) error { return bounce(rank, last, n, p) })
		runtime.ReadMemStats(&after)
		return after.Mallocs - before.Mallocs
	}
	measure(warm)
	least := math.Inf(1) // of some looks: now and then the Go scheduler allocates for itself
	for look := 0; look < looks && least >= tolerance; look++ {
		least = min(least, float64(measure(count))/(2*count))
	}
	require.Less(w.t, least, tolerance, "allocations for each frame")
	w.checkReceived()
}

// bounce sends frames from rank 0 to the last one and back.
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
