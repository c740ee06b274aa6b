package access

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/memory"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var shapes = []appstest.Shape{
	{Ranks: 1, Procs: 1, Transport: "mem", New: route.Direct},
	{Ranks: 3, Procs: 1, Transport: "mem", New: route.Direct},
	{Ranks: 3, Procs: 2, Transport: "shm", New: route.Direct},
	{Ranks: 4, Procs: 3, Transport: "tcp", New: route.Hypercube},
}

// All ways read and write the words of the serial twin, with and without own words, with a short last batch.
func TestGather(t *testing.T) {
	for _, s := range shapes {
		for _, way := range Ways {
			for _, others := range []bool{false, true} {
				t.Run(fmt.Sprintf("%d/%s/%s/%t", s.Ranks, s.Transport, way, others), func(t *testing.T) {
					c := GatherConfig{Log2Words: 7, Accesses: 301, Batch: 64, Way: way, Others: others, Common: apps.Common{Seed: 9}}
					for _, result := range appstest.All(t, s, Gather, c) {
						require.Zero(t, result.Errors, result.Wrong)
						require.EqualValues(t, 301*s.Ranks, result.Accesses)
						if way != ByLoad && way != LoadChain {
							require.Equal(t, result.Accesses, result.Near+result.Remote)
							require.Equal(t, others && s.Ranks == s.Procs && s.Transport == "tcp" && s.Ranks > 1, result.Near == 0)
						}
					}
				})
			}
		}
	}
}

// Without an address cache each access to another process asks the owner, and the verifier counts the questions. With a
// cache, only the first one does, before the timed part.
func TestGatherCountsMisses(t *testing.T) {
	for _, transport := range []string{"shm", "tcp"} {
		for _, cached := range []int{-1, 100} {
			s := appstest.Shape{Ranks: 2, Procs: 2, Transport: transport, New: route.Direct, AddressCache: cached}
			c := GatherConfig{Log2Words: 7, Accesses: 300, Way: ByGet, Others: true}
			for _, result := range appstest.All(t, s, Gather, c) {
				require.Zero(t, result.Errors, result.Wrong)
				if cached < 0 {
					require.Equal(t, result.Accesses, result.Misses)
					require.Equal(t, 2*result.Misses, result.Counters.PebblesSent)
				} else {
					require.Equal(t, result.Accesses, result.Hits)
				}
			}
		}
	}
}

// A word that was read wrong is reported, and so is one that was written in a wrong place, or not at all.
func TestVerifierNotices(t *testing.T) {
	errorsOf := func(way Way, change func(g *gather)) (found uint64) {
		require.NoError(t, shapes[0].Run(t, func(r *pebble.Rank) error {
			g := &gather{rank: r, config: GatherConfig{Log2Words: 4, Accesses: 100, Way: way}.withDefaults(),
				space: memory.New(r)}
			require.NoError(t, g.load())
			require.NoError(t, r.Epoch(func() error { g.body(); return nil }))
			change(g)
			var result GatherResult
			err := g.judge(&result)
			found = result.Errors
			return err
		}))
		return found
	}
	for _, way := range Ways {
		require.Zero(t, errorsOf(way, func(*gather) {}))
		if way == ByScatter || way == ByPut {
			require.NotZero(t, errorsOf(way, func(g *gather) { g.table.Local()[3]++ }))
			require.NotZero(t, errorsOf(way, func(g *gather) { clear(g.table.Local()) }))
		} else {
			require.EqualValues(t, 1, errorsOf(way, func(g *gather) { g.words[len(g.words)-1]++ }))
		}
	}
}

func TestAttend(t *testing.T) {
	for _, s := range shapes[1:] {
		for _, asks := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/%t", s.Transport, asks), func(t *testing.T) {
				c := AttendConfig{Reads: 7, Busy: time.Millisecond, Asks: asks, Common: apps.Common{Seed: 3}}
				results := appstest.All(t, s, Attend, c)
				for _, result := range results {
					require.Zero(t, result.Errors)
				}
				require.Positive(t, results[0].Median)
				require.LessOrEqual(t, results[0].Median, results[0].P99)
				require.LessOrEqual(t, results[0].P99, results[0].Most)
			})
		}
	}
}

func TestCheck(t *testing.T) {
	require.NoError(t, GatherConfig{}.Check(1))
	require.NoError(t, AttendConfig{}.Check(2))
	for want, c := range map[string]GatherConfig{
		"2^33 words":       {Log2Words: 33},
		"-1 accesses":      {Accesses: -1},
		"batches of -1":    {Batch: -1},
		`the way "nosuch"`: {Way: "nosuch"},
	} {
		require.ErrorContains(t, c.Check(1), want)
	}
	for want, c := range map[string]AttendConfig{
		"-1 reads":          {Reads: -1},
		"computes for -1ns": {Busy: -1},
		"1h0m0s":            {Busy: time.Hour},
	} {
		require.ErrorContains(t, c.Check(2), want)
	}
	require.ErrorContains(t, AttendConfig{}.Check(1), "at least 2")
}
