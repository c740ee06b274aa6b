package task_test

import (
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/internal/seeds"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/sim"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
	"github.com/activepebbles/pebbles/task"
)

// growTrees makes each rank grow trees. Each is a group whose tasks spawn others in all ways, and wait for them. got
// counts nodes by tree; each tree must be complete after the wait for it.
func growTrees(r *pebble.Rank, seed uint64, trees int, got []atomic.Int64) error {
	s := task.New(r, task.Workers(20))
	owner := distribution.Cyclic(1000, r.Size())
	var grow *task.GroupKind[node]
	visit := func(g *task.Group, n node) {
		got[n.Tree].Add(1)
		random := rand.New(rand.NewPCG(n.State, seed))
		n.children(func(c node) {
			switch random.IntN(5) {
			case 0:
				g.Go(func() { grow.Spawn(g, c) })
			case 1:
				grow.SpawnOn(g, random.IntN(r.Size()), c)
			case 2:
				grow.SpawnAt(g, owner, random.Uint64N(1000), c)
			default:
				grow.Spawn(g, c)
			}
			if random.IntN(4) == 0 {
				s.Yield()
			}
		})
	}
	grow = task.NewGroupKind(s, "grow", visit)
	var wrong error
	err := s.Run(func() {
		for i := range trees {
			s.Go(func() {
				root := treeRoot(seed, r.ID()*trees+i)
				g := s.NewGroup()
				for range 2 { // a group that has ended can be used again
					before := got[root.Tree].Load()
					grow.SpawnOn(g, i%r.Size(), root)
					g.Wait()
					if n := got[root.Tree].Load() - before; n != root.size() {
						wrong = fmt.Errorf("the wait for tree %d was over with %d nodes, of %d",
							root.Tree, n, root.size())
					}
				}
			})
		}
	})
	if err == nil {
		err = wrong
	}
	return err
}

func treeRoot(seed uint64, tree int) node {
	return node{State: seed + uint64(tree), Tree: uint32(tree)}
}

// A wait for a tree of tasks over all ranks lasts until the last task has ended, with groups that are reused.
func TestGroupsOverRanks(t *testing.T) {
	const trees = 3
	seed := seeds.Of(t)
	appstest.Everywhere(t, func(_ *testing.T, ranks int) (func(r *pebble.Rank) error, func(t *testing.T)) {
		got := make([]atomic.Int64, ranks*trees)
		return func(r *pebble.Rank) error { return growTrees(r, seed, trees, got) }, func(t *testing.T) {
			for tree := range got {
				require.Equal(t, 2*treeRoot(seed, tree).size(), got[tree].Load())
			}
		}
	})
}

// The same if frames are delayed and overtake each other.
func TestGroupsInWorlds(t *testing.T) {
	const ranks, trees = 5, 2
	first := seeds.Of(t)
	for seed := first; seed < first+20; seed++ {
		got := make([]atomic.Int64, ranks*trees)
		c := sim.Config{Ranks: ranks, Seed: seed, Faults: sim.Faults{Delay: 0.5, DelayMost: 50_000}}
		require.NoError(t, simulate(t, c, pebble.Config{Coalesce: 1 + int(seed%3)}, func(r *pebble.Rank) error {
			return growTrees(r, seed, trees, got)
		}), "seed %d", seed)
	}
}

// A lost process ends the wait for a group, with an error that names it.
func TestGroupsOfLostProcesses(t *testing.T) {
	c := sim.Config{Ranks: 3, Seed: 1, Faults: sim.Faults{Deaths: []sim.Death{{Process: 2, At: 50 * time.Microsecond}}}}
	err := simulate(t, c, pebble.Config{}, func(r *pebble.Rank) error {
		s := task.New(r)
		work := task.NewGroupKind(s, "work", func(*task.Group, uint32) {
			for range 1000 {
				r.Compute(time.Microsecond)
				s.Yield()
			}
		})
		return s.Run(func() {
			if g := s.NewGroup(); r.ID() == 0 {
				work.SpawnOn(g, 2, 0)
				g.Wait()
			}
		})
	})
	var lost *netio.LostError
	require.ErrorAs(t, err, &lost)
	require.Equal(t, 2, lost.Process)
}

// Forbidden calls of a group's task are reported, and arguments may have a codec.
func TestGroupKindsAreCheckedInWords(t *testing.T) {
	type kind = *task.GroupKind[string]
	for words, misuse := range map[string]func(s *task.Scheduler, k kind, g *task.Group){
		"the rank that has made a group waits for it": func(_ *task.Scheduler, _ kind, g *task.Group) { g.Wait() },
		"spawn before the task ends that was given the group": func(s *task.Scheduler, k kind, g *task.Group) {
			s.Go(func() { k.Spawn(g, "late") })
		},
	} {
		err := run(t, pebble.Config{Ranks: 2}, func(r *pebble.Rank) error {
			s := task.New(r)
			var k kind
			k = task.NewGroupKind(s, "work", func(g *task.Group, _ string) { misuse(s, k, g) },
				target.Coded(pebble.Strings{}))
			return s.Run(func() {
				if g := s.NewGroup(); r.ID() == 0 {
					k.SpawnOn(g, 1, "a text")
					g.Wait()
				}
			})
		})
		require.ErrorContains(t, err, words)
	}
}
