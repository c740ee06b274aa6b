//go:build !race && !pebbles_check

package memory_test

import (
	"testing"

	"github.com/activepebbles/pebbles/memory"
)

// Accesses to the other rank's elements allocate nothing after the first ones.
func TestAccessesAllocateNothing(t *testing.T) {
	for _, transport := range transports {
		t.Run(transport, func(t *testing.T) {
			tables(t, transport, small, func(r rank, a *memory.Array[uint64]) {
				all, got := indices(100, small), make([]uint64, 100)
				access := func() {
					a.Put(small-1, a.Get(small-2))
					memory.Add(a, small-3, 1)
					memory.AddStart(a, small-3, 1) // without a waiter
					added := memory.AddStart(a, small-3, 1)
					added.Wait()
					added.Wait()
					memory.CompareAndSwap(a, small-3, memory.Swap(a, small-3, 7), 7)
					a.Gather(got, all)
					g := a.GetStart(small-2, &got[1])
					g.Wait()
					p := a.GatherStart(got, all)
					a.Scatter(all, got)
					p.Wait()
					p = a.ScatterStart(all, got)
					p.Wait()
					a.GetRange(small-200, got)
					a.PutRange(small-200, got)
					v := a.View(small-100, small, memory.ReadWrite)
					v.Release()
					q := a.PutStart(small-4, &got[0])
					q.Wait()
				}
				for range 300 {
					access()
				}
				r.Zero(testing.AllocsPerRun(300, access))
			})
		})
	}
}
