package memory_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/memory"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
	"github.com/activepebbles/pebbles/task"
)

func TestMain(m *testing.M) {
	process, err := strconv.Atoi(os.Getenv(memberVariable))
	if err != nil {
		goleak.VerifyTestMain(m)
		return
	}
	if err := member(process); err != nil {
		fmt.Println("failed:", err)
		os.Exit(1)
	}
}

// everywhere is appstest.Everywhere for programs that check by themselves.
func everywhere(t *testing.T, program func(t *testing.T, r *pebble.Rank) error) {
	appstest.Everywhere(t, func(t *testing.T, _ int) (func(r *pebble.Rank) error, func(t *testing.T)) {
		return func(r *pebble.Rank) error { return program(t, r) }, nil
	})
}

// odd is an element that is no multiple of a word.
type odd struct {
	A uint32
	B [5]byte
}

// wide is one of several words.
type wide struct{ A, B, C uint64 }

// maps are the distributions of n elements.
func maps(n uint64, ranks int) map[string]distribution.Indexed {
	return map[string]distribution.Indexed{
		"block":        distribution.Block(n, ranks),
		"shift":        distribution.Block(64, ranks),
		"cyclic":       distribution.Cyclic(n, ranks),
		"block-cyclic": distribution.BlockCyclic(n, ranks, 7),
		"shuffled":     distribution.Shuffled(n, ranks, 3),
		"ours":         reversed{distribution.Block(n, ranks)},
	}
}

// reversed is a distribution of the user's. It has the method Run of the one that it embeds, which knows nothing of it.
type reversed struct{ *distribution.BlockMap }

func (m reversed) back(key uint64) uint64     { return m.Len() - 1 - key }
func (m reversed) Owner(key uint64) int       { return m.BlockMap.Owner(m.back(key)) }
func (m reversed) Local(key uint64) int       { return m.BlockMap.Local(m.back(key)) }
func (m reversed) Key(rank, local int) uint64 { return m.back(m.BlockMap.Key(rank, local)) }
func (m reversed) Owners(keys []uint64, owners []uint32) int {
	for i, k := range keys {
		owners[i] = uint32(m.Owner(k))
	}
	return -1
}

// likeASlice has one rank after the other do with an array what can be done with a slice, while all do it with a slice,
// and compares.
func likeASlice[T comparable](r *pebble.Rank, s *memory.Space, d distribution.Indexed, value func(n uint64) T) error {
	a := memory.NewArray[T](s, "a", d)
	n := int(d.Len())
	twin := make([]T, n)
	for turn := range r.Size() {
		random := rand.New(rand.NewPCG(7, uint64(turn)))
		if err := r.Epoch(func() error {
			for range 40 {
				lo := random.IntN(n + 1)
				some, indices := make([]T, random.IntN(n-lo+1)), make([]uint64, n-lo)
				indices = indices[:len(some)]
				want := make([]T, len(some))
				for i, k := range random.Perm(n)[:len(some)] {
					some[i], indices[i] = value(random.Uint64()), uint64(k)
				}
				kind := random.IntN(8)
				for i, k := range indices {
					if kind%2 == 0 && kind < 2 || kind == 6 {
						k = uint64(lo + i)
					}
					if kind == 1 || kind == 7 {
						k = uint64(lo + i)
					}
					if kind%2 == 0 {
						twin[k] = some[i]
					}
					want[i] = twin[k]
				}
				if turn != r.ID() {
					continue
				}
				switch kind {
				case 0:
					a.PutRange(uint64(lo), some)
				case 1:
					a.GetRange(uint64(lo), some)
				case 6:
					a.PutRangeStart(uint64(lo), some).Wait()
				case 7:
					a.GetRangeStart(uint64(lo), some).Wait()
				case 2:
					a.Scatter(indices, some)
				case 3:
					a.Gather(some, indices)
				case 4:
					for i, k := range indices {
						a.Put(k, some[i])
					}
				case 5:
					for i, k := range indices {
						some[i] = a.Get(k)
					}
				}
				for i := range some {
					if some[i] != want[i] {
						return fmt.Errorf("%T, operation %d: element %d of %d is %v, not %v", a, kind, i, len(some), some[i], want[i])
					}
				}
			}
			return nil
		}); err != nil {
			return err
		}
	}
	for i, v := range a.Local() {
		if k := d.Key(r.ID(), i); v != twin[k] {
			return fmt.Errorf("%T: element %d is %v, not %v", a, k, v, twin[k])
		}
	}
	return a.Free()
}

// Arrays of elements of several sizes, over all distributions, do what slices do. Each distribution has two sizes.
func TestArraysAreLikeSlices(t *testing.T) {
	everywhere(t, func(_ *testing.T, r *pebble.Rank) error {
		s := memory.New(r)
		likeSlices := []func(d distribution.Indexed) error{
			func(d distribution.Indexed) error { return likeASlice(r, s, d, func(n uint64) uint64 { return n }) },
			func(d distribution.Indexed) error {
				return likeASlice(r, s, d, func(n uint64) odd { return odd{uint32(n), [5]byte{1, byte(n)}} })
			},
			func(d distribution.Indexed) error {
				return likeASlice(r, s, d, func(n uint64) wide { return wide{n, n + 1, n + 2} })
			},
		}
		for i, name := range []string{"block", "shift", "cyclic", "block-cyclic", "shuffled", "ours"} {
			for _, size := range []int{i, i + 1} {
				if err := likeSlices[size%len(likeSlices)](maps(61, r.Size())[name]); err != nil {
					return fmt.Errorf("%s: %w", name, err)
				}
			}
		}
		return nil
	})
}

// Tasks of all ranks change words of an array at the same time; nothing is lost, and each waits for itself.
func TestTasksShareWords(t *testing.T) {
	const words, tasks, steps = 97, 40, 10
	everywhere(t, func(_ *testing.T, r *pebble.Rank) error {
		scheduler, s := task.New(r, task.Workers(25)), memory.New(r)
		d := distribution.Cyclic(words, r.Size())
		counts := memory.NewArray[uint64](s, "counts", d)
		largest := memory.NewArray[int64](s, "largest", d)
		if err := scheduler.Run(func() {
			for i := range tasks {
				scheduler.Go(func() {
					random := rand.New(rand.NewPCG(uint64(i), uint64(r.ID())))
					for step := range steps {
						k := random.Uint64N(words)
						memory.Add(counts, k, 1)
						memory.AddStart(counts, (k+1)%words, 1)
						for mine := int64(1 + step); ; {
							now := largest.Get(k)
							if now >= mine || memory.CompareAndSwap(largest, k, now, mine) {
								break
							}
						}
						if v := largest.Get(k); v < int64(1+step) {
							panic(fmt.Sprintf("element %d is %d after %d was put", k, v, 1+step))
						}
					}
				})
			}
		}); err != nil {
			return err
		}
		sum, most := uint64(0), int64(0)
		for i := range counts.Local() {
			sum += counts.Local()[i]
			most = max(most, largest.Local()[i])
		}
		all, err := pebble.AllReduce(r, sum, pebble.Sum)
		if err != nil || all != uint64(2*tasks*steps*r.Size()) {
			return fmt.Errorf("%d additions: %w", all, err)
		}
		top, err := pebble.AllReduce(r, most, pebble.Max)
		if err != nil || top != steps {
			return fmt.Errorf("the largest is %d: %w", top, err)
		}
		return nil
	})
}

// What handlers have begun is done when the epoch has ended, by every detector's verdict that is about all ranks.
func TestEpochsEndsAreFences(t *testing.T) {
	const words, hops = 50, 20
	everywhere(t, func(_ *testing.T, r *pebble.Rank) error {
		s := memory.New(r)
		d := distribution.Block(words, r.Size())
		a := memory.NewArray[uint64](s, "a", d)
		var walk *target.Target[[2]uint64]
		src := make([]uint64, 0, 10_000) // what is on its way must not move
		walk = target.New(r, "walk", distribution.Cyclic(words, r.Size()), target.Key(func(v [2]uint64) uint64 { return v[0] }),
			target.Each(func(v [2]uint64) {
				memory.AddStart(a, words-1-v[0], v[1])
				src = append(src, 7)
				if v[1] > 1 {
					walk.Send([2]uint64{(v[0]*5 + 3) % words, v[1] - 1})
				}
			}))
		var at, left uint64 = 1, hops
		var want [words]uint64
		for ; left > 0; left-- {
			want[words-1-at] += left * uint64(r.Size())
			at = (at*5 + 3) % words
		}
		for range 3 {
			if err := r.Epoch(func() error { walk.Send([2]uint64{1, hops}); return nil }); err != nil {
				return err
			}
			for i, v := range a.Local() {
				if k := d.Key(r.ID(), i); v != want[k] {
					return fmt.Errorf("element %d is %d after the epoch, not %d", k, v, want[k])
				}
				a.Local()[i] = 0
			}
			if err := r.Barrier(); err != nil {
				return err
			}
		}
		return nil
	})
}

// Starts return at once, and what they began is there after Wait.
func TestStarts(t *testing.T) {
	everywhere(t, func(_ *testing.T, r *pebble.Rank) error {
		s := memory.New(r)
		const n = 300
		a := memory.NewArray[uint64](s, "a", distribution.Cyclic(n, r.Size()))
		if err := r.Epoch(func() error {
			src := make([]uint64, n)
			var all []memory.Pending
			for i := r.ID(); i < n; i += r.Size() {
				k := (i + 1) % n
				src[k] = uint64(k) * 3
				all = append(all, a.PutStart(uint64(k), &src[k]))
			}
			s.Fence()
			for _, p := range all {
				if !p.Ready() {
					return fmt.Errorf("what was begun before a fence is not done after it")
				}
				p.Wait()
			}
			return nil
		}); err != nil {
			return err
		}
		return r.Epoch(func() error {
			got, indices := make([]uint64, n), make([]uint64, n)
			for i := range indices {
				indices[i] = uint64(n - 1 - i)
			}
			p := a.GatherStart(got, indices)
			var one uint64
			q := a.GetStart(5, &one)
			clear(indices) // they are the caller's again
			q.Wait()
			p.Wait()
			for i, v := range got {
				if v != uint64(n-1-i)*3 || one != 15 {
					return fmt.Errorf("element %d is %d, and element 5 is %d", n-1-i, v, one)
				}
			}
			return nil
		})
	})
}

// References travel in pebbles, and are good on every rank.
func TestReferences(t *testing.T) {
	everywhere(t, func(_ *testing.T, r *pebble.Rank) error {
		scheduler, s := task.New(r), memory.New(r)
		a := memory.NewArray[wide](s, "a", distribution.Block(20, r.Size()))
		var got atomic.Int64
		refs := target.New(r, "refs", distribution.Ranks(r.Size()), target.Key(func(v struct {
			To  uint64
			Ref memory.Ref[wide]
		}) uint64 {
			return v.To
		}), target.Each(func(v struct {
			To  uint64
			Ref memory.Ref[wide]
		}) {
			scheduler.Go(func() {
				if w := memory.Get(s, v.Ref); w.A != a.Index(v.Ref)+1 || w.C != 9 {
					panic(fmt.Sprint(w))
				}
				got.Add(1)
			})
		}))
		if err := scheduler.Run(func() {
			if r.ID() > 0 {
				return
			}
			for i := range uint64(20) {
				ref := a.Ref(i)
				memory.Put(s, ref, wide{i + 1, 8, 9})
				refs.Send(struct {
					To  uint64
					Ref memory.Ref[wide]
				}{i % uint64(r.Size()), ref})
			}
		}); err != nil {
			return err
		}
		sum, err := pebble.AllReduce(r, got.Load(), pebble.Sum)
		if err != nil || sum != 20 {
			return fmt.Errorf("%d references: %w", sum, err)
		}
		return nil
	})
}
