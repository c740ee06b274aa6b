package pages_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/memory"
	"github.com/activepebbles/pebbles/memory/pages"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
	"github.com/activepebbles/pebbles/task"
)

// Each mistake ends the job, in words that say what is wrong.
func TestMistakesAreTold(t *testing.T) {
	slice := func(s *pages.Space, n uint64) *pages.Slice[uint64] {
		v := pages.NewSlice[uint64](s, "grid", distribution.Block(n, s.Rank().Size()))
		return v
	}
	lock := func(s *pages.Space, name string) *pages.Lock {
		l := pages.NewLock(s, name, 1)
		return l
	}
	type config = pages.Config
	for name, c := range map[string]struct {
		config
		says string
		do   func(s *pages.Space) error
	}{
		"over the end": {config{},
			`Read of slice "grid": elements 90 to 100 are not in it, it has 100`,
			func(s *pages.Space) error { slice(s, 100).Read(90, 101); return nil }},
		"the wrong way round": {config{},
			`Write of slice "grid": elements 9 to 8 are none`,
			func(s *pages.Space) error { slice(s, 100).Write(9, 8); return nil }},
		"after Free": {config{},
			`Read of slice "grid": it was freed`,
			func(s *pages.Space) error { v := slice(s, 100); _ = v.Free(); v.Read(0, 1); return nil }},
		"a span that overlaps the home's": {config{PageBytes: 64},
			"open the longer span first, or two that end where the home does",
			func(s *pages.Space) error { v := slice(s, 64); v.Write(24, 32); v.Read(24, 40); return nil }},
		"written by a span of Read": {config{Checked: true},
			`has written to element 30 of slice "grid", which a span of Read has: open it by Write`,
			func(s *pages.Space) error { slice(s, 1000).Read(0, 64)[30] = 1; return nil }},
		"a span after a barrier": {config{Checked: true},
			`has accessed element 30 of slice "grid", which no span has that is open`,
			func(s *pages.Space) error {
				w := slice(s, 1000).Write(0, 64)
				if err := s.Barrier(); err != nil {
					return err
				}
				w[30] = 1
				return nil
			}},
		"what no span has, inside copy": {config{Checked: true},
			`of slice "grid", which no span has that is open: open it by Read or Write`,
			func(s *pages.Space) error {
				w := slice(s, 4096).Read(0, 64)
				if err := s.Barrier(); err != nil {
					return err
				}
				copy(make([]uint64, 64), w)
				return nil
			}},
		"Unlock without Lock": {config{},
			`Unlock of lock "a": this rank does not have it`,
			func(s *pages.Space) error { lock(s, "a").Unlock(); return nil }},
		"Lock twice": {config{},
			`Lock of lock "a": the same caller has it already, and took it at `,
			func(s *pages.Space) error {
				l := lock(s, "a")
				if s.Rank().ID() == 0 {
					l.Lock()
					l.Lock()
				}
				return s.Barrier()
			}},
		"locks out of order": {config{},
			`Lock of lock "a": the same caller has lock "b", and took it at `,
			func(s *pages.Space) error {
				a, b := lock(s, "a"), lock(s, "b")
				if s.Rank().ID() == 0 {
					b.Lock()
					a.Lock()
				}
				return s.Barrier()
			}},
		"a lock over a barrier": {config{},
			`rank 0 has lock "a", and took it at `,
			func(s *pages.Space) error {
				l := lock(s, "a")
				if s.Rank().ID() == 0 {
					l.Lock()
				}
				return s.Barrier()
			}},
		"a lock at the end": {config{},
			"give it back before the end of the rank's function",
			func(s *pages.Space) error {
				l := lock(s, "a")
				if s.Rank().ID() == 0 {
					l.Lock()
				}
				return nil
			}},
		"a task that ends with a lock": {config{},
			`lock "a" is never given back by a task of rank `,
			func(s *pages.Space) error {
				l := lock(s, "a")
				tasks := task.New(s.Rank())
				return tasks.Run(func() { tasks.Go(l.Lock) })
			}},
		"a body that ends with a lock": {config{},
			`lock "a" was not given back by the main function of rank 0`,
			func(s *pages.Space) error {
				l := lock(s, "a")
				return s.Rank().Epoch(func() error {
					if s.Rank().ID() == 0 {
						l.Lock()
					}
					return nil
				})
			}},
		"Lock in a handler": {config{},
			"Lock was called in a handler, which must not wait",
			func(s *pages.Space) error {
				l := lock(s, "a")
				to := target.New(s.Rank(), "t", distribution.Ranks(2), target.Key(func(v uint64) uint64 { return v }),
					target.Each(func(uint64) { l.Lock() }))
				return s.Rank().Epoch(func() error { to.Send(0); return nil })
			}},
		"Lock in an epoch of a declared depth": {config{},
			"leave pebble.Depth out",
			func(s *pages.Space) error {
				l := lock(s, "a")
				return s.Rank().Epoch(func() error { l.Lock(); return nil }, pebble.Depth(1))
			}},
		"Barrier in an epoch": {config{},
			"Barrier was called inside an epoch",
			func(s *pages.Space) error { return s.Rank().Epoch(s.Barrier) }},
		"a barrier that a rank leaves out": {config{},
			"a barrier of shared pages",
			func(s *pages.Space) error {
				if s.Rank().ID() == 0 {
					return s.Barrier()
				}
				return nil
			}},
		"two spaces": {config{},
			"pages.New was called twice",
			func(s *pages.Space) error { return job2(s) }},
		"elements with pointers": {config{},
			"type *int is not plain data",
			func(s *pages.Space) error {
				pages.NewSlice[*int](s, "p", distribution.Block(10, 2))
				return nil
			}},
		"pages of an odd size": {config{},
			`slice "odd": pages of 100 bytes: give a power of two from 64 to 1048576`,
			func(s *pages.Space) error {
				pages.NewSlice[int](s, "odd", distribution.Block(10, 2), pages.PageBytes(100))
				return nil
			}},
		"ranks that allocate differently": {config{},
			"allocates something else than rank",
			func(s *pages.Space) error {
				pages.NewSlice[int](s, "v", distribution.Block(10, 2), pages.PageBytes(64<<s.Rank().ID()))
				return nil
			}},
		"blocks of different lengths": {config{},
			"give one of equal blocks, such as distribution.Block",
			func(s *pages.Space) error {
				pages.NewSlice[int](s, "v", uneven{distribution.Block(10, 2)})
				return nil
			}},
		"more than the machine has": {config{},
			"64 TiB of memory",
			func(s *pages.Space) error {
				pages.NewSlice[uint64](s, "v", distribution.Block(1<<43, 2))
				return nil
			}},
	} {
		t.Run(name, func(t *testing.T) {
			require.ErrorContains(t, job(2, c.config, c.do), c.says)
		})
	}
}

// uneven is a distribution of the user's: of 10 elements rank 1 has numbers 5 and 6, and rank 0 the others.
type uneven struct{ *distribution.BlockMap }

func (u uneven) Owner(key uint64) int { return int(key / 5 % 2 * (1 - key/7)) }
func (u uneven) Local(key uint64) int { return int([10]uint64{0, 1, 2, 3, 4, 0, 1, 5, 6, 7}[key]) }
func (u uneven) LocalLen(rank int) int {
	return 8 - 6*rank
}
func (u uneven) Key(rank, local int) uint64 {
	return [2][8]uint64{{0, 1, 2, 3, 4, 7, 8, 9}, {5, 6}}[rank][local]
}

// A page cache that is too small for what is open at a time is told.
func TestPageCacheTooSmall(t *testing.T) {
	err := jobOf(pebble.Config{Ranks: 2, PageCache: 16 << 10}, pages.Config{Copies: true}, func(s *pages.Space) error {
		v := pages.NewSlice[uint64](s, "grid", distribution.Block(10000, 2))
		for lo := uint64(0); lo < 10000; lo += 1000 {
			v.Read(lo, lo+1000)
		}
		return nil
	})
	require.ErrorContains(t, err, "give the job more than 16384 by --page-cache, or open less at a time")
}

func job2(s *pages.Space) error {
	pages.New(memory.New(s.Rank()), pages.Config{})
	return nil
}
