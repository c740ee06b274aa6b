package memory_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/memory"
	"github.com/activepebbles/pebbles/pebble"
)

// onTwo runs a program on two ranks, and its accesses in an epoch; rank 0 prints the result.
func onTwo(prepare func(s *memory.Space) (access func() any, err error)) {
	if err := pebble.Run(context.Background(), pebble.Config{Ranks: 2}, func(r *pebble.Rank) error {
		access, err := prepare(memory.New(r))
		if err != nil {
			return err
		}
		return r.Epoch(func() error {
			if got := access(); r.ID() == 0 {
				fmt.Println(got)
			}
			return nil
		})
	}); err != nil {
		fmt.Println(err)
	}
}

// A scalar is one value of the job. Its array gives atomic access to words.
func ExampleScalar() {
	onTwo(func(s *memory.Space) (func() any, error) {
		limit := memory.NewScalar[uint64](s, "limit", 1)
		return func() any {
			if s.Rank().ID() > 0 {
				return nil
			}
			limit.Put(40)
			before := memory.Add(limit.Array(), 0, 2)
			return fmt.Sprint(before, " ", limit.Get())
		}, nil
	})
	// Output: 40 42
}

// Both ranks change data larger than a word, one after the other.
func ExampleLock() {
	err := pebble.Run(context.Background(), pebble.Config{Ranks: 2}, func(r *pebble.Rank) error {
		s := memory.New(r)
		lock := memory.NewLock(s, "lock", 0)
		pair := memory.NewScalar[[2]int](s, "pair", 1)
		if err := r.Epoch(func() error {
			for range 10 {
				lock.Lock()
				v := pair.Get()
				pair.Put([2]int{v[0] + 1, v[1] - 1})
				lock.Unlock()
			}
			return nil
		}); err != nil {
			return err
		}
		return r.Epoch(func() error {
			if r.ID() == 0 {
				fmt.Println(pair.Get())
			}
			return nil
		})
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output: [20 -20]
}

// Each rank makes values, and others refer to them.
func ExampleHeap() {
	onTwo(func(s *memory.Space) (func() any, error) {
		values := memory.NewHeap[int64](s, "values", 4)
		own := values.New(int64(10 * (s.Rank().ID() + 1)))
		all, err := pebble.AllGather(s.Rank(), own)
		return func() any {
			next := all[1]
			return fmt.Sprint(next.IsNil(), " ", memory.Get(s, next), " ", values.Array().Index(next), " ", values.Local())
		}, err
	})
	// Output: false 20 4 [10]
}

// A view is a copy of a range. Release writes it back.
func ExampleArray_View() {
	onTwo(func(s *memory.Space) (func() any, error) {
		a := memory.NewArray[int64](s, "a", distribution.Block(8, 2))
		return func() any {
			if s.Rank().ID() > 0 {
				return nil
			}
			v := a.View(2, 6, memory.ReadWrite)
			for i := range v.Elements() {
				v.Elements()[i] = int64(i) + 2
			}
			v.Release()
			whole := make([]int64, a.Len())
			a.GetRange(0, whole)
			return whole
		}, nil
	})
	// Output: [0 0 2 3 4 5 0 0]
}

// Start calls keep many accesses in flight, and one wait ends each.
func ExamplePending() {
	onTwo(func(s *memory.Space) (func() any, error) {
		a := memory.NewArray[uint64](s, "a", distribution.Cyclic(8, 2))
		return func() any {
			if s.Rank().ID() > 0 {
				return nil
			}
			indices, one, got := []uint64{1, 3, 5}, uint64(9), make([]uint64, 3)
			scattered := a.ScatterStart(indices, []uint64{10, 30, 50})
			put := a.PutStart(7, &one)
			scattered.Wait()
			put.Wait()
			added := memory.AddStart(a, 5, 1)
			added.Wait()
			gathered := a.GatherStart(got, indices)
			last := a.GetStart(7, &one)
			gathered.Wait()
			last.Wait()
			return fmt.Sprint(got, " ", one, " ", last.Ready())
		}, nil
	})
	// Output: [10 30 51] 9 true
}

// Other ranks change a word of one rank's object atomically, until it is freed.
func ExampleTryGet() {
	err := pebble.Run(context.Background(), pebble.Config{Ranks: 2}, func(r *pebble.Rank) error {
		s := memory.New(r)
		_, own := memory.Alloc[uint64](s, 1)
		all, err := pebble.AllGather(r, own)
		if err != nil {
			return err
		}
		if err := r.Epoch(func() error {
			memory.AddAt(s, all[1], 3)
			return nil
		}); err != nil {
			return err
		}
		if err := r.Epoch(func() error {
			if r.ID() == 0 {
				sum, err := memory.TryGet(s, all[1])
				fmt.Println(sum, err, memory.CompareAndSwapAt(s, all[1], 6, 7), memory.SwapAt(s, all[1], 8))
			}
			return nil
		}); err != nil {
			return err
		}
		if err := r.Epoch(func() error { memory.Free(s, own); return nil }); err != nil {
			return err
		}
		return r.Epoch(func() error {
			if r.ID() == 0 {
				err := memory.TryPut(s, all[1], 9)
				fmt.Println(errors.Is(err, memory.ErrFreed))
			}
			return nil
		})
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// 6 <nil> true 7
	// true
}

// Resolve returns the number of the element that a reference names.
func ExampleResolve() {
	onTwo(func(s *memory.Space) (func() any, error) {
		a := memory.NewArray[int64](s, "a", distribution.Block(8, 2))
		return func() any {
			before := s.Counts()
			ref := a.Ref(6)
			memory.PutRange(s, ref, []int64{60, 70})
			both := make([]int64, 2)
			memory.GetRange(s, ref, both)
			b, i := memory.Resolve(s, ref)
			rate := s.Counts().Since(before).HitRate()
			return fmt.Sprint(both, " ", b.Get(i), " ", i, " ", rate)
		}, nil
	})
	// Output: [60 70] 60 6 1
}
