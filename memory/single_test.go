package memory_test

import (
	"testing"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/memory"
	"github.com/activepebbles/pebbles/task"
)

// A lock has one holder at a time, which sees the puts of the one before: additions by reads and writes are not lost.
func TestLocksExclude(t *testing.T) {
	const tasks, steps = 5, 4
	everywhere(t, func(r rank) {
		scheduler := task.New(r.Rank.Rank)
		lock := memory.NewLock(r.s, "lock", r.Size()/2)
		sum := memory.NewScalar[wide](r.s, "sum", r.Size()-1)
		add := func() {
			v := sum.Get()
			sum.Put(wide{v.A + 1, v.B + 2, v.C + 3})
			lock.Unlock()
		}
		r.NoError(scheduler.Run(func() {
			for range tasks {
				scheduler.Go(func() {
					for range steps {
						lock.Lock()
						add()
						scheduler.Yield()
					}
				})
			}
		}))
		r.Do(func() { lock.Lock(); add() })
		r.Do(func() {
			for !lock.TryLock() {
				r.Poll()
			}
			add()
		})
		r.Do(func() {
			n := uint64(r.Size() * (tasks*steps + 2))
			r.Equal(wide{n, 2 * n, 3 * n}, sum.Get())
		})
	})
}

// node is an element of a list over all ranks.
type node struct {
	Value uint64
	Next  memory.Ref[node]
}

// Values on heaps of several ranks refer to each other.
func TestHeapsLink(t *testing.T) {
	const each = 30
	everywhere(t, func(r rank) {
		heap := memory.NewHeap[node](r.s, "nodes", each)
		first := memory.NewScalar[memory.Ref[node]](r.s, "first", 0)
		lock := memory.NewLock(r.s, "lock", 0)
		r.Do(func() {
			for i := range each {
				lock.Lock()
				first.Put(heap.New(node{uint64(r.ID()*each + i), first.Get()}))
				lock.Unlock()
			}
		})
		r.Len(heap.Local(), each)
		r.Do(func() {
			seen := make([]bool, each*r.Size())
			for at := first.Get(); !at.IsNil(); {
				n := memory.Get(r.s, at)
				r.False(seen[n.Value], "value %d comes twice", n.Value)
				r.Equal(n.Value/each, heap.Array().Index(at)/each, "rank of value %d", n.Value)
				seen[n.Value] = true
				at = n.Next
			}
			r.NotContains(seen, false)
		})
	})
}

// Views are copies, and are written back if their mode says so.
func TestViews(t *testing.T) {
	const n = 40
	everywhere(t, func(r rank) {
		a := memory.NewArray[uint64](r.s, "a", distribution.BlockCyclic(n*uint64(r.Size()), r.Size(), 7))
		lo := uint64(n * r.ID())
		for turn, mode := range []memory.Mode{memory.WriteOnly, memory.ReadWrite, memory.ReadWrite} {
			r.Do(func() {
				v := a.View(lo, lo+n, mode)
				for i := range v.Elements() {
					v.Elements()[i] += lo + uint64(i)
				}
				v.Release()
				w := a.View(lo, lo+n, memory.ReadOnly)
				for i, e := range w.Elements() {
					r.Equal((lo+uint64(i))*uint64(turn+1), e, "element %d", lo+uint64(i))
					w.Elements()[i] = 0
				}
				w.Release()
			})
		}
	})
}
