package memory_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/memory"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
	"github.com/activepebbles/pebbles/task"
)

// wrong is a user's distribution that returns wrong owners.
type wrong struct{ *distribution.BlockMap }

func (m wrong) Local(uint64) int  { return 1 << 40 }
func (m wrong) Run(uint64) uint64 { return 1 }

// sparse is a user's distribution that reports more elements than it has.
type sparse struct{ *distribution.BlockMap }

func (m sparse) Len() uint64 { return 1<<44 + 1 }

// foreign is a reference of another job.
var foreign = func() (ref memory.Ref[uint64]) {
	err := pebble.Run(context.Background(), pebble.Config{Ranks: 1}, func(r *pebble.Rank) error {
		_, ref = memory.Alloc[uint64](memory.New(r), 1)
		return nil
	})
	if err != nil {
		panic(err)
	}
	return ref
}()

// asBool converts a reference to another type.
func asBool(ref memory.Ref[uint64]) memory.Ref[bool] {
	return *(*memory.Ref[bool])(unsafe.Pointer(&ref))
}

// ours is an object of 5 words.
func (r rank) ours() memory.Ref[uint64] {
	_, ref := memory.Alloc[uint64](r.s, 5)
	return ref
}

// theirs is an object of 5 words of the other rank of two.
func (r rank) theirs() memory.Ref[uint64] { return appstest.Gathered(r.Rank, r.ours())[1-r.ID()] }

// freed is an array that was freed.
func (r rank) freed() *memory.Array[uint64] {
	a := r.words("words", 100)
	r.NoError(a.Free())
	return a
}

// handle calls f in a handler.
func (r rank) handle(f func()) {
	to := target.New(r.Rank.Rank, "t", distribution.Ranks(r.Size()), target.Key(func(v uint64) uint64 { return v }),
		target.Each(func(uint64) { f() }))
	r.Do(func() { to.Send(0) })
}

type array = memory.Array[uint64]

// Each mistake ends the job with an error that describes it.
func TestMistakesAreTold(t *testing.T) {
	body := func(do func(r rank, a *array)) func(r rank) {
		return func(r rank) {
			a := r.words("words", 100)
			r.Do(func() { do(r, a) })
		}
	}
	block := func(r rank) distribution.Indexed { return distribution.Block(10, r.Size()) }
	for name, c := range map[string]struct {
		says string
		do   func(r rank)
	}{
		"index out of range": {`Get of array "words": index 100 is out of range: it has 100 elements`,
			body(func(_ rank, a *array) { a.Get(100) })},
		"range over the end": {`PutRange of array "words": 11 elements from 90 on end beyond the array, which has 100`,
			body(func(_ rank, a *array) { a.PutRange(90, make([]uint64, 11)) })},
		"view over the end": {`View of array "words": elements 90 to 101 are not in the array`,
			body(func(_ rank, a *array) { a.View(90, 101, memory.ReadOnly) })},
		"a view released twice": {`Release of array "words": the view was released already`,
			body(func(_ rank, a *array) {
				v := a.View(1, 2, memory.ReadOnly)
				v.Release()
				a.View(2, 3, memory.ReadWrite) // reuses the memory of v
				v.Release()
			})},
		"a view after its release": {`Elements of array "words": the view was released already`,
			body(func(_ rank, a *array) {
				v := a.View(1, 2, memory.ReadOnly)
				v.Release()
				v.Elements()
			})},
		"lengths that differ": {`Scatter of array "words": 2 indices and 3 elements: give as many`,
			body(func(_ rank, a *array) { a.Scatter(make([]uint64, 2), make([]uint64, 3)) })},
		"a get into a short slice": {`Gather of array "words": 2 indices and 1 elements: give as many`,
			body(func(_ rank, a *array) { a.Gather(make([]uint64, 1), []uint64{0, 99}) })},
		"a mistake in a task": {`Get of array "words": index 100 is out of range`, func(r rank) {
			scheduler, a := task.New(r.Rank.Rank), r.words("words", 100)
			r.NoError(scheduler.Run(func() { a.Get(100) }))
		}},
		"a put that nobody waits for": {`memory: "words": rank`, func(r rank) {
			a, v := r.words("words", 100), uint64(1)
			r.Do(func() { a.Get(99); a.Get(0) }) // so that the addresses are known
			memory.Withdraw(a)
			r.Meet()
			r.Do(func() { a.PutStart(99*uint64(1-r.ID()), &v) })
			panic(errors.New("the epoch has ended well"))
		}},
		"two who wait for one": {`Pending.Wait was called twice`, func(r rank) {
			a, tasks := r.words("words", 100), task.New(r.Rank.Rank)
			r.NoError(tasks.Run(func() {
				var at0, at99 uint64
				for _, p := range []memory.Pending{a.GetStart(0, &at0), a.GetStart(99, &at99)} {
					tasks.Go(p.Wait)
					tasks.Go(p.Wait)
				}
			}))
		}},

		// Places of calls.
		"waiting in a handler": {
			`Get was called in a handler, which must not wait, on memory that is not near: have GetStart`,
			func(r rank) { a := r.words("words", 100); r.handle(func() { a.Get(99) }) }},
		"an object in a handler": {`Get was called in a handler, which must not wait`,
			func(r rank) { ref := r.theirs(); r.handle(func() { memory.Get(r.s, ref) }) }},
		"a fence in a handler": {`Fence was called in a handler`, func(r rank) { r.handle(r.s.Fence) }},
		"waiting outside of an epoch": {`Gather was called outside of an epoch`,
			func(r rank) { r.words("words", 100).Gather(make([]uint64, 2), []uint64{0, 99}) }},
		"a start outside of an epoch": {`AddStart was called outside of an epoch`, func(r rank) {
			a := r.words("words", 100)
			memory.AddStart(a, 0, 1)
			memory.AddStart(a, 99, 1)
		}},
		"freed outside of an epoch": {`Free was called outside of an epoch`,
			func(r rank) { memory.Free(r.s, r.ours()) }},

		// Uses after Free.
		"use after free": {`Put of array "words": it was freed`,
			func(r rank) { a := r.freed(); r.Do(func() { a.Put(1, 1) }) }},
		"free twice": {`Free of array "words": it was freed already`, func(r rank) { r.NoError(r.freed().Free()) }},
		"a ref after free": {`a reference to array 1 of the job was used, which has been freed`, func(r rank) {
			a := r.words("words", 100)
			ref := a.Ref(99)
			r.NoError(a.Free())
			r.Do(func() { memory.Get(r.s, ref) })
		}},
		"an own heap after free": {`Local of array "h": it was freed`, func(r rank) {
			h := memory.NewHeap[int](r.s, "h", 2)
			h.New(1)
			r.NoError(h.Free())
			h.Local()
		}},
		"an object that was freed": {`has been freed`,
			func(r rank) { ref := r.ours(); r.Do(func() { memory.Free(r.s, ref); memory.Get(r.s, ref) }) }},
		"an object freed twice": {`Free of object 1 of rank`,
			func(r rank) { ref := r.ours(); r.Do(func() { memory.Free(r.s, ref); memory.Free(r.s, ref) }) }},
		"an object of another rank freed": {`the rank that has allocated an object frees it`,
			func(r rank) { ref := r.theirs(); r.Do(func() { memory.Free(r.s, ref) }) }},
		"an array freed by a ref": {`all ranks free it, by Array.Free`,
			body(func(r rank, a *array) { memory.Free(r.s, a.Ref(0)) })},

		// References.
		"a ref to nothing": {`a reference to nothing was used`,
			body(func(r rank, _ *array) { memory.Put(r.s, memory.Ref[int64]{}, 3) })},
		"a ref of another job": {`a reference of another job was used`,
			body(func(r rank, _ *array) { memory.Get(r.s, foreign) })},
		"a ref of another type": {`a reference of another type was used for 1 bytes of array 1 of the job`,
			body(func(r rank, a *array) { memory.Get(r.s, asBool(a.Ref(99))) })},
		"a ref to an object of another type": {`a reference of another type was used: references keep their type`,
			func(r rank) { ref := asBool(r.ours()); r.Do(func() { memory.Get(r.s, ref) }) }},
		"a ref to an object of another rank, of another type": {
			`a reference of another type was used: references keep their type`,
			func(r rank) { ref := asBool(r.theirs()); r.Do(func() { memory.Get(r.s, ref) }) }},
		"an object freed by a ref of another type": {`a reference of another type was used`,
			func(r rank) { ref := asBool(r.ours()); r.Do(func() { memory.Free(r.s, ref) }) }},
		"a ref far beyond large elements": {`index out of range: the elements end beyond it`, func(r rank) {
			type large [2 << 20]byte
			_, ref := memory.Alloc[large](r.s, 2)
			r.Do(func() { memory.GetRange(r.s, ref.Plus(1<<43), make([]large, 1)) }) // 2^64 bytes on
		}},
		"a ref beyond an object": {`object 1 of rank`,
			func(r rank) { ref := r.theirs(); r.Do(func() { memory.Put(r.s, ref.Plus(5), 1) }) }},
		"a range beyond a known object": {`index out of range: the elements end beyond it`, func(r rank) {
			ref := r.theirs()
			r.Do(func() {
				memory.Get(r.s, ref.Plus(4))
				memory.GetRange(r.s, ref, make([]uint64, 6))
			})
		}},
		"an object resolved": {`a reference to object 1 of rank`, func(r rank) { memory.Resolve(r.s, r.ours()) }},

		// Impossible allocations.
		"an object of no elements": {`Alloc of 0 elements of uint64: give 1 to`,
			func(r rank) { memory.Alloc[uint64](r.s, 0) }},
		"an object with pointers": {`Alloc: type []int is not plain data`, func(r rank) { memory.Alloc[[]int](r.s, 1) }},
		"an object larger than memory": {`Alloc of 1099511627776 elements of uint64: `,
			func(r rank) { memory.Alloc[uint64](r.s, 1<<40) }},
		"more than a reference can say": {`an array has at most 17592186044416 elements`,
			func(r rank) { memory.NewArray[[0x100]uint64](r.s, "huge", sparse{distribution.Block(10, r.Size())}) }},
		"elements with pointers": {`array "texts": type string is not plain data`,
			func(r rank) { memory.NewArray[string](r.s, "texts", block(r)) }},
		"elements without bytes": {`array "none": elements of type struct {} have no bytes`,
			func(r rank) { memory.NewArray[struct{}](r.s, "none", block(r)) }},
		"no distribution": {`array "none": it has no distribution`,
			func(r rank) { memory.NewArray[int](r.s, "none", nil) }},
		"a distribution for others": {`array "more": its distribution is for 5 ranks, the job has 2`,
			func(r rank) { memory.NewArray[int](r.s, "more", distribution.Block(10, 5)) }},
		"a distribution that lies": {
			`its distribution says that element 3 is number 1099511627776 of rank 0, which is none`,
			func(r rank) {
				a := memory.NewArray[int64](r.s, "a", wrong{distribution.Block(10, r.Size())})
				r.Do(func() { memory.Add(a, 3, 1) })
			}},
		"ranks that allocate differently": {`allocates something else than rank`,
			func(r rank) { r.words("a", uint64(10+r.ID())) }},
		"more than the machine has": {`array "huge" of 1152921504606846976 elements of uint64`,
			func(r rank) { r.words("huge", 1<<60) }},
		"a rank that is none": {`array "s": it is at rank 2, ranks are 0 to 1`,
			func(r rank) { memory.NewScalar[int](r.s, "s", 2) }},
		"a heap of less than nothing": {`heap "h" with room for -1 values of each rank: give 0 or more`,
			func(r rank) { memory.NewHeap[int](r.s, "h", -1) }},
		"a heap that is full": {`New of array "h": all of its room for 2 values of a rank is used`, func(r rank) {
			h := memory.NewHeap[int](r.s, "h", 2)
			for i := range 3 {
				h.New(i)
			}
		}},

		// Locks.
		"a lock that nobody holds": {`Unlock of lock "l": this rank does not hold it`,
			func(r rank) { r.Do(memory.NewLock(r.s, "l", 0).Unlock) }},
		"a lock in an epoch of a declared depth": {
			`Lock of lock "l": locks need an epoch without pebble.Depth`,
			func(r rank) { r.Do(memory.NewLock(r.s, "l", 0).Lock, pebble.Depth(1)) }},
	} {
		t.Run(name, func(t *testing.T) {
			require.ErrorContains(t, shape("tcp", 2, 2).Run(t, program(c.do)), c.says)
			require.ErrorContains(t, shape("tcp", 2, 2).Run(t, program(func(r rank) {
				defer func() { _ = recover() }() // the program continues
				c.do(r)
			})), c.says, "recovered")
		})
	}
}

// An index out of range is an error, as a key out of range is. Both name the line of the program first.
func TestIndexErrorsNameTheLine(t *testing.T) {
	var line int
	err := pebble.Run(t.Context(), pebble.Config{Ranks: 2}, func(r *pebble.Rank) error {
		a := memory.NewArray[uint64](memory.New(r), "words", distribution.Block(10, 2))
		return r.Epoch(func() error {
			if r.ID() == 1 {
				_, _, line, _ = runtime.Caller(0)
				a.Get(10)
			}
			return nil
		})
	})
	var told *memory.IndexError
	require.ErrorAs(t, err, &told)
	require.Equal(t, fmt.Sprintf(`errors_test.go:%d: rank 1: Get of array "words": index 10 is out of range: it has 10 `+
		"elements", line+1), err.Error())
	require.Equal(t, 1, pebble.WriteError(io.Discard, err))
}

// laps is a user's distribution with a method of a name that ours use for runs of neighbours, and another meaning.
type laps struct{ distribution.Indexed }

func (laps) Run(key uint64) uint64 { return key / 4 }

// Methods of a user's distribution are not mistaken for methods of ours with the same names.
func TestOwnDistributionsMayHaveAnyMethod(t *testing.T) {
	require.NoError(t, pebble.Run(t.Context(), pebble.Config{Ranks: 1}, program(func(r rank) {
		a := memory.NewArray[uint64](r.s, "a", laps{distribution.Block(16, 1)})
		r.Do(func() {
			a.Put(9, 9)
			all := make([]uint64, 16)
			a.GetRange(0, all)
			r.EqualValues(9, all[9])
		})
	})))
}
