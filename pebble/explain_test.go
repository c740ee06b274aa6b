package pebble_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"runtime"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/reduce"
	"github.com/activepebbles/pebbles/route"
	"github.com/activepebbles/pebbles/target"
)

// explained returns the explanation of an epoch with these targets.
func explained(t testing.TB, c pebble.Config, register func(r *pebble.Rank),
	options ...pebble.EpochOption) (e pebble.Explanation) {
	t.Helper()
	told := 0
	c.Explain = func(x pebble.Explanation) { e = x; told++ }
	job(t, c, func(r *pebble.Rank) error {
		register(r)
		r.ExplainNext()
		err := r.Epoch(func() error { panic("an explained epoch was run") }, options...)
		if !errors.Is(err, pebble.ErrExplained) {
			return fmt.Errorf("explained: %w", err)
		}
		return nil
	})
	require.Equal(t, 1, told, "on rank 0 alone")
	return e
}

var parts = regexp.MustCompile(`(?m)^  [+ ] +(\d+)  (?:[a-z ]+?)(?:  +(\d+) x(?: (\d+) credits? x)? (\d+))?$`)

// The memory of a rank is the sum of the printed lines, and each line is the product beside it.
func TestExplanationAddsUp(t *testing.T) {
	for _, topology := range []route.Constructor{route.Direct, route.Hypercube, route.Ring, route.Tree,
		route.MeshOf(2), route.Dynamic(route.Direct)} {
		for _, ranks := range []int{1, 2, 5, 8} {
			for _, credits := range []int{0, 1, 3} {
				e := explained(t, pebble.Config{Ranks: ranks, Topology: topology, Credits: credits},
					func(r *pebble.Rank) {
						byRank(r, "one", ignore)
						byRank(r, "other", ignore, target.Coalesce(33), target.Route(route.Direct),
							target.Reduce(reduce.First[uint64]()), target.Cache(64))
					})
				text := e.String()
				lines := parts.FindAllStringSubmatch(text, -1)
				require.Len(t, lines, 8, text)
				sum := int64(0)
				for _, line := range lines {
					n := number(t, line[1])
					sum += n
					if line[4] != "" {
						require.Equal(t, n, number(t, line[2])*number(t, line[3])*number(t, line[4]), line[0])
					}
				}
				require.Equal(t, sum, e.Bytes)
				require.Contains(t, text, fmt.Sprintf("memory of a rank: %d bytes of full frames", sum))
				require.Equal(t, ranks-1, e.Targets[1].Neighbors)
				require.Equal(t, netio.FrameCost(33*8), e.Targets[1].Frame)
				require.Positive(t, e.Targets[1].Cache)
				require.NotRegexp(t, `\b1 (ranks|processes|hops|messages|buffers|neighbours|credits)\b`, text)

				encoded, err := json.Marshal(e)
				require.NoError(t, err)
				var back pebble.Explanation
				require.NoError(t, json.Unmarshal(encoded, &back))
				require.Equal(t, e, back)
			}
		}
	}
}

// number reads a factor; a missing one is 1.
func number(t testing.TB, text string) int64 {
	t.Helper()
	if text == "" {
		return 1
	}
	n, err := strconv.ParseInt(text, 10, 64)
	require.NoError(t, err)
	return n
}

// A routed topology needs few buffers: that is its purpose (Active Pebbles, section 3.3). The mean of hops covers all
// pairs of ranks, not only those with rank 0.
func TestExplanationOfManyRanks(t *testing.T) {
	for _, c := range []struct {
		topology               route.Constructor
		ranks, neighbors, hops int
	}{
		{route.Direct, 1024, 1023, 1}, {route.Hypercube, 1024, 10, 10},
		{route.Mesh(32, 32), 1024, 62, 2}, {route.Mesh(8, 16, 8), 1024, 7 + 15 + 7, 3},
		{route.Tree, 64, 6, 11}, {route.Ring, 64, 2, 32}, {route.TwoStage, 64, 63, 1},
	} {
		e := explained(t, pebble.Config{Ranks: c.ranks, Topology: c.topology, Due: -1}, func(r *pebble.Rank) {
			byRank(r, "update", ignore)
		})
		p := e.Targets[0]
		require.Equal(t, c.neighbors, p.Neighbors, p.Topology)
		require.Equal(t, c.neighbors, p.Buffers)
		require.Equal(t, c.hops, p.Hops, p.Topology)
		require.EqualValues(t, int64(c.neighbors)*int64(2+p.Credits)*p.Frame, e.Bytes)
		require.LessOrEqual(t, p.MeanHops, float64(c.hops))
		if c.ranks > 64 {
			continue // the mean covers some routes only
		}
		checked, err := route.Check(c.topology(c.ranks))
		require.NoError(t, err)
		require.InDelta(t, checked.MeanHops, p.MeanHops, 1e-9, checked)
		require.False(t, p.Sampled)
	}
}

// Rank 0 alone explains a job of a million ranks, from the routes to some ranks, with little memory.
func TestExplanationOfAMillionRanks(t *testing.T) {
	const ranks = 1 << 20
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	registered, most := 0, 0
	e := explained(t, pebble.Config{Ranks: ranks, Topology: route.Hypercube}, func(r *pebble.Rank) {
		registered++
		byRank(r, "update", ignore)
		all, err := pebble.AllGather(r, r.ID()+7)
		require.NoError(t, err)
		require.Len(t, all, ranks)
		most, err = pebble.AllReduce(r, all[ranks-1], pebble.Max)
		require.NoError(t, err)
		lines, err := pebble.AllGatherSlice(r, []byte("x"))
		require.NoError(t, err)
		require.Len(t, lines, ranks)
		require.NoError(t, r.Barrier())
	})
	runtime.ReadMemStats(&after)
	require.Equal(t, []int{1, 7}, []int{registered, most})
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(200<<20))
	p := e.Targets[0]
	require.Equal(t, []any{ranks, 20, 20, true}, []any{e.Ranks, p.Neighbors, p.Hops, p.Sampled})
	require.InDelta(t, 10, p.MeanHops, 0.001)
	require.Contains(t, e.String(), "10.00 in the mean of the routes to some ranks")
}

// Calls that rank 0 alone can't explain are reported, and no epoch runs.
func TestExplanationsOfManyRanksRunNoEpochs(t *testing.T) {
	c := pebble.Config{Ranks: 1 << 14, Topology: route.Hypercube, ExplainMarked: true,
		Explain: func(pebble.Explanation) {}}
	err := run(t, c, func(r *pebble.Rank) error {
		hit := byRank(r, "hit", ignore)
		return epoch(r, func() { hit.Send(1) })
	})
	require.ErrorContains(t, err, "explain the job with fewer ranks")
	err = run(t, c, func(r *pebble.Rank) error {
		byRank(r, "hit", ignore, target.Route(route.Direct))
		return nil
	})
	require.ErrorContains(t, err, "use a topology with fewer neighbours")
}

// allowance is the memory that a rank may hold beyond its explanation, in a job of a few ranks whose pebbles have 8
// bytes: a few frames of collectives and of termination detection; on each link one more frame that waits for credit,
// when both the main function and a hop have filled one; and, for each frame on a link, the two smaller ones that it
// has grown from, kept for the next send.
func allowance(p pebble.TargetPlan) int64 {
	control := 16 * netio.FrameCost(64)
	smaller := netio.FrameCost(24*8) + netio.FrameCost(8*24*8)
	return control + int64(p.Neighbors)*(p.Frame+int64(p.Credits+2)*smaller)
}

// The memory of a rank stays within its explanation, however slow its receivers are.
func TestMemoryStaysWithinExplanation(t *testing.T) {
	const ranks, rounds = 8, 100
	for _, topology := range []route.Constructor{route.Direct, route.Hypercube, route.MeshOf(2)} {
		for _, credits := range []int{1, 8} {
			var e pebble.Explanation
			c := pebble.Config{Ranks: ranks, Topology: topology, Credits: credits, BufferBudget: 1 << 30,
				Due:     -1, // buffers fill on any machine
				Explain: func(x pebble.Explanation) { e = x }}
			var peaks [ranks]int64
			var counters [ranks]pebble.Counters
			job(t, c, func(r *pebble.Rank) error {
				update := byRank(r, "update", ignore)
				r.ExplainNext()
				if err := idle(r); !errors.Is(err, pebble.ErrExplained) {
					return fmt.Errorf("explained: %w", err)
				}
				err := epoch(r, func() { // runs, after the explained one
					vs := make([]uint64, 1000)
					for round := range rounds {
						for i := range vs {
							vs[i] = uint64(round + i*7 + r.ID())
						}
						update.SendAll(vs)
					}
				}, pebble.Depth(1))
				peaks[r.ID()], counters[r.ID()] = r.Memory().Peak, r.Counters()
				return err
			})
			require.EqualValues(t, credits, e.Targets[0].Credits)
			var all pebble.Counters
			for id := range ranks {
				require.LessOrEqual(t, peaks[id], e.Bytes+allowance(e.Targets[0]), "rank %d", id)
				require.Greater(t, peaks[id], e.Targets[0].Frame, "rank %d has filled buffers", id)
				all = all.Add(counters[id])
			}
			require.EqualValues(t, ranks*rounds*1000, all.PebblesHandled, "each pebble was handled")
			require.Greater(t, all.FlushFull, uint64(ranks), "full frames")
		}
	}
}

// An explained epoch ends like any other: a program that returns its error ends the job with it, and nothing is left
// behind.
func TestExplainedJobEnds(t *testing.T) {
	told := 0
	c := pebble.Config{Ranks: 3, Explain: func(pebble.Explanation) { told++ }}
	err := run(t, c, func(r *pebble.Rank) error {
		byRank(r, "update", ignore)
		r.ExplainNext()
		return r.Epoch(func() error { return errors.New("an explained epoch was run") })
	})
	require.ErrorIs(t, err, pebble.ErrExplained)
	require.Equal(t, 1, told)
	goleak.VerifyNone(t)

	// Without a mark the first epoch is explained, and a job without it fails.
	err = run(t, c, func(r *pebble.Rank) error {
		byRank(r, "update", func(uint64) {})
		return r.Epoch(func() error { return errors.New("an explained epoch was run") })
	})
	require.ErrorIs(t, err, pebble.ErrExplained)
	require.Equal(t, 2, told)
	marked := c
	marked.ExplainMarked = true
	for _, c := range []pebble.Config{c, marked} {
		err = run(t, c, func(r *pebble.Rank) error {
			if c.ExplainMarked {
				return r.Epoch(func() error { return nil }) // prepares
			}
			return r.Barrier()
		})
		require.ErrorContains(t, err, "pebble: explain: the program began no epoch that could be explained")
	}

	c.Explain = nil // nothing is explained, and the epoch runs
	ran := make([]bool, c.Ranks)
	job(t, c, func(r *pebble.Rank) error {
		r.ExplainNext()
		return epoch(r, func() { ran[r.ID()] = true })
	})
	require.Equal(t, []bool{true, true, true}, ran)
	goleak.VerifyNone(t)
}

// The first epoch of a team is explained under the team's name, with its ranks.
func TestExplanationOfATeam(t *testing.T) {
	var e pebble.Explanation
	err := run(t, pebble.Config{Ranks: 5, Topology: route.Hypercube, Explain: func(x pebble.Explanation) { e = x }},
		func(r *pebble.Rank) error {
			team, err := r.Split(min(1, r.ID())-1, 0, "solver")
			if err != nil || !team.Member() {
				return err
			}
			byRank(team.Rank, "update", ignore)
			return idle(team.Rank)
		})
	require.ErrorIs(t, err, pebble.ErrExplained)
	require.Equal(t, "solver", e.Team)
	require.Equal(t, 4, e.Ranks)
	require.Equal(t, 2, e.Targets[0].Neighbors)
	require.Regexp(t, `^team "solver": 4 ranks in 1 process`, e.String())

	err = run(t, pebble.Config{Ranks: 1 << 20, Explain: func(pebble.Explanation) {}}, func(r *pebble.Rank) error {
		return errorOf(r.Split(0, 0))
	})
	require.ErrorContains(t, err, "Split: with this many ranks only rank 0 runs to explain an epoch")
}
