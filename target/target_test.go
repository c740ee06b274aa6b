package target_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/internal/covering"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
	"github.com/activepebbles/pebbles/target"
)

// run runs a job, and returns its error.
var run = appstest.Job

// job runs a job that must succeed, and returns the counters of each rank.
func job(t testing.TB, c pebble.Config, f func(r *pebble.Rank) error) (counters []pebble.Counters) {
	t.Helper()
	var mu sync.Mutex
	require.NoError(t, run(t, c, func(r *pebble.Rank) error {
		err := f(r)
		mu.Lock()
		defer mu.Unlock()
		if counters == nil {
			counters = make([]pebble.Counters, r.Size())
		}
		counters[r.ID()] = r.Counters()
		return err
	}))
	return counters
}

// total returns the counters of all ranks together.
func total(counters []pebble.Counters) (sum pebble.Counters) {
	for _, c := range counters {
		sum = sum.Add(c)
	}
	return sum
}

// epoch runs an epoch; all ranks send in it.
func epoch(r *pebble.Rank, send func(), options ...pebble.EpochOption) error {
	return r.Epoch(func() error { send(); return nil }, options...)
}

// epochOf runs an epoch; only one rank sends in it.
func epochOf(rank int, r *pebble.Rank, send func(), options ...pebble.EpochOption) error {
	return epoch(r, func() {
		if r.ID() == rank {
			send()
		}
	}, options...)
}

// numbers registers a target of numbers that are their own keys.
func numbers(r *pebble.Rank, name string, where distribution.Map, handle func(v uint64),
	options ...target.Option) *target.Target[uint64] {
	return target.New(r, name, where, target.Key(identity), target.Each(handle), options...)
}

func identity(v uint64) uint64 { return v }

func ignore(uint64) {}

// empty is a directory of keys without state.
func empty(r *pebble.Rank, name string, base distribution.Map) *target.Directory[uint64] {
	return target.NewDirectory(r, name, base, func(uint64) uint64 { return 0 }, func(_, _ uint64) {})
}

func sumOf[N int | uint64](all []N) (sum N) {
	for _, n := range all {
		sum += n
	}
	return sum
}

// everywhere runs a test in jobs of all shapes: every pair (strength 2) or triple (3) of ranks, topology, coalescing
// factor, cache, budget, due time of pebbles, and variant of the test occurs in one of them.
func everywhere(t *testing.T, strength, variants int, test func(t *testing.T, c pebble.Config, variant int)) {
	ranks := []int{1, 2, 3, 5, 8}
	topologies := []route.Constructor{route.Direct, route.Hypercube}
	factors := []int{1, 16, 1024}
	caches := []int{0, 1, 16, 4096}
	budgets := []pebble.Config{{}, {Credits: 1, BufferBudget: 1}, {Credits: 1, BufferBudget: 4096}}
	dues := []time.Duration{0, 1, -1}
	levels := []int{len(ranks), len(topologies), len(factors), len(caches), len(budgets), len(dues), variants}
	for _, row := range covering.Array(strength, levels, nil) {
		c := budgets[row[4]]
		c.Ranks, c.Topology, c.Coalesce = ranks[row[0]], topologies[row[1]], factors[row[2]]
		c.Cache, c.Due = caches[row[3]], dues[row[5]]
		name := fmt.Sprintf("%d ranks, %s, factor %d, cache %d, budget %d, due %d, variant %d", c.Ranks,
			c.Topology(c.Ranks).Name(), c.Coalesce, c.Cache, c.BufferBudget, c.Due, row[6])
		t.Run(name, func(t *testing.T) { test(t, c, row[6]) })
	}
}

// Every key gets exactly the pebbles sent to it, and the chains that they start, under all shapes of the network.
func TestEveryPebbleOnce(t *testing.T) {
	const keys, each = 97, 300
	everywhere(t, 3, 1, func(t *testing.T, c pebble.Config, _ int) {
		got, want := make([]int, keys), make([]int, keys)
		job(t, c, func(r *pebble.Rank) error {
			type hop struct{ key, left uint64 }
			var visit *target.Target[hop]
			visit = target.New(r, "visit", distribution.Cyclic(keys, r.Size()),
				target.Key(func(h hop) uint64 { return h.key }),
				target.Each(func(h hop) {
					got[h.key]++
					if h.left > 0 {
						visit.Send(hop{(h.key + 1) % keys, h.left - 1})
					}
				}))
			for range 3 {
				appstest.Epoch(r, func() {
					for i := range each {
						visit.Send(hop{uint64(i+r.ID()) % keys, uint64(i % 5)})
					}
				})
			}
			return nil
		})
		for rank := range c.Ranks {
			for i := range each {
				for k := range i%5 + 1 {
					want[(i+rank+k)%keys] += 3
				}
			}
		}
		require.Equal(t, want, got)
	})
}

// Pebbles have no bytes, odd sizes, and more than a kilobyte.
func TestSizesOfPebbles(t *testing.T) {
	type odd struct {
		A uint32
		B byte
	}
	sizes(t, func(struct{}) uint64 { return 1 })
	sizes(t, func(b byte) uint64 { return uint64(b) })
	sizes(t, func(b [3]byte) uint64 { return uint64(b[1]) })
	sizes(t, func(v odd) uint64 { return uint64(v.B) })
	sizes(t, func(v [2000]uint64) uint64 { return v[1999] })
}

func sizes[V any](t *testing.T, key func(V) uint64) {
	for _, ranks := range []int{1, 2, 5} {
		for _, topology := range []route.Constructor{route.Direct, route.Hypercube} {
			got := make([]int, ranks)
			job(t, pebble.Config{Ranks: ranks, Topology: topology, Coalesce: 5}, func(r *pebble.Rank) error {
				x := target.New(r, "x", distribution.Cyclic(1<<20, ranks), target.Key(key),
					target.Batch(func(vs []V) { got[r.ID()] += len(vs) }))
				return epoch(r, func() { x.SendAll(make([]V, 777)) })
			})
			require.Equal(t, 777*ranks, sumOf(got))
		}
	}
}

// halves is a user's distribution, whose keys are checked one by one.
type halves struct{ ranks int }

func (h halves) Ranks() int           { return h.ranks }
func (h halves) Owner(key uint64) int { return int(key % uint64(h.ranks)) }

// oneWay is a user's topology: a ring whose links lead one way.
type oneWay int

func (n oneWay) Name() string           { return "one way" }
func (n oneWay) Ranks() int             { return int(n) }
func (n oneWay) Neighbors(at int) []int { return []int{(at + 1) % int(n)} }
func (n oneWay) Next(at, _ int) int     { return (at + 1) % int(n) }

func TestOwnDistributionAndTopology(t *testing.T) {
	var got [5][]uint64
	job(t, pebble.Config{Ranks: 5}, func(r *pebble.Rank) error {
		x := numbers(r, "x", halves{5}, func(v uint64) { got[r.ID()] = append(got[r.ID()], v) },
			target.Route(func(n int) route.Topology { return oneWay(n) }))
		return epoch(r, func() {
			for v := range uint64(1000) {
				x.Send(v)
			}
		})
	})
	for rank, vs := range got {
		slices.Sort(vs)
		require.Len(t, vs, 1000)
		for i, v := range vs {
			require.EqualValues(t, i/5*5+rank, v, "each number five times, at its rank")
		}
	}
}

// Frames leave for the reasons that the counters name.
func TestReasonsOfFrames(t *testing.T) {
	type reasons struct{ Full, Due, Explicit, Idle uint64 }
	for _, c := range []struct {
		name         string
		due          time.Duration
		send         func(r *pebble.Rank, x *target.Target[uint64])
		want         reasons
		sent, frames uint64
	}{
		{"full", -1, func(_ *pebble.Rank, x *target.Target[uint64]) {
			for range 25 {
				x.Send(1)
			}
		}, reasons{Full: 2, Idle: 1}, 25, 3},
		{"flushed", -1, func(_ *pebble.Rank, x *target.Target[uint64]) {
			for range 3 {
				x.Send(1)
				x.Flush()
			}
			x.Flush()
		}, reasons{Explicit: 3}, 3, 3},
		{"due", 1, func(r *pebble.Rank, x *target.Target[uint64]) {
			x.Send(1)
			for before := r.Now(); r.Counters().FlushDue == 0 && r.Now()-before < 1e10; {
				r.Poll()
			}
		}, reasons{Due: 1}, 1, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := total(job(t, pebble.Config{Ranks: 2, Coalesce: 10, Due: c.due}, func(r *pebble.Rank) error {
				x := numbers(r, "x", distribution.Cyclic(2, 2), ignore)
				return epochOf(0, r, func() { c.send(r, x) })
			}))
			require.Equal(t, c.want, reasons{got.FlushFull, got.FlushDue, got.FlushExplicit, got.FlushIdle})
			require.Equal(t, c.frames, got.FramesSent)
			require.Equal(t, c.frames, got.FramesReceived)
			require.Equal(t, c.sent*8, got.BytesSent)
			require.Equal(t, c.sent, got.PebblesHandled)
		})
	}
}

// In steady state a pebble costs no allocation: many times the pebbles cost no more allocations than noise and the
// frames that the budget allows in flight.
func TestNoAllocationPerPebble(t *testing.T) {
	const few, many = 20_000, 200_000
	for _, topology := range []route.Constructor{route.Direct, route.Hypercube} {
		for _, one := range []bool{false, true} {
			allocs := testing.AllocsPerRun(1, func() { sendMany(t, topology, one, few) })
			more := testing.AllocsPerRun(1, func() { sendMany(t, topology, one, many) })
			require.Less(t, more-allocs, 2000.0, "%s, one by one %v: %d more pebbles", topology(4).Name(), one,
				4*(many-few))
		}
	}
}

func sendMany(t *testing.T, topology route.Constructor, one bool, n int) {
	job(t, pebble.Config{Ranks: 4, Topology: topology, BufferBudget: 32 << 10}, func(r *pebble.Rank) error {
		sum := 0
		x := target.New(r, "x", distribution.Hash(4), target.Key(identity),
			target.Batch(func(vs []uint64) { sum += len(vs) }))
		return epoch(r, func() {
			var vs [100]uint64
			for i := 0; i < n; i += len(vs) {
				for j := range vs {
					vs[j] = uint64(i + j)
					if one {
						x.Send(vs[j])
					}
				}
				if !one {
					x.SendAll(vs[:])
				}
			}
		})
	})
}

// The forms of sending and handling allocate nothing, in batches of any length.
func TestFormsAllocateNothing(t *testing.T) {
	job(t, pebble.Config{Ranks: 1}, func(r *pebble.Rank) error {
		sum := uint64(0)
		add := target.New(r, "add", distribution.Ranks(1), target.Key(func(uint64) uint64 { return 0 }),
			target.TryEach(func(_ *target.Target[uint64], v uint64) error { sum += v; return nil }))
		ask := target.NewAskBatch(r, "ask", distribution.Cyclic(300, 1), target.Key(identity),
			func(qs, as []uint64) { copy(as, qs) }, func(_, _ []uint64) {})
		return epoch(r, func() {
			vs := make([]uint64, 300)
			add.SendAll(vs)
			require.Zero(t, testing.AllocsPerRun(100, func() { add.SendAll(vs) }))
			require.Zero(t, testing.AllocsPerRun(100, func() { ask.SendAll(vs) }))
		})
	})
}
