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

// Each mistake ends the job with an error that describes it.
func TestMistakesAreTold(t *testing.T) {
	slice := func(r rank, n uint64) *pages.Slice[uint64] {
		return pages.NewSlice[uint64](r.s, "grid", distribution.Block(n, 2))
	}
	// locks makes rank 0 use one or two locks of rank 1.
	locks := func(do func(a, b *pages.Lock)) func(r rank) {
		return func(r rank) {
			a, b := pages.NewLock(r.s, "a", 1), pages.NewLock(r.s, "b", 1)
			if r.ID() == 0 {
				do(a, b)
			}
			r.meet()
		}
	}
	lock := func(r rank) *pages.Lock { return pages.NewLock(r.s, "a", 1) }
	type config = pages.Config
	for name, c := range map[string]struct {
		config
		says string
		do   func(r rank)
	}{
		"over the end": {config{}, `Read of slice "grid": elements 90 to 100 are not in it, it has 100`,
			func(r rank) { slice(r, 100).Read(90, 101) }},
		"the wrong way round": {config{}, `Write of slice "grid": elements 9 to 8 are none`,
			func(r rank) { slice(r, 100).Write(9, 8) }},
		"after Free": {config{}, `Read of slice "grid": it was freed`,
			func(r rank) { v := slice(r, 100); r.NoError(v.Free()); v.Read(0, 1) }},
		"a span that overlaps the home's": {config{PageBytes: 64},
			"open the longer span first, or two that end where the home does",
			func(r rank) { v := slice(r, 64); v.Write(24, 32); v.Read(24, 40) }},
		"written by a span of Read": {config{Checked: true},
			`has written to element 30 of slice "grid", which a span of Read has: open it by Write`,
			func(r rank) { slice(r, 1000).Read(0, 64)[30] = 1 }},
		"a span after a barrier": {config{Checked: true},
			`has accessed element 30 of slice "grid", which is in no open span`,
			func(r rank) { w := slice(r, 1000).Write(0, 64); r.meet(); w[30] = 1 }},
		"what no span has, inside copy": {config{Checked: true},
			`of slice "grid", which is in no open span: open one by Read or Write`,
			func(r rank) { w := slice(r, 4096).Read(0, 64); r.meet(); copy(make([]uint64, 64), w) }},

		"Unlock without Lock": {config{}, `Unlock of lock "a": this rank does not hold it`,
			func(r rank) { lock(r).Unlock() }},
		"Lock twice": {config{}, `Lock of lock "a": the same caller holds it since `,
			locks(func(a, _ *pages.Lock) { a.Lock(); a.Lock() })},
		"locks out of order": {config{}, `Lock of lock "a": the same caller holds lock "b" since `,
			locks(func(a, b *pages.Lock) { b.Lock(); a.Lock() })},
		"a lock over a barrier": {config{}, `rank 0 holds lock "a" since `,
			locks(func(a, _ *pages.Lock) { a.Lock() })},
		"a lock at the end": {config{}, "call Unlock before the end of the rank's function", func(r rank) {
			if l := lock(r); r.ID() == 0 {
				l.Lock()
			}
		}},
		"a task that ends with a lock": {config{}, `lock "a" is never given back: a task of rank `, func(r rank) {
			l, tasks := lock(r), task.New(r.Rank.Rank)
			r.NoError(tasks.Run(func() { tasks.Go(l.Lock) }))
		}},
		"a body that ends with a lock": {config{},
			`lock "a" was not given back when the epoch ended: the main function of rank 0`,
			func(r rank) {
				l := lock(r)
				r.Do(func() {
					if r.ID() == 0 {
						l.Lock()
					}
				})
			}},
		"Lock in a handler": {config{}, "Lock was called in a handler, which must not wait", func(r rank) {
			l := lock(r)
			to := target.New(r.Rank.Rank, "t", distribution.Ranks(2), target.Key(func(v uint64) uint64 { return v }),
				target.Each(func(uint64) { l.Lock() }))
			r.Do(func() { to.Send(0) })
		}},
		"Lock in an epoch of a declared depth": {config{}, "locks need an epoch without pebble.Depth",
			func(r rank) { r.Do(lock(r).Lock, pebble.Depth(1)) }},
		"Barrier in an epoch": {config{}, "Barrier was called inside an epoch", func(r rank) { r.Do(r.meet) }},
		"a barrier that a rank leaves out": {config{}, "a barrier of shared pages", func(r rank) {
			if r.ID() == 0 {
				r.meet()
			}
		}},

		"two spaces": {config{}, "New was called twice",
			func(r rank) { pages.New(memory.New(r.Rank.Rank), config{}) }},
		"elements with pointers": {config{}, "type *int is not plain data",
			func(r rank) { pages.NewSlice[*int](r.s, "p", distribution.Block(10, 2)) }},
		"pages of an odd size": {config{}, `slice "odd": pages of 100 bytes: give a power of two from 64 to 1048576`,
			func(r rank) { pages.NewSlice[int](r.s, "odd", distribution.Block(10, 2), pages.PageBytes(100)) }},
		"ranks that allocate differently": {config{}, "allocates something else than rank",
			func(r rank) { pages.NewSlice[int](r.s, "v", distribution.Block(10, 2), pages.PageBytes(64<<r.ID())) }},
		"blocks of different lengths": {config{}, "give one of equal blocks, such as distribution.Block",
			func(r rank) { pages.NewSlice[int](r.s, "v", uneven{distribution.Block(10, 2)}) }},
		"more than the machine has": {config{}, "64 TiB of memory", func(r rank) { slice(r, 1<<43) }},
	} {
		t.Run(name, func(t *testing.T) {
			require.ErrorContains(t, job(2, c.config, c.do), c.says)
		})
	}
}

// uneven is a user's distribution: of 10 elements rank 1 has numbers 5 and 6, and rank 0 the others.
type uneven struct{ *distribution.BlockMap }

func (u uneven) Owner(key uint64) int { return int(key / 5 % 2 * (1 - key/7)) }
func (u uneven) Local(key uint64) int { return int([10]uint64{0, 1, 2, 3, 4, 0, 1, 5, 6, 7}[key]) }
func (u uneven) LocalLen(rank int) int {
	return 8 - 6*rank
}
func (u uneven) Key(rank, local int) uint64 {
	return [2][8]uint64{{0, 1, 2, 3, 4, 7, 8, 9}, {5, 6}}[rank][local]
}

// A page cache that is too small for the open spans is reported.
func TestPageCacheTooSmall(t *testing.T) {
	err := jobOf(pebble.Config{Ranks: 2, PageCache: 16 << 10}, pages.Config{Copies: true}, func(r rank) {
		v := r.words(10000)
		for lo := uint64(0); lo < 10000; lo += 1000 {
			v.Read(lo, lo+1000)
		}
	})
	require.ErrorContains(t, err, "give the job more than 16384 by --page-cache, or open less at a time")
}
