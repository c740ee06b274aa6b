package memory_test

import (
	"context"
	"errors"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/memory"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
	"github.com/activepebbles/pebbles/target"
	"github.com/activepebbles/pebbles/task"
)

// wrong is a distribution of the user's that lies.
type wrong struct{ *distribution.BlockMap }

func (m wrong) Local(uint64) int  { return 1 << 40 }
func (m wrong) Run(uint64) uint64 { return 1 }

// sparse is a distribution of the user's of more elements than it has.
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

// theirs is an object of 5 words of the other rank of two.
func theirs(r *pebble.Rank, s *memory.Space) (memory.Ref[uint64], error) {
	_, own := memory.Alloc[uint64](s, 5)
	all, err := pebble.AllGather(r, own)
	if err != nil {
		return own, err
	}
	return all[1-r.ID()], nil
}

// Each mistake ends the job, in words that say what is wrong.
func TestMistakesAreTold(t *testing.T) {
	words := func(s *memory.Space, n uint64) *memory.Array[uint64] {
		a := memory.NewArray[uint64](s, "words", distribution.Block(n, s.Rank().Size()))
		return a
	}
	body := func(r *pebble.Rank, f func()) error { return r.Epoch(func() error { f(); return nil }) }
	handling := func(r *pebble.Rank, f func()) error {
		to := target.New(r, "t", distribution.Ranks(r.Size()), target.Key(func(v uint64) uint64 { return v }), target.Each(func(uint64) { f() }))
		return r.Epoch(func() error { to.Send(0); return nil })
	}
	for name, c := range map[string]struct {
		says string
		do   func(r *pebble.Rank, s *memory.Space) error
	}{
		"index out of range": {`Get of array "words": index 100 is out of range: it has 100 elements`,
			func(r *pebble.Rank, s *memory.Space) error { a := words(s, 100); return body(r, func() { a.Get(100) }) }},
		"range over the end": {`PutRange of array "words": 11 elements from 90 on end beyond the array, which has 100`,
			func(r *pebble.Rank, s *memory.Space) error {
				a := words(s, 100)
				return body(r, func() { a.PutRange(90, make([]uint64, 11)) })
			}},
		"view over the end": {`View of array "words": elements 90 to 101 are not in the array`,
			func(r *pebble.Rank, s *memory.Space) error {
				a := words(s, 100)
				return body(r, func() { a.View(90, 101, memory.ReadOnly) })
			}},
		"an own heap after free": {`Local of array "h": it was freed`,
			func(_ *pebble.Rank, s *memory.Space) error {
				h := memory.NewHeap[int](s, "h", 2)
				h.New(1)
				if err := h.Free(); err != nil {
					return err
				}
				h.Local()
				return nil
			}},
		"a view released twice": {`Release of array "words": the view was released already`,
			func(r *pebble.Rank, s *memory.Space) error {
				a := words(s, 100)
				return body(r, func() {
					v := a.View(1, 2, memory.ReadOnly)
					v.Release()
					a.View(2, 3, memory.ReadWrite) // has the memory of v
					v.Release()
				})
			}},
		"a view after its release": {`Elements of array "words": the view was released already`,
			func(r *pebble.Rank, s *memory.Space) error {
				a := words(s, 100)
				return body(r, func() {
					v := a.View(1, 2, memory.ReadOnly)
					v.Release()
					v.Elements()
				})
			}},
		"a ref far beyond large elements": {`index out of range: the elements end beyond it`,
			func(r *pebble.Rank, s *memory.Space) error {
				type large [2 << 20]byte
				_, ref := memory.Alloc[large](s, 2)
				return body(r, func() { memory.GetRange(s, ref.Plus(1<<43), make([]large, 1)) }) // 2^64 bytes on
			}},
		"a put that nobody waits for": {`memory: "words": rank`,
			func(r *pebble.Rank, s *memory.Space) error {
				a := words(s, 100)
				if err := body(r, func() { a.Get(99); a.Get(0) }); err != nil { // so that the addresses are known
					return err
				}
				memory.Withdraw(a)
				if err := r.Barrier(); err != nil {
					return err
				}
				v := uint64(1)
				if err := body(r, func() { a.PutStart(99*uint64(1-r.ID()), &v) }); err != nil {
					return err
				}
				return errors.New("the epoch has ended well")
			}},
		"a heap of less than nothing": {`heap "h" with room for -1 values of each rank: give 0 or more`,
			func(_ *pebble.Rank, s *memory.Space) error {
				memory.NewHeap[int](s, "h", -1)
				return nil
			}},
		"use after free": {`Put of array "words": it was freed`,
			func(r *pebble.Rank, s *memory.Space) error {
				a := words(s, 100)
				if err := a.Free(); err != nil {
					return err
				}
				return body(r, func() { a.Put(1, 1) })
			}},
		"free twice": {`Free of array "words": it was freed already`,
			func(_ *pebble.Rank, s *memory.Space) error {
				a := words(s, 100)
				if err := a.Free(); err != nil {
					return err
				}
				return a.Free()
			}},
		"a ref after free": {`a reference to array 1 of the job was used, which has been freed`,
			func(r *pebble.Rank, s *memory.Space) error {
				a := words(s, 100)
				ref := a.Ref(99)
				if err := a.Free(); err != nil {
					return err
				}
				return body(r, func() { memory.Get(s, ref) })
			}},
		"a ref of another job": {`a reference of another job was used`,
			func(r *pebble.Rank, s *memory.Space) error {
				words(s, 200)
				return body(r, func() { memory.Get(s, foreign) })
			}},
		"a ref of another type": {`a reference of another type was used for 1 bytes of array 1 of the job`,
			func(r *pebble.Rank, s *memory.Space) error {
				ref := words(s, 200).Ref(99)
				return body(r, func() { memory.Get(s, *(*memory.Ref[bool])(unsafe.Pointer(&ref))) })
			}},
		"a ref to an object of another type": {`a reference of another type was used: references keep their type`,
			func(r *pebble.Rank, s *memory.Space) error {
				_, ref := memory.Alloc[uint64](s, 5)
				return body(r, func() { memory.Get(s, *(*memory.Ref[bool])(unsafe.Pointer(&ref))) })
			}},
		"a ref to an object of another rank, of another type": {`a reference of another type was used: references keep their type`,
			func(r *pebble.Rank, s *memory.Space) error {
				ref, err := theirs(r, s)
				if err != nil {
					return err
				}
				return body(r, func() { memory.Get(s, *(*memory.Ref[bool])(unsafe.Pointer(&ref))) })
			}},
		"a ref beyond an object": {`object 1 of rank`,
			func(r *pebble.Rank, s *memory.Space) error {
				ref, err := theirs(r, s)
				if err != nil {
					return err
				}
				return body(r, func() { memory.Put(s, ref.Plus(5), 1) })
			}},
		"a range beyond a known object": {`index out of range: the elements end beyond it`,
			func(r *pebble.Rank, s *memory.Space) error {
				ref, err := theirs(r, s)
				if err != nil {
					return err
				}
				return body(r, func() {
					memory.Get(s, ref.Plus(4))
					memory.GetRange(s, ref, make([]uint64, 6))
				})
			}},
		"an object that was freed": {`has been freed`,
			func(r *pebble.Rank, s *memory.Space) error {
				_, ref := memory.Alloc[uint64](s, 5)
				return body(r, func() {
					memory.Free(s, ref)
					memory.Get(s, ref)
				})
			}},
		"an object freed twice": {`Free of object 1 of rank`,
			func(r *pebble.Rank, s *memory.Space) error {
				_, ref := memory.Alloc[uint64](s, 5)
				return body(r, func() {
					memory.Free(s, ref)
					memory.Free(s, ref)
				})
			}},
		"an object of another rank freed": {`the rank that has allocated an object frees it`,
			func(r *pebble.Rank, s *memory.Space) error {
				ref, err := theirs(r, s)
				if err != nil {
					return err
				}
				return body(r, func() { memory.Free(s, ref) })
			}},
		"an array freed by a ref": {`all ranks free it, by Array.Free`,
			func(r *pebble.Rank, s *memory.Space) error {
				a := words(s, 10)
				return body(r, func() { memory.Free(s, a.Ref(0)) })
			}},
		"freed outside of an epoch": {`Free was called outside of an epoch`,
			func(_ *pebble.Rank, s *memory.Space) error {
				_, ref := memory.Alloc[uint64](s, 5)
				memory.Free(s, ref)
				return nil
			}},
		"an object resolved": {`a reference to object 1 of rank`,
			func(_ *pebble.Rank, s *memory.Space) error {
				_, ref := memory.Alloc[uint64](s, 5)
				memory.Resolve(s, ref)
				return nil
			}},
		"an object of no elements": {`Alloc of 0 elements of uint64: give 1 to`,
			func(_ *pebble.Rank, s *memory.Space) error { memory.Alloc[uint64](s, 0); return nil }},
		"an object with pointers": {`Alloc: type []int is not plain data`,
			func(_ *pebble.Rank, s *memory.Space) error { memory.Alloc[[]int](s, 1); return nil }},
		"an object larger than memory": {`Alloc of 1099511627776 elements of uint64: `,
			func(_ *pebble.Rank, s *memory.Space) error { memory.Alloc[uint64](s, 1<<40); return nil }},
		"an object in a handler": {`Get was called in a handler, which must not wait`,
			func(r *pebble.Rank, s *memory.Space) error {
				ref, err := theirs(r, s)
				if err != nil {
					return err
				}
				return handling(r, func() { memory.Get(s, ref) })
			}},
		"more than a reference can say": {`an array has at most 17592186044416 elements`,
			func(r *pebble.Rank, s *memory.Space) error {
				memory.NewArray[[0x100]uint64](s, "huge", sparse{distribution.Block(10, r.Size())})
				return nil
			}},
		"a ref to nothing": {`a reference to nothing was used`,
			func(r *pebble.Rank, s *memory.Space) error {
				return body(r, func() { memory.Put(s, memory.Ref[int64]{}, 3) })
			}},
		"elements with pointers": {`array "texts": type string is not plain data`,
			func(r *pebble.Rank, s *memory.Space) error {
				memory.NewArray[string](s, "texts", distribution.Block(10, r.Size()))
				return nil
			}},
		"elements without bytes": {`array "none": elements of type struct {} have no bytes`,
			func(r *pebble.Rank, s *memory.Space) error {
				memory.NewArray[struct{}](s, "none", distribution.Block(10, r.Size()))
				return nil
			}},
		"no distribution": {`array "none": it has no distribution`,
			func(_ *pebble.Rank, s *memory.Space) error {
				memory.NewArray[int](s, "none", nil)
				return nil
			}},
		"a distribution for others": {`array "more": its distribution is for 5 ranks, the job has 2`,
			func(_ *pebble.Rank, s *memory.Space) error {
				memory.NewArray[int](s, "more", distribution.Block(10, 5))
				return nil
			}},
		"a distribution that lies": {`its distribution says that element 3 is number 1099511627776 of rank 0, which is none`,
			func(r *pebble.Rank, s *memory.Space) error {
				a := memory.NewArray[int64](s, "a", wrong{distribution.Block(10, r.Size())})
				return body(r, func() { memory.Add(a, 3, 1) })
			}},
		"waiting in a handler": {`Get was called in a handler, which must not wait, on memory that is not near: have GetStart`,
			func(r *pebble.Rank, s *memory.Space) error {
				a := words(s, 100)
				return handling(r, func() { a.Get(99) })
			}},
		"a fence in a handler": {`Fence was called in a handler`,
			func(r *pebble.Rank, s *memory.Space) error { return handling(r, s.Fence) }},
		"waiting outside of an epoch": {`Gather was called outside of an epoch`,
			func(_ *pebble.Rank, s *memory.Space) error {
				words(s, 100).Gather(make([]uint64, 2), []uint64{0, 99})
				return nil
			}},
		"a start outside of an epoch": {`AddStart was called outside of an epoch`,
			func(_ *pebble.Rank, s *memory.Space) error {
				a := words(s, 100)
				memory.AddStart(a, 0, 1)
				memory.AddStart(a, 99, 1)
				return nil
			}},
		"lengths that differ": {`Scatter of array "words": 2 indices and 3 elements: give as many`,
			func(r *pebble.Rank, s *memory.Space) error {
				a := words(s, 100)
				return body(r, func() { a.Scatter(make([]uint64, 2), make([]uint64, 3)) })
			}},
		"a get into a short slice": {`Gather of array "words": 2 indices, and room for 1 elements: give as many`,
			func(r *pebble.Rank, s *memory.Space) error {
				a := words(s, 100)
				return body(r, func() { a.Gather(make([]uint64, 1), []uint64{0, 99}) })
			}},
		"two who wait for one": {`Pending.Wait was called twice`,
			func(r *pebble.Rank, s *memory.Space) error {
				a, tasks := words(s, 100), task.New(r)
				return tasks.Run(func() {
					var at0, at99 uint64
					for _, p := range []memory.Pending{a.GetStart(0, &at0), a.GetStart(99, &at99)} {
						tasks.Go(p.Wait)
						tasks.Go(p.Wait)
					}
				})
			}},
		"ranks that allocate differently": {`allocates something else than rank`,
			func(r *pebble.Rank, s *memory.Space) error {
				memory.NewArray[int](s, "a", distribution.Block(uint64(10+r.ID()), r.Size()))
				return nil
			}},
		"more than the machine has": {`array "huge" of 1152921504606846976 elements of int`,
			func(r *pebble.Rank, s *memory.Space) error {
				memory.NewArray[int](s, "huge", distribution.Block(1<<60, r.Size()))
				return nil
			}},
		"a rank that is none": {`array "s": it is at rank 2, ranks are 0 to 1`,
			func(_ *pebble.Rank, s *memory.Space) error {
				memory.NewScalar[int](s, "s", 2)
				return nil
			}},
		"a heap that is full": {`New of array "h": all of its room for 2 values of a rank is used`,
			func(_ *pebble.Rank, s *memory.Space) error {
				h := memory.NewHeap[int](s, "h", 2)
				for i := range 3 {
					h.New(i)
				}
				return nil
			}},
		"a lock that nobody holds": {`Unlock of array "l": this rank does not hold it`,
			func(r *pebble.Rank, s *memory.Space) error {
				l := memory.NewLock(s, "l", 0)
				return body(r, l.Unlock)
			}},
		"a lock in an epoch of a declared depth": {`Lock of array "l": the epoch declares a depth, and could not tell who waits`,
			func(r *pebble.Rank, s *memory.Space) error {
				l := memory.NewLock(s, "l", 0)
				return r.Epoch(func() error { l.Lock(); return nil }, pebble.Depth(1))
			}},
		"a mistake in a task": {`Get of array "words": index 100 is out of range`,
			func(r *pebble.Rank, s *memory.Space) error {
				scheduler := task.New(r)
				a := words(s, 100)
				return scheduler.Run(func() { a.Get(100) })
			}},
	} {
		t.Run(name, func(t *testing.T) {
			s := appstest.Shape{Ranks: 2, Procs: 2, Transport: "tcp", New: route.Direct, Coalesce: 64}
			err := s.Run(t, func(r *pebble.Rank) error { return c.do(r, memory.New(r)) })
			require.ErrorContains(t, err, c.says)
		})
	}
}

// laps is a distribution of the user's with a method that is called as one of ours, and has nothing to do with
// neighbours.
type laps struct{ distribution.Indexed }

func (laps) Run(key uint64) uint64 { return key / 4 }

// The methods of a distribution that is not ours are not taken for what ours mean by their names.
func TestOwnDistributionsMayHaveAnyMethod(t *testing.T) {
	require.NoError(t, pebble.Run(t.Context(), pebble.Config{Ranks: 1}, func(r *pebble.Rank) error {
		a := memory.NewArray[uint64](memory.New(r), "a", laps{distribution.Block(16, 1)})
		return r.Epoch(func() error {
			a.Put(9, 9)
			all := make([]uint64, 16)
			a.GetRange(0, all)
			require.EqualValues(t, 9, all[9])
			return nil
		})
	}))
}
