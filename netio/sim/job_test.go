package sim_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/sim"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
	"github.com/activepebbles/pebbles/target"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// each runs the processes of a simulated job.
func each(t *testing.T, c sim.Config, process func(netio.Transport) error) (*sim.World, error) {
	t.Helper()
	w, err := sim.New(c)
	require.NoError(t, err)
	return w, w.Each(process)
}

// run runs a function as a simulated job.
func run(t *testing.T, c sim.Config, config pebble.Config, f func(*pebble.Rank) error) (*sim.World, error) {
	t.Helper()
	return each(t, c, func(tr netio.Transport) error {
		config := config
		config.Transport = tr
		return pebble.Run(t.Context(), config, f)
	})
}

// sums sends pebbles to all ranks, whose handlers send one more each, and checks the sums.
func sums(pebbles int) func(r *pebble.Rank) error {
	return func(r *pebble.Rank) error {
		p := uint64(r.Size())
		var got uint64
		var to *target.Target[uint64]
		to = target.New(r, "sum", distribution.Block(p, r.Size()), target.Key(func(v uint64) uint64 { return v % p }),
			target.Each(func(v uint64) {
				got++
				if v < 1<<40 {
					to.Send(v*7%p + 1<<50/p*p)
				}
			}))
		err := r.Epoch(func() error {
			for i := range pebbles {
				to.Send(uint64(r.ID()+i) % p)
			}
			return nil
		})
		if err != nil {
			return err
		}
		all, err := pebble.AllReduce(r, got, func(a, b uint64) uint64 { return a + b })
		if want := 2 * p * uint64(pebbles); err == nil && all != want {
			return fmt.Errorf("%d pebbles were handled, not %d", all, want)
		}
		return err
	}
}

func TestJobs(t *testing.T) {
	for _, ranks := range []int{1, 2, 3, 8, 17} {
		for _, processes := range []int{1, 2, 5} {
			for name, topology := range map[string]route.Constructor{"direct": route.Direct, "hypercube": route.Hypercube} {
				if processes > ranks {
					continue
				}
				t.Run(fmt.Sprintf("%d ranks in %d %s", ranks, processes, name), func(t *testing.T) {
					w, err := run(t, sim.Config{Ranks: ranks, Processes: processes}, pebble.Config{Topology: topology, Coalesce: 8}, sums(100))
					require.NoError(t, err)
					require.Positive(t, w.Stats().Seconds)
				})
			}
		}
	}
}

func TestSameSeedSameTrace(t *testing.T) {
	trace := func(seed uint64) string {
		file := filepath.Join(t.TempDir(), "trace")
		config := pebble.Config{Topology: route.Hypercube, Coalesce: 8, Watch: pebble.Watch{Name: "sums", Trace: file}}
		_, err := run(t, sim.Config{Ranks: 13, Processes: 4, Seed: seed}, config, sums(200))
		require.NoError(t, err)
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		return string(text)
	}
	one := trace(1)
	require.Greater(t, len(one), 10_000)
	for range 3 {
		require.True(t, one == trace(1))
	}
	require.False(t, one == trace(2))
}

// A world that this machine has no room for is refused with an error, before there is anything of it.
func TestImpossibleWorldsAreRefused(t *testing.T) {
	_, err := sim.New(sim.Config{Ranks: 1_000_000_000})
	require.ErrorContains(t, err, "sim: 1000000000 simulated ranks need at least 59.6 TiB of memory, and ")
	require.ErrorContains(t, err, "are available: simulate fewer")
}

// Two ranks mark the same link, or the same rank, at the same moment, one down and one up: once the marks have come
// everywhere all ranks see the same, and a pebble arrives.
func TestMarksThatCross(t *testing.T) {
	const ranks = 5
	for name, mark := range map[string]func(r *pebble.Rank, down bool){
		"link": func(r *pebble.Rank, down bool) { r.MarkLink(1, 2, down) },
		"rank": func(r *pebble.Rank, down bool) { r.MarkRank(1, down) },
	} {
		for _, first := range []int{0, 1} { // who marks it down
			for _, processes := range []int{ranks, 3} {
				t.Run(name, func(t *testing.T) {
					var sees [ranks]bool
					got := 0
					c := sim.Config{Ranks: ranks, Processes: processes, TimeLimit: 100 * time.Millisecond}
					_, err := run(t, c, pebble.Config{Topology: route.Dynamic(route.Ring), Coalesce: 1}, func(r *pebble.Rank) error {
						to := target.New(r, "to", distribution.Cyclic(ranks, ranks), target.Key(func(v uint64) uint64 { return v }),
							target.Each(func(uint64) { got++ }))
						if err := r.Barrier(); err != nil {
							return err
						}
						if r.ID() < 2 {
							mark(r, r.ID() == first)
						}
						for range 3 {
							if err := r.Barrier(); err != nil {
								return err
							}
						}
						sees[r.ID()] = r.Links().Down(1, 2) || r.Links().RankDown(1)
						return r.Epoch(func() error {
							if r.ID() == 0 {
								to.Send(2)
							}
							return nil
						})
					})
					require.NoError(t, err)
					require.Equal(t, 1, got)
					for _, down := range sees {
						require.Equal(t, sees[0], down, "ranks see %v", sees)
					}
				})
			}
		}
	}
}
