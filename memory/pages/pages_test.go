package pages_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/internal/seeds"
	"github.com/activepebbles/pebbles/memory"
	"github.com/activepebbles/pebbles/memory/pages"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/task"
)

// job runs ranks with shared pages in this process.
func job(ranks int, c pages.Config, body func(s *pages.Space) error) error {
	return jobOf(pebble.Config{Ranks: ranks}, c, body)
}

func jobOf(p pebble.Config, c pages.Config, body func(s *pages.Space) error) error {
	return pebble.Run(context.Background(), p, func(r *pebble.Rank) error {
		s := pages.New(memory.New(r), c)
		return body(s)
	})
}

// number is what elements are.
type number interface{ ~uint8 | ~uint32 | ~uint64 }

// A span is drawn alike on all ranks. All ranks write to its elements in turns, or one rank does to all of them.
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

// equalsASlice has ranks write spans, one between two barriers, and compares spans and at last all with a plain slice.
func equalsASlice[T number](s *pages.Space, seed, n uint64, d func(n uint64, ranks int) distribution.Indexed) error {
	r := s.Rank()
	v := pages.NewSlice[T](s, "numbers", d(n, r.Size()))
	random, twin, me := rand.New(rand.NewPCG(seed, n)), make([]T, n), uint64(r.ID())
	for round := range 30 {
		p := drawSpan(random, n, r.Size())
		if p.shared || p.writer == me {
			w := v.Write(p.lo, p.hi)
			for i := p.lo; i < p.hi; i++ {
				if (!p.shared || p.writes(me, i)) && w[i-p.lo] != twin[i] {
					return fmt.Errorf("round %d: element %d to be written is %d, want %d", round, i, w[i-p.lo], twin[i])
				}
				if p.writes(me, i) {
					w[i-p.lo] = T(p.value + i)
				}
			}
		}
		for i := p.lo; i < p.hi; i++ {
			twin[i] = T(p.value + i)
		}
		if err := s.Barrier(); err != nil {
			return err
		}
		q := drawSpan(random, n, r.Size())
		if round%10 == 9 {
			q.lo, q.hi = 0, n
		}
		for i, got := range v.Read(q.lo, q.hi) {
			if want := twin[q.lo+uint64(i)]; got != want {
				return fmt.Errorf("round %d: rank %d: element %d is %d, want %d", round, me, q.lo+uint64(i), got, want)
			}
		}
		if err := s.Barrier(); err != nil {
			return err
		}
	}
	return v.Free()
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
					require.NoError(t, job(ranks, c, func(s *pages.Space) error {
						if err := equalsASlice[uint32](s, seed, 5000, block); err != nil {
							return err
						}
						if err := equalsASlice[uint8](s, seed, 9001, blocks); err != nil {
							return err
						}
						return equalsASlice[uint64](s, seed, 3000, blocks)
					}))
				})
			}
		}
	}
}

// A page cache that holds a few pages gives the same answers, and drops copies.
func TestSmallPageCache(t *testing.T) {
	seed := seeds.Of(t)
	for _, pageBytes := range []int{64, 1024, 4096} {
		small := pebble.Config{Ranks: 3, PageCache: 150 << 10}
		require.NoError(t, jobOf(small, pages.Config{PageBytes: pageBytes, Copies: true},
			func(s *pages.Space) error {
				if err := equalsASlice[uint64](s, seed, 8000, block); err != nil {
					return err
				}
				if err := equalsASlice[uint32](s, seed, 16000, block); err != nil {
					return err
				}
				v := pages.NewSlice[uint64](s, "more", distribution.Block(50000, 3))
				for round := range uint64(3) {
					for lo := uint64(0); lo < v.Len(); lo += 1000 {
						if s.Rank().ID() == int((round+lo/1000)%3) {
							w := v.Write(lo, lo+1000)
							for i := range w {
								w[i] += lo + uint64(i)
							}
						}
						if lo%5000 == 0 {
							if err := s.Barrier(); err != nil {
								return err
							}
						}
					}
				}
				if err := s.Barrier(); err != nil {
					return err
				}
				for lo := uint64(0); lo < v.Len(); lo += 1000 {
					for i, got := range v.Read(lo, lo+1000) {
						if want := 3 * (lo + uint64(i)); got != want {
							return fmt.Errorf("element %d is %d, want %d", lo+uint64(i), got, want)
						}
					}
					if err := s.Barrier(); err != nil {
						return err
					}
				}
				if s.Counts().Evictions == 0 {
					return fmt.Errorf("no copy was dropped: %+v", s.Counts())
				}
				return nil
			}))
	}
}

// turnsVariable is how often each of 8 ranks takes a lock in a test.
const turnsVariable = "PEBBLES_TURNS"

// Locks order what they guard: each rank adds to words under one of them, and no addition is lost.
func TestLocksGuard(t *testing.T) {
	const ranks, locks = 8, 8
	each := 2000
	if text := os.Getenv(turnsVariable); text != "" {
		var err error
		each, err = strconv.Atoi(text)
		require.NoError(t, err)
	}
	for _, c := range []pages.Config{{}, {Copies: true, PageBytes: 64}, {Copies: true}} {
		require.NoError(t, job(ranks, c, func(s *pages.Space) error {
			r := s.Rank()
			v := pages.NewSlice[uint64](s, "sums", distribution.Block(locks*4, ranks))
			var all []*pages.Lock
			for i := range locks {
				l := pages.NewLock(s, fmt.Sprint("lock ", i), i%ranks)
				all = append(all, l)
			}
			random := rand.New(rand.NewPCG(1, uint64(r.ID())))
			for i := range each {
				k := random.Uint64N(locks)
				all[k].Lock()
				w := v.Write(4*k, 4*k+4)
				w[0]++
				w[3] += uint64(i)
				all[k].Unlock()
			}
			if err := s.Barrier(); err != nil {
				return err
			}
			sum, weight := uint64(0), uint64(0)
			for i, x := range v.Read(0, v.Len()) {
				switch i % 4 {
				case 0:
					sum += x
				case 3:
					weight += x
				}
			}
			if n := uint64(each); sum != ranks*n || weight != ranks*n*(n-1)/2 {
				return fmt.Errorf("%d additions of %d, weight %d", sum, ranks*each, weight)
			}
			return nil
		}))
	}
}

// Tasks of several ranks share locks and pages.
func TestTasksShareLocks(t *testing.T) {
	const ranks, tasks, each = 3, 20, 30
	for _, c := range []pages.Config{{}, {Copies: true}} {
		require.NoError(t, job(ranks, c, func(s *pages.Space) error {
			r := s.Rank()
			v := pages.NewSlice[uint64](s, "sum", distribution.Block(600, ranks))
			var locks []*pages.Lock
			for i := range 3 {
				l := pages.NewLock(s, fmt.Sprint(i), i)
				locks = append(locks, l)
			}
			sched := task.New(r)
			err := sched.Run(func() {
				for k := range tasks {
					sched.Go(func() {
						for i := range each {
							l := locks[(k+i)%3]
							l.Lock()
							v.Write(uint64(200*((k+i)%3)), uint64(200*((k+i)%3)+1))[0]++
							if k%2 == 0 {
								sched.Yield()
							}
							l.Unlock()
						}
					})
				}
			})
			if err != nil {
				return err
			}
			if err := s.Barrier(); err != nil {
				return err
			}
			all := v.Read(0, v.Len())
			if sum := all[0] + all[200] + all[400]; sum != ranks*tasks*each {
				return fmt.Errorf("%d additions of %d", sum, ranks*tasks*each)
			}
			return nil
		}))
	}
}
