package netio_test

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/activepebbles/pebbles/netio"
)

func TestZBurst(t *testing.T) {
	for _, size := range []uint32{16, 64, 200} {
		for _, kind := range []netio.Kind{netio.Control, netio.Data} {
			all := dialShm(t, configs(t, 2, 2))
			p, q := all[0].Port(0), all[1].Port(1)
			send := func(p netio.Port, from, to uint32) {
				f := p.Pool().Get(int(size))
				f.Kind, f.From, f.To, f.Bytes = kind, from, to, size
				p.Send(f)
			}
			const rounds, bursts = 200, 3000
			var other sync.WaitGroup
			idle := netio.Port.Pause
			if os.Getenv("IDLE") == "wait" {
				idle = wait
			}
			other.Go(func() {
				for range rounds * bursts {
					nextBy(q, idle).Release()
					send(q, 1, 0)
				}
			})
			var took []float64
			for range bursts {
				t0 := time.Now()
				for range rounds {
					send(p, 0, 1)
					nextBy(p, idle).Release()
				}
				took = append(took, float64(time.Since(t0))/rounds/2)
			}
			other.Wait()
			closeShm(all)
			slices.Sort(took)
			fmt.Printf("size %d kind %d: ns/hop min %.0f 10%% %.0f 25%% %.0f 50%% %.0f\n", size, kind, took[0], took[bursts/10], took[bursts/4], took[bursts/2])
		}
	}
}

func TestZLine(t *testing.T) {
	runtime.GOMAXPROCS(2)
	var a, b struct {
		_ [128]byte
		v atomic.Uint64
		_ [128]byte
	}
	const rounds, bursts = 200, 3000
	go func() {
		for i := uint64(1); i <= rounds*bursts; i++ {
			for a.v.Load() != i {
			}
			b.v.Store(i)
		}
	}()
	var took []float64
	i := uint64(0)
	for range bursts {
		t0 := time.Now()
		for range rounds {
			i++
			a.v.Store(i)
			for b.v.Load() != i {
			}
		}
		took = append(took, float64(time.Since(t0))/rounds)
	}
	slices.Sort(took)
	fmt.Printf("line round trip: ns min %.0f 10%% %.0f 25%% %.0f 50%% %.0f\n", took[0], took[bursts/10], took[bursts/4], took[bursts/2])
}
