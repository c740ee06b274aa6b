package memory_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/memory"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
	"github.com/activepebbles/pebbles/task"
)

// caches are the sizes of address caches that programs are tried with: none, one that is too small, and the default.
var caches = []int{-1, 4, 100}

// withCaches runs a program over the transports, on 1 to 7 ranks in 1 to 4 processes, with caches of all sizes.
func withCaches(t *testing.T, program func(r *pebble.Rank) error) {
	for _, ranks := range []int{1, 2, 3, 4, 7} {
		for i, transport := range []string{"mem", "shm", "tcp", "tcp"} {
			procs := min([]int{1, 2, 3, 4}[i], ranks)
			for _, cache := range caches {
				s := appstest.Shape{Ranks: ranks, Procs: procs, Transport: transport, New: route.Direct, Coalesce: 64, AddressCache: cache}
				require.NoError(t, s.Run(t, program), "%v, address cache %d", s, cache)
			}
		}
	}
}

// references are those of all ranks, by rank.
func references(r *pebble.Rank, own []memory.Ref[uint64]) ([][]memory.Ref[uint64], error) {
	return pebble.AllGatherSlice(r, own)
}

// Objects that one rank has allocated are read and written by all, near and far, alone and in ranges, and are gone
// after they were freed.
func TestObjects(t *testing.T) {
	const each, words = 5, 20
	withCaches(t, func(r *pebble.Rank) error {
		s := memory.New(r)
		var own []memory.Ref[uint64]
		var parts [][]uint64
		for range each {
			part, ref := memory.Alloc[uint64](s, words)
			own, parts = append(own, ref), append(parts, part)
		}
		all, err := references(r, own)
		if err != nil {
			return err
		}
		if err := r.Epoch(func() error { // each rank writes what the one before it owns
			for i, ref := range all[(r.ID()+1)%r.Size()] {
				some := make([]uint64, words-1)
				for j := range some {
					some[j] = uint64(100*i + j)
				}
				memory.PutRange(s, ref, some)
				memory.Put(s, ref.Plus(words-1), 7)
			}
			return nil
		}); err != nil {
			return err
		}
		if err := r.Epoch(func() error {
			for rank := range all {
				for i, ref := range all[rank] {
					some := make([]uint64, words)
					memory.GetRange(s, ref, some)
					if j := uint64(i); some[words-1] != 7 || some[3] != 100*j+3 || memory.Get(s, ref.Plus(4)) != 100*j+4 {
						return fmt.Errorf("object %d of rank %d is %v", i, rank, some)
					}
				}
			}
			return nil
		}); err != nil {
			return err
		}
		for i, part := range parts {
			if part[2] != uint64(100*i+2) {
				return fmt.Errorf("object %d is %v", i, part)
			}
		}
		if err := r.Epoch(func() error {
			for _, ref := range own {
				memory.Free(s, ref)
			}
			return nil
		}); err != nil {
			return err
		}
		before := s.Counts()
		if err := r.Epoch(func() error {
			for rank := range all {
				for i, ref := range all[rank] {
					_, err := memory.TryGet(s, ref)
					if name := fmt.Sprintf("object %d of rank %d", i+1, rank); !errors.Is(err, memory.ErrFreed) || !contains(err, name) {
						return fmt.Errorf("%s was freed, and reading it says: %w", name, err)
					}
					if err := memory.TryPut(s, ref, 1); !errors.Is(err, memory.ErrFreed) {
						return fmt.Errorf("writing what was freed says: %w", err)
					}
				}
			}
			return nil
		}); err != nil {
			return err
		}
		if after := s.Counts(); after.Hits != before.Hits {
			return fmt.Errorf("%d addresses of objects that were freed are in the cache", after.Hits-before.Hits)
		}
		return nil
	})
}

func contains(err error, text string) bool {
	return err != nil && strings.Contains(err.Error(), text)
}

// All ranks allocate and free arrays and objects at once; all memory is given back, and nothing is left in the tables.
func TestAllocationsReturn(t *testing.T) {
	const arrays, objects, together = 200, 2000, 50
	for _, transport := range []string{"mem", "shm", "tcp"} {
		t.Run(transport, func(t *testing.T) {
			s := appstest.Shape{Ranks: 4, Procs: 2, Transport: transport, New: route.Direct, Coalesce: 64}
			if transport == "mem" {
				s.Procs = 1
			}
			require.NoError(t, s.Run(t, func(r *pebble.Rank) error {
				s := memory.New(r)
				for round := range arrays / together {
					var own []memory.Ref[uint64]
					var all []*memory.Array[uint64]
					for i := range together {
						a := memory.NewArray[uint64](s, "a", distribution.Cyclic(uint64(1+i), r.Size()))
						all = append(all, a)
					}
					for i := range objects / (arrays / together) {
						part, ref := memory.Alloc[uint64](s, 1+i%3)
						part[0] = uint64(i)
						own = append(own, ref)
					}
					others, err := references(r, own)
					if err != nil {
						return err
					}
					if err := r.Epoch(func() error {
						for i, a := range all {
							memory.AddStart(a, uint64(i), 1)
						}
						for rank := range others {
							for i := r.ID(); i < len(own); i += 25 {
								if v := memory.Get(s, others[rank][i]); v != uint64(i) {
									return fmt.Errorf("object %d of rank %d is %d", i, rank, v)
								}
							}
						}
						return nil
					}); err != nil {
						return err
					}
					if err := r.Epoch(func() error {
						for _, ref := range own {
							memory.Free(s, ref)
						}
						return nil
					}); err != nil {
						return err
					}
					for i, a := range all {
						if d := a.Distribution(); d.Owner(uint64(i)) == r.ID() && a.Local()[d.Local(uint64(i))] != uint64(r.Size()) {
							return fmt.Errorf("array %d: %v", i, a.Local())
						}
						if err := a.Free(); err != nil {
							return err
						}
					}
					if left := memory.Left(s, false); left != 0 {
						return fmt.Errorf("after round %d, %d objects are left", round, left)
					}
				}
				if left := memory.Left(s, true); left != 0 {
					return fmt.Errorf("%d exposures are left", left)
				}
				return nil
			}))
		})
	}
}

// Objects are freed while tasks of all ranks use them: each gets a value of that object, or an error that names it.
func TestFreedWhileUsed(t *testing.T) {
	accesses := 1_000_000
	if raced || testing.Short() {
		accesses = 30_000
	}
	for _, transport := range []string{"mem", "shm", "tcp"} {
		t.Run(transport, func(t *testing.T) {
			const ranks, live, tasks = 4, 20, 50
			each := accesses / 3 / ranks / tasks
			s := appstest.Shape{Ranks: ranks, Procs: 2, Transport: transport, New: route.Direct, Coalesce: 64}
			if transport == "mem" {
				s.Procs = 1
			}
			require.NoError(t, s.Run(t, func(r *pebble.Rank) error {
				scheduler, s := task.New(r, task.Workers(tasks+1)), memory.New(r)
				// A list of references that everybody reads, and that each rank replaces while it frees: its own part
				// of it.
				list := memory.NewArray[memory.Ref[uint64]](s, "list", distribution.Block(ranks*live, ranks))
				fresh := func() memory.Ref[uint64] {
					part, ref := memory.Alloc[uint64](s, 2)
					part[0], part[1] = uint64(r.ID()), uint64(r.ID())
					return ref
				}
				for i := range list.Local() {
					list.Local()[i] = fresh()
				}
				if err := r.Barrier(); err != nil {
					return err
				}
				held := slices.Clone(list.Local())
				var freed, read int
				if err := scheduler.Run(func() {
					for n := range tasks {
						scheduler.Go(func() {
							random := rand.New(rand.NewPCG(uint64(n), uint64(r.ID())))
							for range each {
								i := random.Uint64N(ranks * live)
								if i/live == uint64(r.ID()) && random.IntN(4) == 0 { // a new object in place of an old one
									old := held[i%live]
									held[i%live] = fresh()
									list.Put(i, held[i%live])
									memory.Free(s, old)
								}
								ref := list.Get(i)
								switch v, err := memory.TryGet(s, ref.Plus(random.Uint64N(2))); {
								case err == nil && v == i/live:
									read++
								case err != nil && errors.Is(err, memory.ErrFreed):
									freed++
								case err == nil:
									panic(fmt.Sprintf("an object of rank %d has the data of rank %d", i/live, v))
								default:
									panic(err)
								}
							}
						})
					}
				}); err != nil {
					return err
				}
				if read == 0 {
					return errors.New("nothing was read")
				}
				return nil
			}))
		})
	}
}

// An answer that came twice, or to nobody, ends the job in words.
func TestStrayAnswers(t *testing.T) {
	for _, slot := range []uint32{0, 1 << 30} {
		err := pebble.Run(t.Context(), pebble.Config{Ranks: 1}, func(r *pebble.Rank) error {
			s := memory.New(r)
			return r.Epoch(func() error {
				memory.Answered(s, slot)
				return nil
			})
		})
		require.ErrorContains(t, err, "answers that nobody waits for: pebbles were repeated, altered or misplaced")
	}
}
