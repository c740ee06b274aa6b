package target_test

import (
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/reduce"
	"github.com/activepebbles/pebbles/route"
	"github.com/activepebbles/pebbles/target"
)

func identity(v uint64) uint64 { return v }

// loops sends pebbles around for ever; strays uses hops that are no neighbours.
type broken struct {
	route.Topology
	next func(at, dest int) int
}

func (b broken) Next(at, dest int) int { return b.next(at, dest) }
func (b broken) Name() string          { return "broken" }

func TestMistakesAreToldAtRegistration(t *testing.T) {
	type pointing struct {
		Key  uint64
		Name []struct{ S string }
	}
	nothing := target.Each(func(uint64) {})
	byKey := target.Key(identity)
	for want, register := range map[string]func(r *pebble.Rank){
		"type target_test.pointing is not plain data: target_test.pointing.Name is a []struct": func(r *pebble.Rank) {
			target.New(r, "x", distribution.Hash(r.Size()), target.Key(func(p pointing) uint64 { return p.Key }),
				target.Each(func(pointing) {}))
		},
		"it has no key function: give target.Key": func(r *pebble.Rank) {
			target.New(r, "x", distribution.Hash(4), target.Key[uint64](nil), nothing)
		},
		"has no key function: give target.Key, target.Keys": func(r *pebble.Rank) {
			target.New(r, "x", distribution.Hash(4), target.Keys[uint64](nil), nothing)
		},
		"it has no handler: give target.Each": func(r *pebble.Rank) {
			target.New(r, "x", distribution.Hash(4), byKey, target.Each[uint64](nil))
		},
		"it has no handler: give target.Each or target.Batch": func(r *pebble.Rank) {
			target.New(r, "x", distribution.Hash(4), byKey, target.Batch[uint64](nil))
		},
		"add target.Coded(pebble.Strings{}), or another codec": func(r *pebble.Rank) {
			target.New(r, "x", distribution.Hash(r.Size()), target.Key(distribution.HashString),
				target.Each(func(string) {}))
		},
		"never arrives": func(r *pebble.Rank) {
			target.New(r, "x", distribution.Hash(r.Size()), byKey, nothing, target.Route(func(n int) route.Topology {
				return broken{route.Direct(n), func(at, dest int) int { return (at + 1 + (dest+at)%2) % n }}
			}))
		},
		"which is no neighbour": func(r *pebble.Rank) {
			target.New(r, "x", distribution.Hash(r.Size()), byKey, nothing, target.Route(func(n int) route.Topology {
				return broken{route.Hypercube(n), func(_, dest int) int { return dest }}
			}))
		},
		"does not connect the job's 4 ranks": func(r *pebble.Rank) {
			target.New(r, "x", distribution.Hash(r.Size()), byKey, nothing,
				target.Route(func(int) route.Topology { return route.Direct(9) }))
		},
		"its topology is nil": func(r *pebble.Rank) {
			target.New(r, "x", distribution.Hash(r.Size()), byKey, nothing, target.Route(nil))
		},
		"its keys are 64 bits": func(r *pebble.Rank) {
			target.New(r, "x", distribution.Hash(4), target.LowBits[uint64](64), nothing)
		},
		"its pebbles have 2 bytes": func(r *pebble.Rank) {
			target.New(r, "x", distribution.Hash(4), target.LowBits[uint16](4), target.Each(func(uint16) {}))
		},
		"which are encoded": func(r *pebble.Rank) {
			target.New(r, "x", distribution.Hash(4), target.LowBits[string](4), target.Each(func(string) {}),
				target.Coded[string](text{}))
		},
		"distribution is over 3": func(r *pebble.Rank) {
			target.New(r, "x", distribution.Hash(3), byKey,
				nothing)
		},
		"it has no distribution": func(r *pebble.Rank) { target.New(r, "x", nil, byKey, nothing) },
		"it has no key function": func(r *pebble.Rank) {
			target.New(r, "x", distribution.Hash(4),
				target.Keying[uint64]{}, nothing)
		},
		"it has no handler": func(r *pebble.Rank) {
			target.New(r, "x", distribution.Hash(4), byKey,
				target.Handling[uint64]{})
		},
		"a coalescing factor of -1": func(r *pebble.Rank) {
			target.New(r, "x", distribution.Hash(4), byKey,
				nothing, target.Coalesce(-1))
		},
		"lower the coalescing factor": func(r *pebble.Rank) {
			target.New(r, "x", distribution.Hash(4), byKey,
				nothing, target.Coalesce(1<<30))
		},
		"add target.Reduce": func(r *pebble.Rank) {
			target.New(r, "x", distribution.Hash(4), byKey,
				nothing, target.Cache(8))
		},
		"its reduction is a": func(r *pebble.Rank) {
			target.New(r, "x", distribution.Hash(4), byKey, nothing, target.Cache(8),
				target.Reduce(reduce.First[int]()))
		},
		"its codec is a": func(r *pebble.Rank) {
			target.New(r, "x", distribution.Hash(4), byKey, nothing, target.Coded[string](text{}))
		},
		"larger than the memory limit": func(r *pebble.Rank) {
			target.New(r, "x", distribution.Hash(4), byKey, nothing, target.Cache(1<<40),
				target.Reduce(reduce.First[uint64]()))
		},
		"a target needs a name": func(r *pebble.Rank) { target.New(r, "", distribution.Hash(4), byKey, nothing) },
	} {
		t.Run(want, func(t *testing.T) {
			err := run(t, pebble.Config{Ranks: 4, MemoryLimit: 1 << 30}, func(r *pebble.Rank) error {
				register(r)
				return r.Epoch(func() error { return nil })
			})
			require.ErrorContains(t, err, want)
			var registration *pebble.RegistrationError
			require.ErrorAs(t, err, &registration)
		})
	}
}

func TestTooLittleMemoryForBuffers(t *testing.T) {
	err := run(t, pebble.Config{Ranks: 32, MemoryLimit: 1000}, func(r *pebble.Rank) error {
		target.New(r, "x", distribution.Hash(32), target.Key(identity), target.Each(func(uint64) {}))
		return nil
	})
	require.ErrorContains(t, err, "raise the limit, or use a topology with fewer neighbours")
}

func TestKeyOutsideTheDistribution(t *testing.T) {
	for name, send := range map[string]func(x *target.Target[uint64]){
		"Send":    func(x *target.Target[uint64]) { x.Send(1000) },
		"SendAll": func(x *target.Target[uint64]) { x.SendAll([]uint64{1, 2, 1000, 3}) },
	} {
		t.Run(name, func(t *testing.T) {
			err := run(t, pebble.Config{Ranks: 2}, func(r *pebble.Rank) error {
				x := target.New(r, "x", distribution.Block(1000, 2), target.Key(identity), target.Each(func(uint64) {}))
				return r.Epoch(func() error {
					if r.ID() == 0 {
						send(x)
					}
					return nil
				})
			})
			var key *pebble.KeyError
			require.ErrorAs(t, err, &key)
			require.EqualError(t, err, `rank 0: target "x": a pebble was sent to key 1000, which is outside the `+
				`distribution `+
				distribution.Block(1000, 2).Describe())
		})
	}
}

// A user's own distribution is accepted, and its keys are checked one by one.
type halves struct{ ranks int }

func (h halves) Ranks() int           { return h.ranks }
func (h halves) Owner(key uint64) int { return int(key % uint64(h.ranks)) }

func TestOwnDistributionAndTopology(t *testing.T) {
	var sum atomic.Uint64
	require.NoError(t, run(t, pebble.Config{Ranks: 5}, func(r *pebble.Rank) error {
		ring := func(n int) route.Topology { return ringTopology(n) }
		x := target.New(r, "x", halves{5}, target.Key(identity), target.Each(func(v uint64) {
			if int(v%5) != r.ID() {
				panic("a pebble at the wrong rank")
			}
			sum.Add(v)
		}), target.Route(ring))
		return r.Epoch(func() error {
			for v := range uint64(1000) {
				x.Send(v)
			}
			return nil
		})
	}))
	require.EqualValues(t, 5*999*1000/2, sum.Load())
}

type ringTopology int

func (n ringTopology) Name() string           { return "ring" }
func (n ringTopology) Ranks() int             { return int(n) }
func (n ringTopology) Neighbors(at int) []int { return []int{(at + 1) % int(n)} }
func (n ringTopology) Next(at, _ int) int     { return (at + 1) % int(n) }

// Pebbles of no bytes, of odd sizes, and larger than a kilobyte.
func TestSizesOfPebbles(t *testing.T) {
	sizes[struct{}](t, func(struct{}) uint64 { return 1 })
	sizes[byte](t, func(b byte) uint64 { return uint64(b) })
	sizes[[3]byte](t, func(b [3]byte) uint64 { return uint64(b[1]) })
	sizes[struct {
		a uint32
		b byte
	}](t, func(v struct {
		a uint32
		b byte
	}) uint64 {
		return uint64(v.b)
	})
	sizes[[2000]uint64](t, func(v [2000]uint64) uint64 { return v[1999] })
}

func sizes[V any](t *testing.T, key func(V) uint64) {
	t.Helper()
	for _, ranks := range []int{1, 2, 5} {
		for _, topology := range []route.Constructor{route.Direct, route.Hypercube} {
			var got atomic.Int64
			require.NoError(t, run(t, pebble.Config{Ranks: ranks, Topology: topology, Coalesce: 5},
				func(r *pebble.Rank) error {
					x := target.New(r, "x", distribution.Cyclic(1<<20, ranks), target.Key(key),
						target.Batch(func(vs []V) { got.Add(int64(len(vs))) }))
					return r.Epoch(func() error { x.SendAll(make([]V, 777)); return nil })
				}))
			require.EqualValues(t, 777*ranks, got.Load())
		}
	}
}

// Keys in batches mean the same as keys one by one.
func TestKeysEqualKey(t *testing.T) {
	var sum atomic.Uint64
	require.NoError(t, run(t, pebble.Config{Ranks: 3, Cache: 16}, func(r *pebble.Rank) error {
		x := target.New(r, "x", distribution.Hash(3), target.Keys(func(vs, keys []uint64) { copy(keys, vs) }),
			target.Each(func(v uint64) { sum.Add(v) }), target.Reduce(reduce.Duplicates[uint64]()))
		return r.Epoch(func() error {
			for v := range uint64(100) {
				x.Send(v)
			}
			return nil
		})
	}))
	require.EqualValues(t, 3*99*100/2, sum.Load())
}

// Frames leave for the reasons that the counters name.
func TestReasonsOfFrames(t *testing.T) {
	counters := func(c pebble.Config, body func(r *pebble.Rank, x *target.Target[uint64])) (sum pebble.Counters) {
		c.Ranks = 2
		require.NoError(t, run(t, c, func(r *pebble.Rank) error {
			x := target.New(r, "x", distribution.Cyclic(2, 2), target.Key(identity), target.Each(func(uint64) {}))
			if err := r.Epoch(func() error {
				if r.ID() == 0 {
					body(r, x)
				}
				return nil
			}); err != nil {
				return err
			}
			s, err := pebble.AllReduce(r, r.Counters(), pebble.Counters.Add)
			if r.ID() == 0 {
				sum = s
			}
			return err
		}))
		return sum
	}
	c := counters(pebble.Config{Coalesce: 10, Due: -1}, func(_ *pebble.Rank, x *target.Target[uint64]) {
		for range 25 {
			x.Send(1)
		}
	})
	require.Equal(t, []uint64{2, 0, 0, 1}, []uint64{c.FlushFull, c.FlushDue, c.FlushExplicit, c.FlushIdle})
	require.EqualValues(t, 3, c.FramesSent)
	require.EqualValues(t, 3, c.FramesReceived)
	require.EqualValues(t, 25*8, c.BytesSent)
	require.EqualValues(t, 25, c.PebblesHandled)

	c = counters(pebble.Config{Coalesce: 10, Due: -1}, func(_ *pebble.Rank, x *target.Target[uint64]) {
		for range 3 {
			x.Send(1)
			x.Flush()
		}
		x.Flush()
	})
	require.Equal(t, []uint64{0, 0, 3, 0}, []uint64{c.FlushFull, c.FlushDue, c.FlushExplicit, c.FlushIdle})

	c = counters(pebble.Config{Due: 1}, func(r *pebble.Rank, x *target.Target[uint64]) {
		x.Send(1)
		for before := r.Now(); r.Counters().FlushDue == 0 && r.Now()-before < 1e10; {
			r.Poll()
		}
	})
	require.Equal(t, []uint64{0, 1, 0, 0}, []uint64{c.FlushFull, c.FlushDue, c.FlushExplicit, c.FlushIdle})
}

// In steady state a pebble costs no allocation: many times the pebbles, no more allocations than noise and the frames
// that the budget lets be in flight.
func TestNoAllocationPerPebble(t *testing.T) {
	const few, many = 20_000, 200_000
	for _, topology := range []route.Constructor{route.Direct, route.Hypercube} {
		for _, one := range []bool{false, true} {
			name := fmt.Sprint(topology(4).Name(), ", one by one ", one)
			allocs := testing.AllocsPerRun(1, func() { sendMany(t, topology, one, few) })
			more := testing.AllocsPerRun(1, func() { sendMany(t, topology, one, many) })
			require.Less(t, more-allocs, 2000.0, "%s: %d more pebbles", name, 4*(many-few))
		}
	}
}

func sendMany(t *testing.T, topology route.Constructor, one bool, n int) {
	require.NoError(t, run(t, pebble.Config{Ranks: 4, Topology: topology, BufferBudget: 32 << 10},
		func(r *pebble.Rank) error {
			sum := uint64(0)
			x := target.New(r, "x", distribution.Hash(4), target.Key(identity),
				target.Batch(func(vs []uint64) { sum += uint64(len(vs)) }))
			return r.Epoch(func() error {
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
				return nil
			})
		}))
}
