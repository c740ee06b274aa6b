package bfs

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/apps/distgraph"
	"github.com/activepebbles/pebbles/apps/graph"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/task"
)

// The report has what the command promises, in JSON and as text.
func TestReport(t *testing.T) {
	var progress []uint64
	config := Config{Source: distgraph.Source{Generator: appstest.Kronecker(t, 6)}, RootCount: 4, Seed: 9, Progress: func(done, total uint64) {
		require.Equal(t, uint64(4), total)
		progress = append(progress, done)
	}}
	results, err := run(t, pebble.Config{Ranks: 3}, config)
	require.NoError(t, err)
	require.Equal(t, []uint64{1, 2, 3, 4}, progress)
	packed, err := json.Marshal(results[0])
	require.NoError(t, err)
	var fields map[string]any
	require.NoError(t, json.Unmarshal(packed, &fields))
	for _, name := range []string{"roots", "reached", "depths", "distance_sums", "teps"} {
		require.Len(t, fields[name], 4, name)
	}
	require.Equal(t, "bfs", fields["app"])
	require.Equal(t, "level", fields["mode"])
	require.Equal(t, "Kronecker scale 6, edge factor 16, seed 1", fields["graph"])
	require.Equal(t, true, fields["undirected"])
	require.Equal(t, true, fields["validated"])
	require.Equal(t, 64.0, fields["vertices"])
	require.Equal(t, 1024.0, fields["edges"])
	require.Equal(t, 0.0, fields["errors"])
	require.Equal(t, 9.0, fields["seed"])
	require.Positive(t, fields["harmonic_mean_teps"])
	require.Positive(t, fields["seconds"])
	require.InEpsilon(t, 4*1024/results[0].Seconds, fields["harmonic_mean_all_edges_per_second"], 1e-9)
	counters := results[0].Counters
	require.Equal(t, counters.PebblesSent, counters.PebblesHandled)
	depths := uint64(4)
	for _, d := range results[0].Depths {
		depths += uint64(d)
	}
	require.Equal(t, depths, counters.Epochs, "one epoch a level, validation left out")

	table := ""
	for _, row := range results[0].Rows() {
		table += row[0] + ": " + row[1] + "\n"
	}
	require.Contains(t, table, "edges: 1024, undirected\n")
	require.Contains(t, table, "all edges a second: ")
	require.Contains(t, table, "order of vertices: as given\n")
	require.Contains(t, table, "trees: valid\n")

	config.SkipValidation, config.Progress = true, nil
	results, err = run(t, pebble.Config{Ranks: 3}, config)
	require.NoError(t, err)
	require.False(t, results[2].Validated)
	require.Contains(t, results[2].Rows(), [2]string{"trees", "not checked"})
	wrong := Result{Report: distgraph.Report{Validated: true}}
	wrong.Errors, wrong.Breaches = 2, []string{"rule 1: it hurts"}
	require.Contains(t, wrong.Rows(), [2]string{"trees", "WRONG: 2 breaches of the Graph500 rules"})
	require.Contains(t, wrong.Rows(), [2]string{"", "rule 1: it hurts"})
}

// spoiled is a kernel that gets one vertex wrong.
type spoiled struct{ byLevel[uint32] }

func (s spoiled) From(root uint64) error {
	err := s.byLevel.From(root)
	if s.g.Owns(5) {
		s.level[5-s.first]++
	}
	return err
}

// A wrong tree is counted and described in the report.
func TestWrongTree(t *testing.T) {
	require.NoError(t, appstest.Job(t, pebble.Config{Ranks: 3}, func(r *pebble.Rank) error {
		g, err := distgraph.Build(r, distgraph.Source{Generator: appstest.List{N: 7, Edges: ring}.Generator()})
		if err != nil {
			return err
		}
		search, err := NewSearch(g, ByLevel, Tuning{})
		if err != nil {
			return err
		}
		s := spoiled{search.(byLevel[uint32])}
		res := Result{Report: distgraph.Report{Validated: true}}
		errors, err := res.Each(g, distgraph.Source{}, []uint64{0}, s, "searches", describe, func(float64) error { return nil })
		if err != nil {
			return err
		}
		if err := res.Found(r, errors, "breaches"); err != nil {
			return err
		}
		if err := res.Finish(r, s.Tally()); err != nil {
			return err
		}
		require.Equal(t, []string{"3 breaches"}, res.Wrong)
		require.Equal(t, uint64(3), res.Errors)
		if r.ID() == 0 {
			require.ElementsMatch(t, []string{
				"rule 2: vertex 5 at level 2 has parent 0 at level 0, not one less",
				"rule 2: vertex 4 at level 2 has parent 5 at level 2, not one less",
				"rule 3: edge 0 -> 5 leads from level 0 to level 2, more than one below",
			}, res.Breaches)
		}
		return nil
	}))
}

// pebblesOf counts the pebbles that searches of a Kronecker graph send, and those that reductions catch.
func pebblesOf(tb testing.TB, cache int, config Config) (sent, merged uint64) {
	tb.Helper()
	config.Source, config.RootCount, config.SkipValidation = distgraph.Source{Generator: appstest.Kronecker(tb, 10)}, 4, true
	results, err := run(tb, pebble.Config{Ranks: 4, Cache: cache}, config)
	require.NoError(tb, err)
	return results[0].Counters.PebblesSent, results[0].Counters.Merged
}

// Both kernels reduce, and the level mode's filter leaves little to reduce.
func TestReductions(t *testing.T) {
	filtered, _ := pebblesOf(t, 0, Config{})
	unfiltered, none := pebblesOf(t, 0, Config{Unfiltered: true})
	require.Zero(t, none)
	require.Less(t, 4*filtered, unfiltered)
	_, merged := pebblesOf(t, 4096, Config{Unfiltered: true})
	require.Greater(t, 2*merged, unfiltered)
	sent, merged := pebblesOf(t, 4096, Config{Mode: Async, Unfiltered: true})
	require.Greater(t, 2*merged, sent)
	few, _ := pebblesOf(t, 0, Config{Mode: Async})
	require.Less(t, 4*few, sent)
	fewer, _ := pebblesOf(t, 0, Config{Mode: Direction})
	require.Less(t, 2*fewer, filtered, "bitmaps are a few pebbles")
}

// Several graphs and searches may live in one job.
func TestManyInOneJob(t *testing.T) {
	require.NoError(t, appstest.Job(t, pebble.Config{Ranks: 2}, func(r *pebble.Rank) error {
		tasks := task.New(r)
		for range 2 {
			g, err := distgraph.Build(r, distgraph.Source{Generator: appstest.List{N: 7, Edges: ring}.Generator()})
			if err != nil {
				return err
			}
			for i := range 2 * len(Modes) {
				s, err := NewSearch(g, Modes[i/2], Tuning{Unfiltered: i%2 == 0, Tasks: tasks})
				if err != nil {
					return err
				}
				if err := s.From(3); err != nil {
					return err
				}
				got, err := s.Summary()
				if err != nil {
					return err
				}
				require.Equal(t, Summary{graph.Summary{Reached: 6, Depth: 3, Sum: 9}, 6}, got)
			}
		}
		return nil
	}))
}
