package pebble_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/reduce"
	"github.com/activepebbles/pebbles/target"
	"github.com/activepebbles/pebbles/target/avro"
)

// errorOf returns the error of a call.
func errorOf[V any](_ V, err error) error { return err }

// Impossible configurations, and those that exceed any machine, are refused in one sentence, before anything is
// allocated.
func TestImpossibleConfigurationsAreRefused(t *testing.T) {
	for want, c := range map[string]pebble.Config{
		"-1 ranks":              {Ranks: -1},
		"coalescing factor -7":  {Coalesce: -7},
		"cache of -1":           {Cache: -1},
		"give positive numbers": {MemoryLimit: -1},
		"a grace of -1ns":       {Grace: -1},
		"1000000000 ranks need at least 59.6 TiB of memory":                       {Ranks: 1_000_000_000},
		"config: 9223372036854775807 ranks need at least":                         {Ranks: math.MaxInt},
		"coalescing factor of 99999999999 is too large: a frame holds 1073741824": {Ranks: 1, Coalesce: 99_999_999_999},
		"9223372036854775807 frames of credit are too many":                       {Ranks: 1, Credits: math.MaxInt},
		"a cache of 9223372036854775807 entries needs more than":                  {Ranks: 1, Cache: math.MaxInt},
		"a cache of 70000 entries needs more than the 65536 bytes": {Ranks: 1, Cache: 70_000,
			MemoryLimit: 64 << 10},
	} {
		err := run(t, c, func(*pebble.Rank) error { panic("a rank runs") })
		require.ErrorContains(t, err, want)
		require.NotContains(t, err.Error(), "\n")
	}
	require.ErrorContains(t, run(t, pebble.Config{}, nil), "function is nil")
}

// The needs of a target are checked before it is made, and the first rank reports the error.
func TestImpossibleTargetsAreRefused(t *testing.T) {
	once := target.Reduce(reduce.Duplicates[uint64]())
	for _, c := range []struct {
		want    string
		ranks   int
		limit   int64
		options []target.Option
	}{
		{"a cache of 1000000000000 entries of 16 bytes is larger", 2, 64 << 10,
			[]target.Option{once, target.Cache(1_000_000_000_000)}},
		{"a cache of 5000 entries of 16 bytes is larger", 2, 64 << 10, []target.Option{once, target.Cache(5000)}},
		{"a cache of 1073741825 entries: give at most 1073741824", 1, 1 << 50,
			[]target.Option{once, target.Cache(reduce.SizeMax + 1)}},
		{"coalescing factor of 4294967296", 2, 64 << 10, []target.Option{target.Coalesce(1 << 32)}},
		{"a frame can hold 134217728 of these pebbles", 2, 64 << 10, []target.Option{target.Coalesce(1 << 30)}},
		{"its buffers and routes need 115008 bytes at the least, the memory limit is 65536", 600, 64 << 10, nil},
	} {
		err := run(t, pebble.Config{Ranks: c.ranks, MemoryLimit: c.limit}, func(r *pebble.Rank) error {
			byRank(r, "at", ignore, c.options...)
			return r.Barrier()
		})
		var refused *pebble.RegistrationError
		require.ErrorAs(t, err, &refused)
		require.ErrorContains(t, err, c.want)
	}
}

func TestMisuseIsToldInWords(t *testing.T) {
	sum := func(a, b int) int { return a + b }
	inEpoch := func(f func(r *pebble.Rank) error) func(r *pebble.Rank) error {
		return func(r *pebble.Rank) error { return r.Epoch(func() error { return f(r) }) }
	}
	scan := func(r *pebble.Rank) error { return errorOf(pebble.Scan(r, 1, sum)) }
	for want, f := range map[string]func(r *pebble.Rank) error{
		"epochs do not nest":                  inEpoch(idle),
		"a barrier was begun inside an epoch": inEpoch((*pebble.Rank).Barrier),
		"a scan was begun inside an epoch":    inEpoch(scan),
		"was registered inside an epoch": inEpoch(func(r *pebble.Rank) error {
			byRank(r, "late", ignore)
			return nil
		}),
		"epoch: it has no function: give one, which may do nothing": func(r *pebble.Rank) error { return r.Epoch(nil) },
		"a pebble was sent outside of an epoch": func(r *pebble.Rank) error {
			byRank(r, "hit", ignore).Send(0)
			return nil
		},
		"Poll may be called only": func(r *pebble.Rank) error { r.Poll(); return nil },
		"leave the depth out": func(r *pebble.Rank) error {
			return epoch(r, func() {}, pebble.Depth(1), pebble.Idle(func() bool { return false }))
		},

		"root 9: ranks are 0 to 1": func(r *pebble.Rank) error { return errorOf(pebble.Gather(r, 9, 1)) },
		"Gather with root 2":       func(r *pebble.Rank) error { return errorOf(pebble.GatherSlice(r, 2, []int{1})) },
		"AllReduce without a function that merges: give one, such as pebble.Sum": func(r *pebble.Rank) error {
			return errorOf(pebble.AllReduce(r, 1, nil))
		},
		"ExclusiveScan without a function that merges": func(r *pebble.Rank) error {
			return errorOf(pebble.ExclusiveScan(r, 1, 0, nil))
		},
		"type string is not plain data": func(r *pebble.Rank) error { return errorOf(pebble.Broadcast(r, 0, "text")) },
		"Scan: type []int is not plain data: []int is a []int, which means nothing on another rank: give a codec": func(
			r *pebble.Rank) error {
			return errorOf(pebble.Scan(r, []int{1}, func(a, b []int) []int { return a }))
		},
		"AllGather with 2 codecs: give one": func(r *pebble.Rank) error {
			return errorOf(pebble.AllGather(r, 1, broken{}, broken{}))
		},
		"AllGather with a codec that is nil": func(r *pebble.Rank) error {
			return errorOf(pebble.AllGather(r, 1, nil))
		},
	} {
		err := run(t, pebble.Config{Ranks: 2}, f)
		require.ErrorContains(t, err, want)
		require.Regexp(t, `^(\w+_test\.go:\d+: )?rank \d|^pebble: `, err.Error())
		err = run(t, pebble.Config{Ranks: 2}, func(r *pebble.Rank) error {
			defer func() { _ = recover() }() // the program goes on
			return f(r)
		})
		require.ErrorContains(t, err, want, "recovered")
	}
}

// Ranks that do different things get an error instead of waiting without end: other collectives, or other types of
// values.
func TestDifferencesOfRanksAreTold(t *testing.T) {
	type pair struct{ A, B uint32 }
	type does = func(r *pebble.Rank) error
	all := func(r *pebble.Rank) error { return errorOf(pebble.AllReduce(r, uint64(1), pebble.Sum)) }
	const reduction, sameType = "an all-reduction gets values of ", "give the same type on every rank"
	for _, c := range []struct {
		last, others does // the actions of the last rank, and of all others
		want         []string
	}{
		{func(r *pebble.Rank) error { return errorOf(pebble.AllReduce(r, uint32(7), pebble.Sum)) }, all,
			[]string{reduction, sameType}},
		{func(r *pebble.Rank) error {
			return errorOf(pebble.AllReduce(r, [2]uint32{}, func(a, _ [2]uint32) [2]uint32 { return a }))
		}, all, []string{reduction, sameType}},
		{func(r *pebble.Rank) error {
			return errorOf(pebble.AllReduce(r, pair{}, func(a, _ pair) pair { return a }))
		}, all, []string{reduction, sameType}},
		{all, (*pebble.Rank).Barrier, []string{"in the same order"}},
		{func(r *pebble.Rank) error { return errorOf(pebble.Broadcast(r, 0, uint64(1))) },
			func(r *pebble.Rank) error { return errorOf(pebble.Broadcast(r, 0, 1.5)) },
			[]string{"a broadcast gets values of "}},
		{func(r *pebble.Rank) error { return errorOf(pebble.Gather(r, 0, 1.5)) },
			func(r *pebble.Rank) error { return errorOf(r.GatherBytes(0, make([]byte, 8))) },
			[]string{"a gathering gets values of bytes from rank", "values of another type from rank"}},
		{func(r *pebble.Rank) error { return errorOf(pebble.Gather(r, 0, 1)) },
			func(r *pebble.Rank) error { return errorOf(pebble.GatherSlice(r, 0, []int{1})) },
			[]string{"values of []int from rank"}},
		{func(r *pebble.Rank) error { return errorOf(pebble.AllReduce(r, 1, pebble.Sum, avro.Must[int]())) },
			func(r *pebble.Rank) error { return errorOf(pebble.AllReduce(r, 1, pebble.Sum, broken{})) },
			[]string{"values of int through a codec from rank"}},
		{func(r *pebble.Rank) error { return errorOf(pebble.AllGather(r, 1)) },
			func(r *pebble.Rank) error { return errorOf(pebble.Scan(r, 1, pebble.Sum)) },
			[]string{"is at an all-gathering", "is at a scan", "while rank"}},
		{(*pebble.Rank).Barrier, func(*pebble.Rank) error { return nil },
			[]string{"has returned from its function", "is at a barrier"}},
		{idle, func(*pebble.Rank) error { return nil },
			[]string{"has returned from its function", "is at the end of an epoch"}},
	} {
		for _, ranks := range []int{2, 3, 8} {
			err := run(t, pebble.Config{Ranks: ranks}, func(r *pebble.Rank) error {
				if err := r.Barrier(); err != nil {
					return err
				}
				if r.ID() == ranks-1 {
					return c.last(r)
				}
				return c.others(r)
			})
			for _, want := range c.want {
				require.ErrorContains(t, err, want)
			}
		}
	}
}

func TestDifferentRegistrationsAreTold(t *testing.T) {
	for want, f := range map[string]func(r *pebble.Rank){
		`rank 0 registers target "common" of uint64`: func(r *pebble.Rank) {
			byRank(r, []string{"common", "other"}[r.ID()%2], ignore)
		},
		`rank 1: register target "x1": rank 0 registers target "x0"`: func(r *pebble.Rank) {
			byRank(r, "common", ignore)
			byRank(r, fmt.Sprint("x", r.ID()), ignore)
		},
		`rank 1: register target "more": rank 0 registers target "more" of uint64`: func(r *pebble.Rank) {
			byRank(r, "common", ignore)
			if r.ID() == 0 {
				byRank(r, "more", ignore)
			}
		},
		"coalescing 5": func(r *pebble.Rank) { byRank(r, "common", ignore, target.Coalesce(5+r.ID())) },
		"is at the comparison of targets while rank": func(r *pebble.Rank) {
			if r.ID() == 0 {
				byRank(r, "only here", ignore)
			}
		},
		"a target of this name is registered already": func(r *pebble.Rank) {
			byRank(r, "twice", ignore)
			byRank(r, "twice", ignore)
		},
	} {
		err := run(t, pebble.Config{Ranks: 2}, func(r *pebble.Rank) error {
			f(r)
			return idle(r)
		})
		require.Error(t, err, want)
		if !strings.Contains(err.Error(), "is at the end of an epoch while") { // the other side of the same difference
			require.ErrorContains(t, err, want)
		}
	}
}

// A panic ends the job from any place, with its value, its stack and its position, though another rank keeps sending.
func TestPanicEndsTheJobWithItsStack(t *testing.T) {
	onOne := func(r *pebble.Rank) {
		if r.ID() == 1 {
			explode(1)
		}
	}
	for name, f := range map[string]func(r *pebble.Rank, hit *target.Target[uint64]) error{
		"in the function": func(r *pebble.Rank, _ *target.Target[uint64]) error {
			onOne(r)
			return r.Barrier()
		},
		"in the body": func(r *pebble.Rank, _ *target.Target[uint64]) error { return epoch(r, func() { onOne(r) }) },
		"in idle work": func(r *pebble.Rank, _ *target.Target[uint64]) error {
			return epoch(r, func() {}, pebble.Idle(func() bool { onOne(r); return false }))
		},
		"in a handler": func(r *pebble.Rank, hit *target.Target[uint64]) error {
			return epochOf(0, r, func() { hit.Send(1) })
		},
		"in a handler of a rank that another floods": func(r *pebble.Rank, hit *target.Target[uint64]) error {
			return epochOf(0, r, func() {
				for {
					hit.Send(1)
				}
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			err := run(t, pebble.Config{Ranks: 3, Coalesce: 4, BufferBudget: 1}, func(r *pebble.Rank) error {
				return f(r, byRank(r, "hit", explode))
			})
			var panicked *pebble.PanicError
			require.ErrorAs(t, err, &panicked)
			require.Equal(t, 1, panicked.Rank)
			require.Equal(t, "exploded with 1", panicked.Value)
			require.Contains(t, string(panicked.Stack), "pebble_test.explode(")
			where := ""
			if strings.HasPrefix(name, "in a handler") {
				where = ` in a handler of target "hit" with pebble 1`
			}
			require.Regexp(t, `^misuse_test\.go:\d+: rank 1 panicked`+where+": exploded with 1$", err.Error())
		})
	}
}

func explode(v uint64) { panic(fmt.Sprint("exploded with ", v)) }
