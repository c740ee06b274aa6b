package memory_test

import (
	"fmt"
	"testing"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/memory"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/task"
)

// A lock lets one holder in at a time, and shows it what the one before has put: no addition by reading and writing is
// lost.
func TestLocksExclude(t *testing.T) {
	const tasks, steps = 5, 4
	everywhere(t, func(_ *testing.T, r *pebble.Rank) error {
		scheduler, s := task.New(r), memory.New(r)
		lock := memory.NewLock(s, "lock", r.Size()/2)
		sum := memory.NewScalar[wide](s, "sum", r.Size()-1)
		add := func() {
			lock.Lock()
			v := sum.Get()
			sum.Put(wide{v.A + 1, v.B + 2, v.C + 3})
			lock.Unlock()
		}
		if err := scheduler.Run(func() {
			for range tasks {
				scheduler.Go(func() {
					for range steps {
						add()
						scheduler.Yield()
					}
				})
			}
		}); err != nil {
			return err
		}
		if err := r.Epoch(func() error { add(); return nil }); err != nil {
			return err
		}
		tried := 0
		if err := r.Epoch(func() error {
			for !lock.TryLock() {
				tried++
				r.Poll()
			}
			v := sum.Get()
			sum.Put(wide{v.A + 1, v.B + 2, v.C + 3})
			lock.Unlock()
			return nil
		}); err != nil {
			return err
		}
		return r.Epoch(func() error {
			n := uint64(r.Size() * (tasks*steps + 2))
			if v := sum.Get(); v != (wide{n, 2 * n, 3 * n}) {
				return fmt.Errorf("the sums are %v, not of %d additions", v, n)
			}
			return nil
		})
	})
}

// node is an element of a list that goes over all ranks.
type node struct {
	Value uint64
	Next  memory.Ref[node]
}

// Values that ranks make on heaps refer to each other.
func TestHeapsLink(t *testing.T) {
	const each = 30
	everywhere(t, func(_ *testing.T, r *pebble.Rank) error {
		s := memory.New(r)
		heap := memory.NewHeap[node](s, "nodes", each)
		first := memory.NewScalar[memory.Ref[node]](s, "first", 0)
		lock := memory.NewLock(s, "lock", 0)
		if err := r.Epoch(func() error {
			for i := range each {
				lock.Lock()
				first.Put(heap.New(node{uint64(r.ID()*each + i), first.Get()}))
				lock.Unlock()
			}
			return nil
		}); err != nil {
			return err
		}
		if len(heap.Local()) != each {
			return fmt.Errorf("%d values here", len(heap.Local()))
		}
		return r.Epoch(func() error {
			seen := make([]bool, each*r.Size())
			for at := first.Get(); !at.IsNil(); {
				n := memory.Get(s, at)
				if seen[n.Value] || heap.Array().Index(at)/each != n.Value/each {
					return fmt.Errorf("value %d", n.Value)
				}
				seen[n.Value] = true
				at = n.Next
			}
			for v, ok := range seen {
				if !ok {
					return fmt.Errorf("value %d is in no node", v)
				}
			}
			return nil
		})
	})
}

// Views are copies, and are written back where that is asked for.
func TestViews(t *testing.T) {
	const n = 40
	everywhere(t, func(_ *testing.T, r *pebble.Rank) error {
		s := memory.New(r)
		a := memory.NewArray[uint64](s, "a", distribution.BlockCyclic(n*uint64(r.Size()), r.Size(), 7))
		lo := uint64(n * r.ID())
		for turn := range uint64(3) {
			if err := r.Epoch(func() error {
				mode := memory.ReadWrite
				if turn == 0 {
					mode = memory.WriteOnly
				}
				v := a.View(lo, lo+n, mode)
				for i := range v.Elements() {
					v.Elements()[i] += lo + uint64(i)
				}
				v.Release()
				w := a.View(lo, lo+n, memory.ReadOnly)
				for i := range w.Elements() {
					if want := (lo + uint64(i)) * (turn + 1); w.Elements()[i] != want {
						return fmt.Errorf("element %d is %d, not %d", lo+uint64(i), w.Elements()[i], want)
					}
					w.Elements()[i] = 0
				}
				w.Release()
				return nil
			}); err != nil {
				return err
			}
		}
		return nil
	})
}
