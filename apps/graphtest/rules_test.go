package graphtest

import (
	"fmt"
	"math"
	"reflect"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/apps/bfs"
	"github.com/activepebbles/pebbles/apps/centrality"
	"github.com/activepebbles/pebbles/apps/communities"
	"github.com/activepebbles/pebbles/apps/components"
	"github.com/activepebbles/pebbles/apps/distgraph"
	"github.com/activepebbles/pebbles/apps/jaccard"
	"github.com/activepebbles/pebbles/apps/kcore"
	"github.com/activepebbles/pebbles/apps/pagerank"
	"github.com/activepebbles/pebbles/apps/sssp"
	"github.com/activepebbles/pebbles/apps/triangles"
	"github.com/activepebbles/pebbles/pebble"
)

// breach runs a kernel on the graph of a source, on ranks of this process, and changes its result by spoil. It requires
// that the check of all ranks together finds a breach, and reports it.
func breach[K distgraph.Whole](
	t *testing.T, ranks int, source distgraph.Source, prepare func(g *distgraph.Graph) (K, error),
	spoil func(g *distgraph.Graph, k K), rules []string, says string,
) {
	t.Helper()
	var total uint64
	var texts []string
	require.NoError(t, appstest.Job(t, pebble.Config{Ranks: ranks}, func(r *pebble.Rank) error {
		g := appstest.Must(distgraph.Build(r, source))
		k := appstest.Must(prepare(g))
		require.NoError(t, k.Run())
		spoil(g, k)
		found := appstest.Must(k.Validate())
		said := appstest.Must(g.Describe(found, rules))
		sum, err := apps.Sum(r, found.Count)
		if r.ID() == 0 {
			total, texts = sum, said
		}
		return err
	}))
	require.NotZero(t, total)
	require.Contains(t, fmt.Sprint(texts), says)
}

// inside returns a private field of a kernel, for tests that spoil it.
func inside[T any](k any, field string) *T {
	v := reflect.Indirect(reflect.ValueOf(k)).FieldByName(field)
	if want := reflect.TypeFor[T](); v.Type() != want {
		panic(fmt.Sprintf("%s is a %s, not a %s", field, v.Type(), want))
	}
	return (*T)(unsafe.Pointer(v.UnsafeAddr()))
}

// Changed labels in two parts, 0 to 2 and 3 to 5.
func TestWrongLabels(t *testing.T) {
	l := appstest.List{N: 6, Edges: edges(0, 1, 1, 2, 3, 4, 4, 5)}
	for says, labels := range map[string][]uint32{
		"rule 1: vertex 0 has the label 1":                                            {1, 1, 1, 3, 3, 3},
		"rule 2: vertex 1 has the label 0, and one that it has an arc with the label": {0, 0, 2, 3, 3, 3},
		"rule 3: vertex 5 has the label 0, and no path leads there":                   {0, 0, 0, 0, 0, 0},
	} {
		for _, ranks := range []int{1, 3} {
			source := distgraph.Source{Generator: l.Generator()}
			breach(t, ranks, source, func(g *distgraph.Graph) (components.Kernel, error) {
				return components.NewKernel(g, components.Propagate)
			}, func(g *distgraph.Graph, k components.Kernel) {
				ghosts := *inside[*distgraph.Ghosts[uint32, uint32]](k, "ghosts")
				copy(ghosts.Values[:g.Local], labels[g.First:])
			}, components.Rules, says)
		}
	}
}

// Changed core numbers, counts of triangles and of common neighbours, and scores, also in an ordered graph.
func TestWrongNumbers(t *testing.T) {
	tail := appstest.List{N: 4, Edges: edges(0, 1, 1, 2, 2, 0, 2, 3)}
	apart := appstest.List{N: 5, Edges: edges(0, 1, 1, 2, 2, 0, 3, 4)}
	for _, ranks := range []int{1, 3} {
		for _, number := range []uint32{1, 3} {
			source := distgraph.Source{Generator: tail.Generator()}
			breach(t, ranks, source, newKCore, func(g *distgraph.Graph, k kcore.Kernel) {
				if g.Owns(2) {
					(*inside[[]uint32](k, "left"))[2-g.First] = number
				}
			}, kcore.Rules, fmt.Sprintf("vertex 2 has the core number %d, and 2 by", number))
		}
		for _, order := range []distgraph.Order{distgraph.AsGiven, distgraph.ByDegree} {
			source := distgraph.Source{Generator: apart.Generator(), Order: order}
			breach(t, ranks, source, newTriangles, func(_ *distgraph.Graph, k triangles.Kernel) {
				for v := range *inside[[]uint64](k, "middles") {
					(*inside[[]uint64](k, "middles"))[v] *= 2
				}
			}, triangles.Rules, "vertex 1 was the middle one of 2 triangles, and is of 1")
			for _, says := range []string{
				"vertex 0 was in 2 triangles, and is in 1", "between neighbours of vertex 0 2 edges were found, and there are 1",
			} {
				breach(t, ranks, source, newClustering, func(g *distgraph.Graph, k triangles.Kernel) {
					spoilCorners(k, g.Local)
				}, triangles.Rules, says)
			}
			for _, was := range []uint32{0, 2} {
				breach(t, ranks, source, newJaccard, func(_ *distgraph.Graph, k jaccard.Kernel) {
					for at := range *inside[[]uint32](k, "common") {
						(*inside[[]uint32](k, "common"))[at] = was
					}
				}, jaccard.Rules, fmt.Sprintf("vertices 0 and 1 had %d neighbours in common, and have 1", was))
			}
		}
	}
}

// A changed label in two cliques of 3, 0 to 2 and 3 to 5, also in a directed graph.
func TestWrongCommunities(t *testing.T) {
	for _, directed := range []bool{false, true} {
		l := appstest.List{N: 6, Directed: directed, Edges: edges(0, 1, 1, 2, 2, 0, 3, 4, 4, 5, 5, 3)}
		for _, ranks := range []int{1, 3} {
			breach(t, ranks, distgraph.Source{Generator: l.Generator()}, func(g *distgraph.Graph) (communities.Kernel, error) {
				return communities.NewKernel(g, 0, nil)
			}, func(g *distgraph.Graph, k communities.Kernel) {
				if g.Owns(4) {
					(*inside[*distgraph.Ghosts[uint32, uint32]](k, "ghosts")).Values[4-g.First] = 4
				}
			}, communities.Rules, "vertex 4 has the label 4, and 3 by pebbles along its arcs")
		}
	}
}

// spoilCorners doubles a kernel's counts of its first vertices.
func spoilCorners(k triangles.Kernel, vertices int) {
	found := reflect.Indirect(reflect.ValueOf(k)).FieldByName("found")
	for v := range vertices {
		for field := range 2 {
			n := (*uint64)(unsafe.Pointer(found.Index(v).Field(field).UnsafeAddr()))
			*n *= 2
		}
	}
}

func TestWrongScores(t *testing.T) {
	l := appstest.List{N: 6, Edges: edges(0, 1, 0, 2, 1, 3, 2, 3, 3, 4)}
	for says, change := range map[string]func(score *float64){
		"rule 1: vertex 3 has the score NaN":                    func(score *float64) { *score = math.NaN() },
		"rule 1: vertex 3 has the score 0.01, not one from 0.0": func(score *float64) { *score = 0.01 },
		"rule 1: vertex 3 has the score 1.5":                    func(score *float64) { *score = 1.5 },
		"rule 2: one more iteration would change the scores by": func(score *float64) { *score += 1e-6 },
	} {
		for _, ranks := range []int{1, 3} {
			breach(t, ranks, distgraph.Source{Generator: l.Generator()}, func(g *distgraph.Graph) (pagerank.Kernel, error) {
				return pagerank.NewKernel(g, exactly(distgraph.Source{}))
			}, func(g *distgraph.Graph, k pagerank.Kernel) {
				if g.Owns(3) {
					change(&(*inside[[]float64](k, "scores"))[3-g.First])
				}
			}, pagerank.Rules, says)
		}
	}
}

// Each rule of centralities is broken in each possible way. Two shortest paths lead from 0 to 3, and one on to 4; 5 is
// isolated.
func TestWrongCentralities(t *testing.T) {
	diamond := appstest.List{N: 6, Edges: edges(0, 1, 0, 2, 1, 3, 2, 3, 3, 4)}
	paths := func(n float64) func(k any, v uint64) {
		return func(k any, v uint64) { (*inside[[]float64](k, "paths"))[v] = n }
	}
	through := func(n float64) func(k any, v uint64) {
		return func(k any, v uint64) { (*inside[[]float64](k, "through"))[v] = n }
	}
	for name, c := range map[string]struct {
		change func(k any, v uint64) // changes the results for a vertex
		at     uint64
		says   string
	}{
		"paths to the source": {paths(2), 0, "rule 1: the source 0 is at level 0 with 2 paths, not at level 0 with one"},
		"twice": {func(k any, v uint64) { (*inside[[]uint32](k, "queue"))[0] = uint32(v) }, 3,
			"rule 2: vertex 3 is in levels 0 and 2"},
		"too many":    {paths(3), 3, "rule 3: 3 paths lead to vertex 3, and 2 along the arcs from the level before"},
		"none":        {paths(0), 4, "rule 3: 0 paths lead to vertex 4, and 2 along the arcs from the level before"},
		"paths alone": {paths(1), 5, "rule 3: 1 paths lead to vertex 5, which is not reached"},
		"other sum":   {through(2), 3, "rule 4: vertex 3 has 2 from the level that follows, and its arcs bring 0.5"},
		"nearly": {through(0.5 + 1e-6), 3,
			"rule 4: vertex 3 has 0.500001 from the level that follows, and its arcs bring 0.5"},
		"a sum from": {through(1e-300), 4, "rule 4: vertex 4 has 1e-300 from the level that follows, and its arcs bring 0"},
		"not reached": {func(k any, _ uint64) {
			*inside[[]uint32](k, "queue"), (*inside[[]int](k, "levels"))[4] = (*inside[[]uint32](k, "queue"))[:4], 4
		}, 4, "rule 2: arc 3 -> 4 leads from level 2 to a vertex that is not reached"},
		"reached later": {func(k any, _ uint64) { *inside[[]int](k, "levels") = []int{0, 1, 3, 4, 4, 5} }, 4,
			"rule 2: arc 3 -> 4 leads from level 2 to level 4"},
	} {
		t.Run(name, func(t *testing.T) {
			ranks := []int{1, 3}
			if name == "twice" || name == "not reached" || name == "reached later" {
				ranks = []int{1} // their queues hold vertices of all ranks
			}
			for _, n := range ranks {
				breach(t, n, distgraph.Source{Generator: diamond.Generator()}, func(g *distgraph.Graph) (k starts, err error) {
					k.from = []uint64{0}
					k.Kernel, err = centrality.NewKernel(g, centrality.ByLevel, nil)
					return k, err
				}, func(g *distgraph.Graph, k starts) {
					if g.Owns(c.at) {
						c.change(k.Kernel, c.at-g.First)
					}
				}, centrality.Rules, c.says)
			}
		})
	}
}

// mistake returns the error of a run on two ranks.
func mistake[C, R any](t *testing.T, run func(r *pebble.Rank, c C) (R, error), c C) error {
	t.Helper()
	_, err := appstest.Results(t, pebble.Config{Ranks: 2}, run, c)
	return err
}

func TestMistakes(t *testing.T) {
	good := distgraph.Source{Generator: appstest.List{N: 1, Directed: true}.Generator()}
	weighed := good
	weighed.Weights = distgraph.Ones
	for name, of := range map[string]func(source distgraph.Source) error{
		"components": func(s distgraph.Source) error { return mistake(t, components.Run, components.Config{Source: s}) },
		"communities": func(s distgraph.Source) error {
			return mistake(t, communities.Run, communities.Config{Source: s})
		},
		"kcore":      func(s distgraph.Source) error { return mistake(t, kcore.Run, kcore.Config{Source: s}) },
		"triangles":  func(s distgraph.Source) error { return mistake(t, triangles.Run, triangles.Config{Source: s}) },
		"jaccard":    func(s distgraph.Source) error { return mistake(t, jaccard.Run, jaccard.Config{Source: s}) },
		"pagerank":   func(s distgraph.Source) error { return mistake(t, pagerank.Run, pagerank.Config{Source: s}) },
		"centrality": func(s distgraph.Source) error { return mistake(t, centrality.Run, centrality.Config{Source: s}) },
	} {
		require.ErrorContains(t, of(distgraph.Source{}), "no graph: give a file or a generator", name)
		require.ErrorContains(t, of(weighed), name+": arcs count 1 each: leave weights out")
	}
	ofPageRank := func(c pagerank.Config) error { c.Source = good; return mistake(t, pagerank.Run, c) }
	ofCentrality := func(c centrality.Config) error { c.Source = good; return mistake(t, centrality.Run, c) }
	for says, err := range map[string]error{
		`method "guess" is not one of hook, propagate`: mistake(t, components.Run,
			components.Config{Source: good, Method: "guess"}),
		"damping is 1: give a number above 0 and below 1":   ofPageRank(pagerank.Config{Damping: 1}),
		"damping is NaN: give a number above 0 and below 1": ofPageRank(pagerank.Config{Damping: math.NaN()}),
		"tolerance is -1: give a number above 0":            ofPageRank(pagerank.Config{Tolerance: -1}),
		`dangling "keep" is not one of lose, spread, self`:  ofPageRank(pagerank.Config{Dangling: "keep"}),
		"-1 iterations: give a positive number":             ofPageRank(pagerank.Config{Iterations: -1}),
		"-2 iterations: give a positive number": mistake(t, communities.Run,
			communities.Config{Source: good, Iterations: -2}),
		`mode "dfs" is not one of level, tasks`: ofCentrality(centrality.Config{Mode: "dfs"}),
		"-1 sources: give a positive number":    ofCentrality(centrality.Config{SourceCount: -1}),
		"both sources and a number of sources to draw": ofCentrality(
			centrality.Config{SourceCount: 1, Sources: distgraph.IDs(0)}),
		"root 4: graph list of 0 edges has 1 vertices with ids": ofCentrality(centrality.Config{Sources: distgraph.IDs(4)}),
		"sssp: paths need weights":                              mistake(t, sssp.Run, sssp.Config{}),
		"no graph: give a file or a generator":                  mistake(t, bfs.Run, bfs.Config{}),
	} {
		require.ErrorContains(t, err, says)
	}
	for says, threshold := range map[string]float64{"-1": -1, "1.5": 1.5, "NaN": math.NaN()} {
		err := mistake(t, jaccard.Run, jaccard.Config{Source: good, Threshold: threshold})
		require.ErrorContains(t, err, "jaccard: threshold is "+says+": give a number above")
	}
	_, err := centrality.Serial(good, []uint64{1})
	require.ErrorIs(t, err, distgraph.ErrRoot)
}

// Kernels that need arcs in both directions return an error for a directed graph.
func TestDirectedGraphsAreRefused(t *testing.T) {
	for name, prepare := range map[string]func(g *distgraph.Graph) (err error){
		"components": func(g *distgraph.Graph) (err error) { _, err = components.NewKernel(g, components.Hook); return err },
		"kcore":      func(g *distgraph.Graph) (err error) { _, err = newKCore(g); return err },
		"triangles":  func(g *distgraph.Graph) (err error) { _, err = newTriangles(g); return err },
		"jaccard":    func(g *distgraph.Graph) (err error) { _, err = newJaccard(g); return err },
	} {
		require.ErrorContains(t, appstest.Job(t, pebble.Config{Ranks: 2}, func(r *pebble.Rank) error {
			l := appstest.List{N: 1, Directed: true}
			return prepare(appstest.Must(distgraph.Build(r, distgraph.Source{Generator: l.Generator()})))
		}), "which is directed: build it with arcs that lead both ways", name)
	}
}
