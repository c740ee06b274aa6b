package memory_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/memory"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/task"
)

// All ranks read and write the objects of each rank, near and far, alone and in ranges. Freed objects are gone.
func TestObjects(t *testing.T) {
	const each, words = 5, 20
	withCaches(t, func(r rank) {
		var own [each]memory.Ref[uint64]
		var parts [each][]uint64
		for i := range own {
			parts[i], own[i] = memory.Alloc[uint64](r.s, words)
		}
		all := appstest.Gathered(r.Rank, own)
		wanted := func(i int) (some []uint64) {
			for j := range words - 1 {
				some = append(some, uint64(100*i+j))
			}
			return append(some, 7)
		}
		r.Do(func() { // each rank writes to objects of the one before it
			for i, ref := range all[(r.ID()+1)%r.Size()] {
				memory.PutRange(r.s, ref, wanted(i)[:words-1])
				memory.Put(r.s, ref.Plus(words-1), 7)
			}
		})
		r.Do(func() {
			for rank := range all {
				for i, ref := range all[rank] {
					some := make([]uint64, words)
					memory.GetRange(r.s, ref, some)
					r.Equal(wanted(i), some, "object %d of rank %d", i, rank)
					r.Equal(some[4], memory.Get(r.s, ref.Plus(4)))
				}
			}
		})
		for i, part := range parts {
			r.Equal(wanted(i), part, "object %d", i)
		}
		r.Do(func() {
			for _, ref := range own {
				memory.Free(r.s, ref)
			}
		})
		before := r.s.Counts()
		r.Do(func() {
			for rank := range all {
				for i, ref := range all[rank] {
					_, err := memory.TryGet(r.s, ref)
					r.ErrorIs(err, memory.ErrFreed)
					r.ErrorContains(err, fmt.Sprintf("object %d of rank %d", i+1, rank))
					r.ErrorIs(memory.TryPut(r.s, ref, 1), memory.ErrFreed)
				}
			}
		})
		r.Equal(before.Hits, r.s.Counts().Hits, "addresses of objects that were freed are in the cache")
	})
}

// All ranks allocate and free arrays and objects at once; all memory is freed, and the tables are empty.
func TestAllocationsReturn(t *testing.T) {
	const rounds, arrays, objects = 4, 50, 500
	byTransport(t, func(r rank) {
		for range rounds {
			var own [objects]memory.Ref[uint64]
			var all []*memory.Array[uint64]
			for i := range arrays {
				all = append(all, memory.NewArray[uint64](r.s, "a", distribution.Cyclic(uint64(1+i), r.Size())))
			}
			for i := range own {
				var part []uint64
				part, own[i] = memory.Alloc[uint64](r.s, 1+i%3)
				part[0] = uint64(i)
			}
			others := appstest.Gathered(r.Rank, own)
			r.Do(func() {
				for i, a := range all {
					memory.AddStart(a, uint64(i), 1)
				}
				for rank := range others {
					for i := r.ID(); i < objects; i += 25 {
						r.EqualValues(i, memory.Get(r.s, others[rank][i]), "object %d of rank %d", i, rank)
					}
				}
			})
			r.Do(func() {
				for _, ref := range own {
					memory.Free(r.s, ref)
				}
			})
			for i, a := range all {
				if d := a.Distribution(); d.Owner(uint64(i)) == r.ID() {
					r.EqualValues(r.Size(), a.Local()[d.Local(uint64(i))], "array %d", i)
				}
				r.NoError(a.Free())
			}
			r.Zero(memory.Left(r.s, false), "objects")
		}
		r.Zero(memory.Left(r.s, true), "exposures")
	})
}

// Objects are freed while tasks of all ranks use them: each access gets a value of that object, or an error that names
// it.
func TestFreedWhileUsed(t *testing.T) {
	const ranks, live, tasks = 4, 20, 50
	accesses := 1_000_000
	if raced || testing.Short() {
		accesses = 30_000
	}
	byTransport(t, func(r rank) {
		scheduler := task.New(r.Rank.Rank, task.Workers(tasks+1))
		// A list of references that all ranks read. Each rank replaces its own part while it frees.
		list := memory.NewArray[memory.Ref[uint64]](r.s, "list", distribution.Block(ranks*live, ranks))
		fresh := func() memory.Ref[uint64] {
			part, ref := memory.Alloc[uint64](r.s, 2)
			part[0], part[1] = uint64(r.ID()), uint64(r.ID())
			return ref
		}
		for i := range list.Local() {
			list.Local()[i] = fresh()
		}
		r.Meet()
		held := slices.Clone(list.Local())
		read := 0
		use := func(random *rand.Rand) {
			i := random.Uint64N(ranks * live)
			if i/live == uint64(r.ID()) && random.IntN(4) == 0 { // a new object replaces an old one
				old := held[i%live]
				held[i%live] = fresh()
				list.Put(i, held[i%live])
				memory.Free(r.s, old)
			}
			v, err := memory.TryGet(r.s, list.Get(i).Plus(random.Uint64N(2)))
			if errors.Is(err, memory.ErrFreed) {
				return
			}
			r.NoError(err)
			r.Equal(i/live, v, "an object has the data of another rank")
			read++
		}
		r.NoError(scheduler.Run(func() {
			for n := range tasks {
				scheduler.Go(func() {
					random := rand.New(rand.NewPCG(uint64(n), uint64(r.ID())))
					for range accesses / len(transports) / ranks / tasks {
						use(random)
					}
				})
			}
		}))
		r.NotZero(read)
	})
}

// A repeated or unexpected answer ends the job with an error.
func TestStrayAnswers(t *testing.T) {
	for _, slot := range []uint32{0, 1 << 30} {
		err := pebble.Run(t.Context(), pebble.Config{Ranks: 1}, program(func(r rank) {
			r.Do(func() { memory.Answered(r.s, slot) })
		}))
		require.ErrorContains(t, err, "answers that no call waits for: pebbles were repeated, altered or misplaced")
	}
}
