package treadmarks

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/memory"
	"github.com/activepebbles/pebbles/memory/pages"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// small are runs that take some milliseconds.
var small = map[Program]Config{
	Barrier: {Rounds: 5},
	Lock:    {Rounds: 5},
	Page:    {Size: 5, Rounds: 3},
	Diff:    {Size: 5, Rounds: 3},
	Jacobi:  {Size: 29, Rounds: 7},
	TSP:     {Size: 9, Rounds: 3},
}

// runs calls do for the programs that a job of this number of ranks can run, with each way, and with pages in place and
// copied.
func runs(ranks int, do func(name string, p Program, c Config)) {
	for p, c := range small {
		if ranks < p.About().RanksLeast {
			continue
		}
		ways := p.About().Ways
		if ways == nil {
			ways = []Way{ByPages}
		}
		for _, c.Way = range ways {
			for _, c.Copies = range []bool{false, true} {
				c.Seed = 3
				do(fmt.Sprintf("%s by %s, copies %v", p, c.Way, c.Copies), p, c)
			}
		}
	}
}

// Every program gives the right result everywhere.
func TestEverywhere(t *testing.T) {
	for _, ranks := range []int{2, 3} {
		runs(ranks, func(name string, p Program, c Config) {
			t.Run(fmt.Sprintf("%s, %d ranks", name, ranks), func(t *testing.T) {
				for _, s := range []appstest.Shape{
					{Ranks: ranks, Procs: 1, Transport: "mem", New: route.Direct},
					{Ranks: ranks, Procs: 2, Transport: "sim", New: route.Direct},
				} {
					require.NoError(t, s.Run(t, program(t, p, c)), s.Transport)
				}
			})
		})
	}
	runs(1, func(name string, p Program, c Config) {
		t.Run(name, func(t *testing.T) {
			appstest.Everywhere(t, func(t *testing.T, ranks int) (func(r *pebble.Rank) error, func(t *testing.T)) {
				return program(t, p, c), nil
			})
		})
	})
}

// Seven ranks divide unevenly among two or three processes.
func TestUnevenShares(t *testing.T) {
	const ranks = 7
	for procs := 2; procs <= 3; procs++ {
		s := appstest.Shape{Ranks: ranks, Procs: procs, Transport: []string{"shm", "tcp"}[procs%2], New: route.Direct}
		runs(ranks, func(name string, p Program, c Config) {
			t.Run(fmt.Sprintf("%s, %d processes, %s", name, procs, s.Transport), func(t *testing.T) {
				require.NoError(t, s.Run(t, program(t, p, c)))
			})
		})
	}
}

func program(t *testing.T, p Program, c Config) func(r *pebble.Rank) error {
	return func(r *pebble.Rank) error {
		result := appstest.Must(Run(r, p, c))
		require.Zero(t, result.Errors, result.Wrong)
		require.NotZero(t, result.Rows())
		if p == Jacobi && c.Way == ByPages && c.Copies && r.Size() > 1 {
			require.NotZero(t, result.PagesFetched)
			require.NotZero(t, result.Twins)
			require.NotZero(t, result.DiffBytes)
		}
		return nil
	}
}

// Results are right with pages of all sizes, and with Checked.
func TestPageSizes(t *testing.T) {
	s := appstest.Shape{Ranks: 3, Procs: 3, Transport: "tcp", New: route.Direct}
	for _, bytes := range []int{64, 4096, 65536} {
		for _, checked := range []bool{false, true} {
			for _, p := range []Program{Diff, Jacobi, TSP} {
				c := small[p]
				c.PageBytes, c.Checked = bytes, checked
				require.NoError(t, s.Run(t, program(t, p, c)), "%s, %d bytes", p, bytes)
			}
		}
	}
}

// The shortest tours are those of the algorithm of Held and Karp.
func TestTSP(t *testing.T) {
	for _, n := range []int{4, 5, 9, 12, 16} {
		c := Config{Size: n, Rounds: 3, Common: apps.Common{Seed: uint64(n)}}
		if n == 16 {
			c.Rounds = 1
		}
		for round, length := range SerialTSP(c) {
			require.Equal(t, heldKarp(newCities(c.seedOf(round), n)), length)
		}
	}
}

// heldKarp returns the length of the shortest tour, by dynamic programming: it keeps the shortest path from city 0
// through each set of cities to each of them.
func heldKarp(c *cities) int {
	n := c.n - 1 // without city 0
	shortest := make([]int32, n<<n)
	for set := 1; set < 1<<n; set++ {
		for last := range n {
			if set>>last&1 == 0 {
				continue
			}
			best, before := int32(math.MaxInt32), set&^(1<<last)
			if before == 0 {
				best = c.distance[0][last+1]
			}
			for city := range n {
				if before>>city&1 != 0 {
					best = min(best, shortest[before*n+city]+c.distance[city+1][last+1])
				}
			}
			shortest[set*n+last] = best
		}
	}
	best := int32(math.MaxInt32)
	for last := range n {
		best = min(best, shortest[(1<<n-1)*n+last]+c.distance[last+1][0])
	}
	return int(best)
}

// The grid of the serial twin equals that of the simplest loops.
func TestGrids(t *testing.T) {
	c := Config{Size: 12, Rounds: 5, Common: apps.Common{Seed: 4}}
	n := c.Size + 2
	grid := make([]float64, n*n)
	c.fillGrid(grid, 0)
	for range c.Rounds {
		next := slices.Clone(grid)
		for i := 1; i < n-1; i++ {
			for j := 1; j < n-1; j++ {
				next[i*n+j] = 0.25 * ((grid[(i-1)*n+j] + grid[(i+1)*n+j]) + (grid[i*n+j-1] + grid[i*n+j+1]))
			}
		}
		grid = next
	}
	require.Equal(t, grid, SerialJacobi(c))
}

func TestCheck(t *testing.T) {
	for p := range programs {
		require.NoError(t, p.Check(Config{}, 2))
	}
	for want, bad := range map[string]struct {
		p Program
		c Config
	}{
		`unknown program "nosuch"`:  {"nosuch", Config{}},
		"barrier has no size":       {Barrier, Config{Size: 1}},
		"a size of 1: give 2":       {Jacobi, Config{Size: 1}},
		"a size of 16385":           {Jacobi, Config{Size: 16385}},
		"a size of 25: give 4":      {TSP, Config{Size: 25}},
		"-1 rounds":                 {Diff, Config{Rounds: -1}},
		"pages of 100 bytes":        {Diff, Config{PageBytes: 100}},
		"pages of 2097152 bytes":    {Diff, Config{PageBytes: 2 << 20}},
		"no way but pages":          {Diff, Config{Way: ByArray}},
		"that a busy rank could":    {Diff, Config{Busy: time.Millisecond}},
		"-1ns of computing":         {Lock, Config{Busy: -1}},
		`the way "nosuch": give on`: {Jacobi, Config{Way: "nosuch"}},
	} {
		require.ErrorContains(t, bad.p.Check(bad.c, 2), want)
	}
	require.ErrorContains(t, Lock.Check(Config{}, 1), "give at least 2")
	require.NoError(t, Barrier.Check(Config{}, 1))
}

// The verifiers count errors of the kernels: one change of the data on the last of three ranks, after the kernel.
func TestVerifiersNotice(t *testing.T) {
	for p, harm := range map[Program]func(main part){
		Barrier: func(main part) { main.(*barriers).want(1, 2) },
		Lock:    func(main part) { main.(*locks).taken++ },
		Page:    func(main part) { main.(*faults).want(1, 2) },
		Diff:    func(main part) { main.(*diffs).want(1, 2) },
		Jacobi: func(main part) {
			j := main.(*jacobi)
			j.halos.(*pageHalos).grids[j.config.Rounds%2].Write(j.own())[40] += 1e-12
		},
		TSP: func(main part) { main.(*tsp).wrong++ },
	} {
		for _, harmed := range []bool{false, true} {
			s := appstest.Mem(3)
			require.NoError(t, s.Run(t, func(r *pebble.Rank) error {
				c := p.withDefaults(small[p])
				result := Result{}
				u := &run{rank: r, config: c, memory: memory.New(r), result: &result}
				u.space = pages.New(u.memory, pages.Config{})
				main := programs[p].make(u)
				require.NoError(t, main.load())
				require.NoError(t, u.space.Barrier())
				require.NoError(t, main.kernel())
				if harmed && r.ID() == 2 {
					harm(main)
				}
				require.NoError(t, main.judge())
				if harmed {
					require.EqualValues(t, 1, result.Errors, "%s: %v", p, result.Wrong)
				} else {
					require.Zero(t, result.Errors, "%s: %v", p, result.Wrong)
				}
				return nil
			}), p)
		}
	}
}

// A tour that leaves a city out, or has a wrong length, is invalid.
func TestWhole(t *testing.T) {
	c := newCities(3, 9)
	best := c.first()
	require.True(t, whole(c, best))
	longer := best
	longer.Length++
	require.False(t, whole(c, longer))
	twice := best
	twice.Path[3] = twice.Path[4]
	require.False(t, whole(c, c.measured(twice)))
	// The comparison with the serial twin finds a length that is not the shortest.
	s := appstest.Mem(2)
	require.NoError(t, s.Run(t, func(r *pebble.Rank) error {
		u := &run{rank: r, config: TSP.withDefaults(Config{Size: 6, Rounds: 1}), result: &Result{}}
		main := &tsp{run: u, lengths: []int{1}}
		err := main.judge()
		require.EqualValues(t, 1, u.result.Errors)
		return err
	}))
}
