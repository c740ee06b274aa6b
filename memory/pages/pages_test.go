package pages_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/internal/seeds"
	"github.com/activepebbles/pebbles/memory"
	"github.com/activepebbles/pebbles/memory/pages"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/task"
)

// rank is a rank of a job with shared pages. Its assertions end the job.
type rank struct {
	appstest.Rank
	s *pages.Space
}

func program(c pages.Config, body func(r rank)) func(r *pebble.Rank) error {
	return appstest.Checked(func(r appstest.Rank) { body(rank{r, pages.New(memory.New(r.Rank), c)}) })
}

// job runs ranks with shared pages in this process.
func job(ranks int, c pages.Config, body func(r rank)) error {
	return jobOf(pebble.Config{Ranks: ranks}, c, body)
}

func jobOf(p pebble.Config, c pages.Config, body func(r rank)) error {
	return pebble.Run(context.Background(), p, program(c, body))
}

// meet is a barrier of shared pages.
func (r rank) meet() { r.NoError(r.s.Barrier()) }

// locks makes n locks, with homes at all ranks in turn.
func (r rank) locks(n int) (all []*pages.Lock) {
	for i := range n {
		all = append(all, pages.NewLock(r.s, fmt.Sprint("lock ", i), i%r.Size()))
	}
	return all
}

// words is a slice of all ranks.
func (r rank) words(n uint64) *pages.Slice[uint64] {
	return pages.NewSlice[uint64](r.s, "words", distribution.Block(n, r.Size()))
}

// number is the type of elements.
type number interface{ ~uint8 | ~uint32 | ~uint64 }

// A span is the same on all ranks. Either all ranks write to its elements in turn, or one rank writes to all of them.
type span struct {
	lo, hi, writer, ranks uint64
	shared                bool
	value                 uint64
}

func drawSpan(random *rand.Rand, n uint64, ranks int) span {
	lo := random.Uint64N(n)
	return span{
		lo: lo, hi: lo + random.Uint64N(min(n-lo, n/4+1)) + 1,
		writer: random.Uint64N(uint64(ranks)), ranks: uint64(ranks),
		shared: random.IntN(2) == 0, value: random.Uint64(),
	}
}

// writes reports whether a rank writes to an element.
func (p span) writes(rank, i uint64) bool {
	if p.shared {
		return (i+p.value)%p.ranks == rank
	}
	return p.writer == rank
}

// equalsASlice makes ranks write spans, one between two barriers, and compares spans and finally everything with a
// plain slice.
func equalsASlice[T number](r rank, seed, n uint64, d func(n uint64, ranks int) distribution.Indexed) {
	v := pages.NewSlice[T](r.s, "numbers", d(n, r.Size()))
	random, twin, me := rand.New(rand.NewPCG(seed, n)), make([]T, n), uint64(r.ID())
	for round := range 30 {
		p := drawSpan(random, n, r.Size())
		if p.shared || p.writer == me {
			w := v.Write(p.lo, p.hi)
			for i := p.lo; i < p.hi; i++ {
				if (!p.shared || p.writes(me, i)) && w[i-p.lo] != twin[i] {
					r.Equal(twin[i], w[i-p.lo], "round %d: element %d to be written", round, i)
				}
				if p.writes(me, i) {
					w[i-p.lo] = T(p.value + i)
				}
			}
		}
		for i := p.lo; i < p.hi; i++ {
			twin[i] = T(p.value + i)
		}
		r.meet()
		q := drawSpan(random, n, r.Size())
		if round%10 == 9 {
			q.lo, q.hi = 0, n
		}
		r.True(slices.Equal(twin[q.lo:q.hi], v.Read(q.lo, q.hi)), "round %d: elements %d to %d", round, q.lo, q.hi)
		r.meet()
	}
	r.NoError(v.Free())
}

func block(n uint64, ranks int) distribution.Indexed  { return distribution.Block(n, ranks) }
func blocks(n uint64, ranks int) distribution.Indexed { return distribution.BlockCyclic(n, ranks, 100) }

func TestSliceEqualsASlice(t *testing.T) {
	seed := seeds.Of(t)
	for _, ranks := range []int{1, 2, 3, 4, 7} {
		for _, pageBytes := range []int{64, 4096, 65536} {
			for _, c := range []pages.Config{{}, {Copies: true}, {Checked: true}, {Flat: true, Copies: true}} {
				c.PageBytes = pageBytes
				t.Run(fmt.Sprintf("%d ranks %+v", ranks, c), func(t *testing.T) {
					require.NoError(t, job(ranks, c, func(r rank) {
						equalsASlice[uint32](r, seed, 5000, block)
						equalsASlice[uint8](r, seed, 9001, blocks)
						equalsASlice[uint64](r, seed, 3000, blocks)
					}))
				})
			}
		}
	}
}

// A page cache that holds a few pages gives the same answers, and drops copies.
func TestSmallPageCache(t *testing.T) {
	const n, each = 50_000, 1000
	seed := seeds.Of(t)
	for _, pageBytes := range []int{64, 1024, 4096} {
		small := pebble.Config{Ranks: 3, PageCache: 150 << 10}
		require.NoError(t, jobOf(small, pages.Config{PageBytes: pageBytes, Copies: true}, func(r rank) {
			equalsASlice[uint64](r, seed, 8000, block)
			equalsASlice[uint32](r, seed, 16000, block)
			v := r.words(n)
			for round := range uint64(3) {
				for lo := uint64(0); lo < n; lo += each {
					if r.ID() == int((round+lo/each)%3) {
						w := v.Write(lo, lo+each)
						for i := range w {
							w[i] += lo + uint64(i)
						}
					}
					if lo%5000 == 0 {
						r.meet()
					}
				}
			}
			r.meet()
			want := make([]uint64, each)
			for lo := uint64(0); lo < n; lo += each {
				for i := range want {
					want[i] = 3 * (lo + uint64(i))
				}
				r.Equal(want, v.Read(lo, lo+each))
				r.meet()
			}
			r.NotZero(r.s.Counts().Evictions)
		}))
	}
}

// turnsVariable sets the number of times that each of 8 ranks takes a lock in a test.
const turnsVariable = "PEBBLES_TURNS"

// Locks order the accesses that they guard: each rank adds to words under one of them, and no addition is lost.
func TestLocksGuard(t *testing.T) {
	const ranks, locks = 8, 8
	each := 2000
	if text := os.Getenv(turnsVariable); text != "" {
		var err error
		each, err = strconv.Atoi(text)
		require.NoError(t, err)
	}
	for _, c := range []pages.Config{{}, {Copies: true, PageBytes: 64}, {Copies: true}} {
		require.NoError(t, job(ranks, c, func(r rank) {
			v, all := r.words(locks*4), r.locks(locks)
			random := rand.New(rand.NewPCG(1, uint64(r.ID())))
			for i := range each {
				k := random.Uint64N(locks)
				all[k].Lock()
				w := v.Write(4*k, 4*k+4)
				w[0]++
				w[3] += uint64(i)
				all[k].Unlock()
			}
			r.meet()
			var sums [4]uint64
			for i, x := range v.Read(0, v.Len()) {
				sums[i%4] += x
			}
			r.EqualValues(ranks*each, sums[0], "additions")
			r.EqualValues(ranks*each*(each-1)/2, sums[3], "their weight")
		}))
	}
}

// Tasks of several ranks share locks and pages.
func TestTasksShareLocks(t *testing.T) {
	const ranks, tasks, each = 3, 20, 30
	for _, c := range []pages.Config{{}, {Copies: true}} {
		require.NoError(t, job(ranks, c, func(r rank) {
			v, locks, sched := r.words(600), r.locks(3), task.New(r.Rank.Rank)
			r.NoError(sched.Run(func() {
				for k := range tasks {
					sched.Go(func() {
						for i := range each {
							n := (k + i) % 3
							locks[n].Lock()
							v.Write(uint64(200*n), uint64(200*n+1))[0]++
							if k%2 == 0 {
								sched.Yield()
							}
							locks[n].Unlock()
						}
					})
				}
			}))
			r.meet()
			all := v.Read(0, v.Len())
			r.EqualValues(ranks*tasks*each, all[0]+all[200]+all[400])
		}))
	}
}
