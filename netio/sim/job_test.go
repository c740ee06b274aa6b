package sim_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/internal/leaks"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/sim"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
	"github.com/activepebbles/pebbles/target"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(leaks.Main(m)) }

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

// mustRun runs a job that ends well. Its ranks check as they go.
func mustRun(t *testing.T, c sim.Config, config pebble.Config, f func(r appstest.Rank)) *sim.World {
	t.Helper()
	w, err := run(t, c, config, appstest.Checked(f))
	require.NoError(t, err)
	return w
}

func key(v uint64) uint64 { return v }

// sums sends pebbles to all ranks, whose handlers send one more each, and checks the sums.
func sums(pebbles int) func(r appstest.Rank) {
	return func(r appstest.Rank) {
		p := uint64(r.Size())
		var got uint64
		var to *target.Target[uint64]
		to = target.New(r.Rank, "sum", distribution.Block(p, r.Size()), target.Key(func(v uint64) uint64 { return v % p }),
			target.Each(func(v uint64) {
				got++
				if v < 1<<40 {
					to.Send(v*7%p + 1<<50/p*p)
				}
			}))
		r.Do(func() {
			for i := range pebbles {
				to.Send(uint64(r.ID()+i) % p)
			}
		})
		r.Equal(2*p*uint64(pebbles), appstest.Reduced(r, got, pebble.Sum), "pebbles that were handled")
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
					c := pebble.Config{Topology: topology, Coalesce: 8}
					w := mustRun(t, sim.Config{Ranks: ranks, Processes: processes}, c, sums(100))
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
		mustRun(t, sim.Config{Ranks: 13, Processes: 4, Seed: seed}, config, sums(200))
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

// TestImpossibleWorldsAreRefused requires an error for a world beyond this machine's memory, before any allocation.
func TestImpossibleWorldsAreRefused(t *testing.T) {
	_, err := sim.New(sim.Config{Ranks: 1_000_000_000})
	require.ErrorContains(t, err, "sim: 1000000000 simulated ranks need at least 59.6 TiB of memory, and ")
	require.ErrorContains(t, err, "are available: simulate fewer")
}

// TestMarksThatCross marks the same link or rank from two ranks at the same moment, one down and one up. When the marks
// have arrived everywhere, all ranks see the same, and a pebble arrives.
func TestMarksThatCross(t *testing.T) {
	const ranks = 5
	for name, mark := range map[string]func(r *pebble.Rank, down bool){
		"link": func(r *pebble.Rank, down bool) { r.MarkLink(1, 2, down) },
		"rank": func(r *pebble.Rank, down bool) { r.MarkRank(1, down) },
	} {
		for _, first := range []int{0, 1} { // rank that marks it down
			for _, processes := range []int{ranks, 3} {
				t.Run(name, func(t *testing.T) {
					var sees [ranks]bool
					got := 0
					c := sim.Config{Ranks: ranks, Processes: processes, TimeLimit: 100 * time.Millisecond}
					mustRun(t, c, pebble.Config{Topology: route.Dynamic(route.Ring), Coalesce: 1}, func(r appstest.Rank) {
						to := target.New(r.Rank, "to", distribution.Cyclic(ranks, ranks), target.Key(key),
							target.Each(func(uint64) { got++ }))
						r.Meet()
						if r.ID() < 2 {
							mark(r.Rank, r.ID() == first)
						}
						for range 3 {
							r.Meet()
						}
						sees[r.ID()] = r.Links().Down(1, 2) || r.Links().RankDown(1)
						r.Do(func() {
							if r.ID() == 0 {
								to.Send(2)
							}
						})
					})
					require.Equal(t, 1, got)
					for _, down := range sees {
						require.Equal(t, sees[0], down, "ranks see %v", sees)
					}
				})
			}
		}
	}
}
