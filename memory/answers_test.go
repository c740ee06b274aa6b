package memory_test

import (
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/memory"
	"github.com/activepebbles/pebbles/task"
)

// Each change of a word returns the previous value, near and far.
func TestWordsAnswer(t *testing.T) {
	nearAndFar(t, func(r rank) {
		a := memory.NewArray[uint64](r.s, "words", distribution.Cyclic(4, r.Size()))
		r.Do(func() {
			for i := range uint64(2) { // one of each rank, for each rank
				i += 2 * uint64(r.ID())
				a.Put(i, 5)
				got := fmt.Sprint(memory.Swap(a, i, 7), memory.CompareAndSwap(a, i, 5, 9),
					memory.CompareAndSwap(a, i, 7, 9), memory.Add(a, i, 1), a.Get(i))
				memory.AddStart(a, i, 2)
				r.s.Fence()
				r.Equal("5 false true 9 10 12", fmt.Sprint(got, " ", a.Get(i)), "word %d", i)
			}
		})
	})
}

type (
	exact [8]uint64 // the size of data in a question
	above [9]uint64
)

// puts makes each rank write an element of the other's, and read it again.
func puts[T comparable](r rank, v T) {
	a := memory.NewArray[T](r.s, fmt.Sprintf("%T", v), distribution.Cyclic(4, r.Size()))
	r.Do(func() {
		at := uint64(1 - r.ID())
		a.Put(at, v)
		r.Equal(v, a.Get(at))
	})
	r.Equal(v, a.Local()[0])
}

// Elements that just fit into a question arrive whole, as do longer ones.
func TestElementsOfAQuestionsSize(t *testing.T) {
	nearAndFar(t, func(r rank) {
		puts(r, exact{1, 2, 3, 4, 5, 6, 7, 8})
		puts(r, above{1, 2, 3, 4, 5, 6, 7, 8, 9})
	})
}

// A range of a heap may span several ranks.
func TestRangesOfHeaps(t *testing.T) {
	const each = 5
	nearAndFar(t, func(r rank) {
		h := memory.NewHeap[uint64](r.s, "heap", each)
		for i := range uint64(each) {
			h.New(uint64(r.ID())*each + i)
		}
		r.Meet()
		r.Do(func() {
			all := make([]uint64, 2*each-2)
			h.Array().GetRange(1, all)
			r.Equal([]uint64{1, 2, 3, 4, 5, 6, 7, 8}, all)
		})
	})
}

// A view for writing shows zeros at first, also in the memory of an earlier view.
func TestViewsForWritingAreEmpty(t *testing.T) {
	nearAndFar(t, func(r rank) {
		a := r.words("a", 8)
		r.Do(func() {
			lo := uint64(4 * r.ID())
			for range 2 {
				v := a.View(lo, lo+4, memory.WriteOnly)
				r.Equal(make([]uint64, 4), v.Elements())
				copy(v.Elements(), []uint64{7, 7, 7, 7})
				v.Release()
			}
		})
	})
}

// A fence waits for the operations that follow answers to questions: those on elements too long for a question.
func TestFencesWaitForLongElements(t *testing.T) {
	nearAndFar(t, func(r rank) {
		a := memory.NewArray[above](r.s, "long", distribution.Cyclic(2, r.Size()))
		r.Do(func() {
			var v above
			put := a.PutStart(uint64(1-r.ID()), &v)
			r.s.Fence()
			r.True(put.Ready(), "a fence is done ahead of a put before it")
			put.Wait()
		})
	})
}

// A task that works on near memory alone, and never waits, leaves the program when the job has failed.
func TestBatchesEndWithTheJob(t *testing.T) {
	const patience = 20 * time.Second
	failed := errors.New("one rank has failed")
	var begun, wentOn atomic.Bool
	ended := make(chan struct{})
	err := shape("mem", 2, 1).Run(t, program(func(r rank) {
		scheduler, a := task.New(r.Rank.Rank), r.words("a", 2)
		r.NoError(scheduler.Run(func() {
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
		}))
	}))
	<-ended // the job may have ended without it
	require.False(t, wentOn.Load(), "gathers return although the job has failed")
	require.ErrorContains(t, err, failed.Error())
}
