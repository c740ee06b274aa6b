package memory_test

import (
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/memory"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
	"github.com/activepebbles/pebbles/task"
)

// reversed is a user's distribution. Its method Run comes from the embedded distribution, and does not fit its order.
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

// likeASlice makes one rank after the other operate on an array, while all operate on a slice, and compares.
func likeASlice[T comparable](r rank, d distribution.Indexed, value func(n uint64) T) {
	a := memory.NewArray[T](r.s, "a", d)
	n := int(d.Len())
	twin := make([]T, n)
	for turn := range r.Size() {
		random := rand.New(rand.NewPCG(7, uint64(turn)))
		r.Do(func() {
			for range 40 {
				lo := random.IntN(n + 1)
				some := make([]T, random.IntN(n-lo+1))
				indices, want := make([]uint64, len(some)), make([]T, len(some))
				kind := random.IntN(8)
				for i, k := range random.Perm(n)[:len(some)] {
					some[i], indices[i] = value(random.Uint64()), uint64(k)
					if kind < 4 { // ranges
						k = lo + i
					}
					if kind%2 == 0 { // writes
						twin[k] = some[i]
					}
					want[i] = twin[k]
				}
				if turn == r.ID() {
					access(a, kind, uint64(lo), indices, some)
					r.Equal(want, some, "%T, operation %d", a, kind)
				}
			}
		})
	}
	for i, v := range a.Local() {
		r.Equal(twin[d.Key(r.ID(), i)], v, "%T: element %d", a, d.Key(r.ID(), i))
	}
	r.NoError(a.Free())
}

// access writes or reads a range from lo on, or elements of indices.
func access[T any](a *memory.Array[T], kind int, lo uint64, indices []uint64, some []T) {
	switch kind {
	case 0:
		a.PutRange(lo, some)
	case 1:
		a.GetRange(lo, some)
	case 2:
		a.PutRangeStart(lo, some).Wait()
	case 3:
		a.GetRangeStart(lo, some).Wait()
	case 4:
		a.Scatter(indices, some)
	case 5:
		a.Gather(some, indices)
	case 6:
		for i, k := range indices {
			a.Put(k, some[i])
		}
	case 7:
		for i, k := range indices {
			some[i] = a.Get(k)
		}
	}
}

// Arrays of elements of several sizes, over all distributions, agree with slices. Each distribution has two sizes.
func TestArraysAreLikeSlices(t *testing.T) {
	everywhere(t, func(r rank) {
		const n = 61
		for i, d := range []distribution.Indexed{
			distribution.Block(n, r.Size()), distribution.Block(64, r.Size()), distribution.Cyclic(n, r.Size()),
			distribution.BlockCyclic(n, r.Size(), 7), distribution.Shuffled(n, r.Size(), 3),
			reversed{distribution.Block(n, r.Size())},
		} {
			for _, size := range []int{i, i + 1} {
				switch size % 3 {
				case 0:
					likeASlice(r, d, func(n uint64) uint64 { return n })
				case 1:
					likeASlice(r, d, func(n uint64) odd { return odd{uint32(n), [5]byte{1, byte(n)}} })
				case 2:
					likeASlice(r, d, func(n uint64) wide { return wide{n, n + 1, n + 2} })
				}
			}
		}
	})
}

// Tasks of all ranks change words of an array at the same time; no change is lost, and each task waits for its own.
func TestTasksShareWords(t *testing.T) {
	const words, tasks, steps = 97, 40, 10
	everywhere(t, func(r rank) {
		scheduler := task.New(r.Rank.Rank, task.Workers(25))
		d := distribution.Cyclic(words, r.Size())
		counts, largest := memory.NewArray[uint64](r.s, "counts", d), memory.NewArray[int64](r.s, "largest", d)
		share := func(i int) {
			random := rand.New(rand.NewPCG(uint64(i), uint64(r.ID())))
			for step := range int64(steps) {
				k := random.Uint64N(words)
				memory.Add(counts, k, 1)
				memory.AddStart(counts, (k+1)%words, 1)
				for now := largest.Get(k); now <= step; now = largest.Get(k) {
					if memory.CompareAndSwap(largest, k, now, 1+step) {
						break
					}
				}
				r.Greater(largest.Get(k), step)
			}
		}
		r.NoError(scheduler.Run(func() {
			for i := range tasks {
				scheduler.Go(func() { share(i) })
			}
		}))
		sum, most := uint64(0), int64(0)
		for i := range counts.Local() {
			sum += counts.Local()[i]
			most = max(most, largest.Local()[i])
		}
		r.EqualValues(2*tasks*steps*r.Size(), appstest.Reduced(r.Rank, sum, pebble.Sum), "additions")
		r.EqualValues(steps, appstest.Reduced(r.Rank, most, pebble.Max), "the largest")
	})
}

// Operations that handlers have begun are done at the end of the epoch, with every detector that covers all ranks.
func TestEpochsEndsAreFences(t *testing.T) {
	const words, hops = 50, 20
	everywhere(t, func(r rank) {
		a := r.words("a", words)
		var walk *target.Target[[2]uint64]
		src := make([]uint64, 0, 10_000) // buffers in flight must not move
		walk = target.New(r.Rank.Rank, "walk", distribution.Cyclic(words, r.Size()),
			target.Key(func(v [2]uint64) uint64 { return v[0] }),
			target.Each(func(v [2]uint64) {
				memory.AddStart(a, words-1-v[0], v[1])
				src = append(src, 7)
				if v[1] > 1 {
					walk.Send([2]uint64{(v[0]*5 + 3) % words, v[1] - 1})
				}
			}))
		var want [words]uint64
		for at, left := uint64(1), uint64(hops); left > 0; left-- {
			want[words-1-at] += left * uint64(r.Size())
			at = (at*5 + 3) % words
		}
		for range 3 {
			r.Do(func() { walk.Send([2]uint64{1, hops}) })
			for i, v := range a.Local() {
				k := a.Distribution().Key(r.ID(), i)
				r.Equal(want[k], v, "element %d after the epoch", k)
			}
			clear(a.Local())
			r.Meet()
		}
	})
}

// Starts return at once, and their operations are done after Wait.
func TestStarts(t *testing.T) {
	everywhere(t, func(r rank) {
		const n = 300
		a := memory.NewArray[uint64](r.s, "a", distribution.Cyclic(n, r.Size()))
		r.Do(func() {
			src := make([]uint64, n)
			var all []memory.Pending
			for i := r.ID(); i < n; i += r.Size() {
				k := (i + 1) % n
				src[k] = uint64(k) * 3
				all = append(all, a.PutStart(uint64(k), &src[k]))
			}
			r.s.Fence()
			for _, p := range all {
				r.True(p.Ready(), "what was begun before a fence is not done after it")
				p.Wait()
			}
		})
		r.Do(func() {
			got, want, indices := make([]uint64, n), make([]uint64, n), make([]uint64, n)
			for i := range indices {
				indices[i] = uint64(n - 1 - i)
				want[i] = 3 * indices[i]
			}
			p := a.GatherStart(got, indices)
			var one uint64
			q := a.GetStart(5, &one)
			clear(indices) // the caller may reuse them
			q.Wait()
			p.Wait()
			r.Equal(want, got)
			r.EqualValues(15, one)
		})
	})
}

// References travel in pebbles, and are valid on every rank.
func TestReferences(t *testing.T) {
	type told struct {
		To  uint64
		Ref memory.Ref[wide]
	}
	everywhere(t, func(r rank) {
		scheduler := task.New(r.Rank.Rank)
		a := memory.NewArray[wide](r.s, "a", distribution.Block(20, r.Size()))
		var got atomic.Int64
		refs := target.New(r.Rank.Rank, "refs", distribution.Ranks(r.Size()),
			target.Key(func(v told) uint64 { return v.To }),
			target.Each(func(v told) {
				scheduler.Go(func() {
					r.Equal(wide{a.Index(v.Ref) + 1, 8, 9}, memory.Get(r.s, v.Ref))
					got.Add(1)
				})
			}))
		r.NoError(scheduler.Run(func() {
			for i := range uint64(20) {
				if ref := a.Ref(i); r.ID() == 0 {
					memory.Put(r.s, ref, wide{i + 1, 8, 9})
					refs.Send(told{i % uint64(r.Size()), ref})
				}
			}
		}))
		r.EqualValues(20, appstest.Reduced(r.Rank, got.Load(), pebble.Sum))
	})
}
