package fit

import (
	"fmt"
	"github.com/activepebbles/pebbles/netio"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
)

func TestExch(t *testing.T) {
	for _, procs := range []int{1, 2} {
		runtime.GOMAXPROCS(procs)
		tr := netio.NewMem(2)
		var failed atomic.Pointer[error]
		var wg sync.WaitGroup
		for rank := range 2 {
			e := &end{Port: tr.Port(rank), context: t.Context(), failed: &failed, self: uint32(rank)}
			wg.Go(func() {
				for range 3 {
					for _, b := range []int{64, 512, 1024, 2048, 4096, 6144, 8192, 16384} {
						s, err := e.exchange(b, 20000)
						if err != nil {
							panic(err)
						}
						if rank == 0 {
							fmt.Printf("P=%d %d: %.1f ns frame, %.3f ns/8B\n", procs, b, s*1e9, s*1e9/float64(b)*8)
						}
					}
				}
			})
		}
		wg.Wait()
		tr.Close()
	}
}
