package memory_test

import (
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/memory"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
	"github.com/activepebbles/pebbles/task"
)

// nearAndFar runs a program on two ranks of one process, and of two, with and without a cache of addresses.
func nearAndFar(t *testing.T, program func(r *pebble.Rank, s *memory.Space) error) {
	t.Helper()
	for _, s := range []appstest.Shape{
		{Ranks: 2, Procs: 1, Transport: "mem", New: route.Direct, Coalesce: 64},
		{Ranks: 2, Procs: 2, Transport: "tcp", New: route.Direct, Coalesce: 64, AddressCache: -1},
		{Ranks: 2, Procs: 2, Transport: "tcp", New: route.Direct, Coalesce: 64, AddressCache: 10},
	} {
		require.NoError(t, s.Run(t, func(r *pebble.Rank) error { return program(r, memory.New(r)) }), "%v, address cache %d", s, s.AddressCache)
	}
}

// Each change of a word answers with what the word was, near and far.
func TestWordsAnswer(t *testing.T) {
	nearAndFar(t, func(r *pebble.Rank, s *memory.Space) error {
		a := memory.NewArray[uint64](s, "words", distribution.Cyclic(4, r.Size()))
		return r.Epoch(func() error {
			for i := range uint64(2) { // one of each rank, for each rank
				i += 2 * uint64(r.ID())
				a.Put(i, 5)
				got := fmt.Sprint(memory.Swap(a, i, 7), memory.CompareAndSwap(a, i, 5, 9), memory.CompareAndSwap(a, i, 7, 9), memory.Add(a, i, 1), a.Get(i))
				memory.AddStart(a, i, 2)
				s.Fence()
				if got += fmt.Sprint(" ", a.Get(i)); got != "5 false true 9 10 12" {
					return fmt.Errorf("word %d: %s", i, got)
				}
			}
			return nil
		})
	})
}

type (
	exact [8]uint64 // as many bytes as a question carries
	above [9]uint64
)

// puts has each rank write an element of the other's, and read it again.
func puts[T comparable](r *pebble.Rank, s *memory.Space, v T) error {
	a := memory.NewArray[T](s, fmt.Sprintf("%T", v), distribution.Cyclic(4, r.Size()))
	if err := r.Epoch(func() error {
		at := uint64(1 - r.ID())
		a.Put(at, v)
		if got := a.Get(at); got != v {
			return fmt.Errorf("put %v, got %v", v, got)
		}
		return nil
	}); err != nil {
		return err
	}
	if got := a.Local()[0]; got != v {
		return fmt.Errorf("%v is here, not %v", got, v)
	}
	return nil
}

// Elements that just fit into a question arrive whole, as do longer ones.
func TestElementsOfAQuestionsSize(t *testing.T) {
	nearAndFar(t, func(r *pebble.Rank, s *memory.Space) error {
		return errors.Join(puts(r, s, exact{1, 2, 3, 4, 5, 6, 7, 8}), puts(r, s, above{1, 2, 3, 4, 5, 6, 7, 8, 9}))
	})
}

// A range of a heap may go over several ranks.
func TestRangesOfHeaps(t *testing.T) {
	const each = 5
	nearAndFar(t, func(r *pebble.Rank, s *memory.Space) error {
		h := memory.NewHeap[uint64](s, "heap", each)
		for i := range uint64(each) {
			h.New(uint64(r.ID())*each + i)
		}
		if err := r.Barrier(); err != nil {
			return err
		}
		return r.Epoch(func() error {
			all := make([]uint64, 2*each-2)
			h.Array().GetRange(1, all)
			for i, v := range all {
				if v != uint64(i+1) {
					return fmt.Errorf("values from 1 on are %v", all)
				}
			}
			return nil
		})
	})
}

// What a view for writing shows at first is zero, also where it takes the memory of one before it.
func TestViewsForWritingAreEmpty(t *testing.T) {
	nearAndFar(t, func(r *pebble.Rank, s *memory.Space) error {
		a := memory.NewArray[uint64](s, "a", distribution.Block(8, r.Size()))
		return r.Epoch(func() error {
			lo := uint64(4 * r.ID())
			for range 2 {
				v := a.View(lo, lo+4, memory.WriteOnly)
				for i, e := range v.Elements() {
					if e != 0 {
						return fmt.Errorf("element %d is %d", i, e)
					}
					v.Elements()[i] = 7
				}
				v.Release()
			}
			return nil
		})
	})
}

// An object is freed by a reference of its type alone.
func TestObjectsAreFreedByTheirType(t *testing.T) {
	s := appstest.Shape{Ranks: 1, Procs: 1, Transport: "mem", New: route.Direct, Coalesce: 64}
	err := s.Run(t, func(r *pebble.Rank) error {
		space := memory.New(r)
		_, ref := memory.Alloc[uint64](space, 5)
		return r.Epoch(func() error {
			memory.Free(space, *(*memory.Ref[bool])(unsafe.Pointer(&ref)))
			return nil
		})
	})
	require.ErrorContains(t, err, "a reference of another type was used")
}

// A fence waits for what the answers to questions begin: elements that are too long for those.
func TestFencesWaitForLongElements(t *testing.T) {
	nearAndFar(t, func(r *pebble.Rank, s *memory.Space) error {
		a := memory.NewArray[above](s, "long", distribution.Cyclic(2, r.Size()))
		return r.Epoch(func() error {
			var v above
			put := a.PutStart(uint64(1-r.ID()), &v)
			s.Fence()
			if !put.Ready() {
				return errors.New("a fence is done ahead of a put before it")
			}
			put.Wait()
			return nil
		})
	})
}

// A task that works on near memory alone, and never waits, leaves the program when the job has failed.
func TestBatchesEndWithTheJob(t *testing.T) {
	const patience = 20 * time.Second
	failed := errors.New("one rank has failed")
	var begun, wentOn atomic.Bool
	ended := make(chan struct{})
	s := appstest.Shape{Ranks: 2, Procs: 1, Transport: "mem", New: route.Direct, Coalesce: 64}
	err := s.Run(t, func(r *pebble.Rank) error {
		scheduler := task.New(r)
		a := memory.NewArray[uint64](memory.New(r), "a", distribution.Block(2, r.Size()))
		return scheduler.Run(func() {
			if r.ID() == 0 {
				for !begun.Load() {
					scheduler.Yield()
				}
				panic(failed)
			}
			defer close(ended)
			for began := r.Now(); r.Now()-began < patience; begun.Store(true) {
				a.Gather(make([]uint64, 1), []uint64{1})
			}
			wentOn.Store(true)
		})
	})
	<-ended // the job may have ended without it
	require.False(t, wentOn.Load(), "gathers return although the job has failed")
	require.ErrorContains(t, err, failed.Error())
}
