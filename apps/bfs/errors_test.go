package bfs

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/apps/graph"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
)

func write(tb testing.TB, name, content string) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), name)
	require.NoError(tb, os.WriteFile(path, []byte(content), 0o600))
	return path
}

func cutGzip(tb testing.TB) string {
	tb.Helper()
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	for range 5000 {
		_, err := w.Write([]byte("1 2\n2 3\n3 1\n"))
		require.NoError(tb, err)
	}
	require.NoError(tb, w.Close())
	return packed.String()[:packed.Len()-6]
}

// What is wrong with a file is the same error on every rank, over every transport, and the job could go on.
func TestFileErrors(t *testing.T) {
	for name, c := range map[string]struct {
		path string
		is   error
		says string
	}{
		"missing":          {filepath.Join(t.TempDir(), "none.el"), fs.ErrNotExist, "check the path"},
		"a folder":         {t.TempDir(), nil, "is a directory"},
		"truncated":        {write(t, "cut.el.gz", cutGzip(t)), graph.ErrTruncated, "fetch it again"},
		"fewer than told":  {write(t, "few.gr", "p tw 4 3\n1 2\n2 3\n"), graph.ErrTruncated, "few.gr"},
		"more than told":   {write(t, "more.gr", "p tw 4 1\n1 2\n2 3\n"), graph.ErrDamaged, "more.gr"},
		"no graph":         {write(t, "poem.el", "so much depends\nupon\n"), graph.ErrSyntax, "poem.el"},
		"out of range":     {write(t, "far.gr", "p tw 4 2\n1 2\n2 5\n"), graph.ErrRange, "far.gr"},
		"does not fit":     {write(t, "huge.gr", "p tw 200000000000000 1\n1 2\n"), nil, "200000000000000 vertices and 1 edges need about"},
		"empty":            {write(t, "empty.el", ""), graph.ErrSyntax, "empty"},
		"64 bits overflow": {write(t, "long.el", "1 2\n3 99999999999999999999999\n"), graph.ErrRange, "long.el"},
	} {
		for _, s := range []appstest.Shape{
			{Ranks: 1, Procs: 1, Transport: "mem", New: route.Direct},
			{Ranks: 4, Procs: 1, Transport: "mem", New: route.Hypercube},
			{Ranks: 3, Procs: 3, Transport: "tcp", New: route.Direct},
		} {
			t.Run(name+", "+s.String(), func(t *testing.T) {
				errs := make([]error, s.Ranks)
				require.NoError(t, s.Run(t, func(r *pebble.Rank) error {
					_, errs[r.ID()] = Build(r, Source{Path: c.path})
					return nil
				}))
				for _, err := range errs {
					require.ErrorContains(t, err, c.says)
					require.EqualError(t, err, errs[0].Error())
					if c.is != nil {
						require.ErrorIs(t, err, c.is)
					}
				}
			})
		}
	}
}

func TestFileErrorEndsRun(t *testing.T) {
	_, err := run(t, pebble.Config{Ranks: 3}, Config{Source: Source{Path: filepath.Join(t.TempDir(), "none.el")}})
	require.ErrorIs(t, err, fs.ErrNotExist)
}

// A file may change between the two times that it is read. All ranks must hear of it, in the middle of an epoch.
func TestFileChanges(t *testing.T) {
	path := write(t, "some.gr", "p tw 4 2\n1 2\n2 4\n")
	none := func([]graph.Edge) {}
	require.NoError(t, Source{Path: path}.share(0, 2, outline{4, 2, true, false}, none))
	require.ErrorContains(t, Source{Path: path}.share(0, 2, outline{4, 3, true, false}, none), "the file changed")
	require.ErrorContains(t, Source{Path: path}.share(0, 2, outline{3, 2, true, false}, none), "the file changed")

	gone := errors.New("gone")
	err := job(t, pebble.Config{Ranks: 3}, func(r *pebble.Rank) error {
		return r.Epoch(func() error {
			if r.ID() == 0 {
				return gone
			}
			return nil
		})
	})
	require.ErrorIs(t, err, gone)
}

// Sparse ids of a file are told by rank 0 in roots, errors and results.
func TestIDs(t *testing.T) {
	path := write(t, "sparse.el", "# a comment\n1000 7\n7 500\n500 99\n12345678901 7\n")
	for _, ranks := range []int{1, 3} {
		results, err := run(t, pebble.Config{Ranks: ranks}, Config{Source: Source{Path: path}, Roots: []uint64{1000, 12345678901, 99}})
		require.NoError(t, err)
		for _, res := range results {
			require.Equal(t, []uint64{4, 4, 1}, res.Reached)
			require.Equal(t, []int64{3, 3, 0}, res.Depths)
			require.Equal(t, []uint64{6, 6, 0}, res.DistanceSums)
			require.Equal(t, uint64(5), res.Vertices)
			require.Equal(t, path, res.Graph)
		}
		results, err = run(t, pebble.Config{Ranks: ranks}, Config{Source: Source{Path: path}, RootCount: 100})
		require.NoError(t, err)
		require.ElementsMatch(t, []uint64{1000, 7, 500, 12345678901}, results[0].Roots, "99 has no arc to another")

		_, err = run(t, pebble.Config{Ranks: ranks}, Config{Source: Source{Path: path}, Roots: []uint64{7, 8}})
		require.ErrorIs(t, err, ErrRoot)
		require.ErrorContains(t, err, "root 8: graph "+path+" has 5 vertices with ids from 7 to 12345678901, and none is this one")
	}
}

func TestBadRoots(t *testing.T) {
	for name, c := range map[string]struct {
		l     list
		roots []uint64
		says  string
	}{
		"outside":     {list{n: 4, edges: ring[:2]}, []uint64{1, 4}, "root 4: graph list of 2 edges has 4 vertices with ids from 0 to 3"},
		"no vertices": {list{}, []uint64{0}, "root 0: graph list of 0 edges has no vertices"},
		"none to draw": {list{n: 2, edges: []graph.Edge{{From: 1, To: 1}}}, nil,
			"draw roots: graph list of 1 edges has no arc from a vertex to another: name a root"},
	} {
		for _, ranks := range []int{1, 4} {
			t.Run(name, func(t *testing.T) {
				errs := make([]error, ranks)
				require.NoError(t, job(t, pebble.Config{Ranks: ranks}, func(r *pebble.Rank) error {
					_, errs[r.ID()] = Run(r, Config{Source: Source{Generator: c.l}, Roots: c.roots})
					return nil
				}))
				for _, err := range errs {
					require.ErrorIs(t, err, ErrRoot)
					require.ErrorContains(t, err, c.says)
				}
			})
		}
	}
	require.ErrorContains(t, job(t, pebble.Config{Ranks: 1}, func(r *pebble.Rank) error {
		g, err := Build(r, Source{Generator: list{n: 1}})
		if err != nil {
			return err
		}
		s, err := NewSearch(g, Async, Tuning{})
		if err != nil {
			return err
		}
		return s.From(1)
	}), "bfs: a search from vertex 1 of a graph of 1 vertices")
	_, err := Serial(Source{Generator: list{n: 1}}, []uint64{1})
	require.ErrorIs(t, err, ErrRoot)
}

func TestBadConfig(t *testing.T) {
	good := Source{Generator: list{n: 1}}
	for says, c := range map[string]Config{
		`mode "dfs" is not one of level, async, direction`: {Source: good, Mode: "dfs"},
		`order "random" is not one of auto, degree, given`: {Source: Source{Generator: list{n: 1}, Order: "random"}},
		"alpha is -1: give a number above 0":               {Source: good, Mode: Direction, Alpha: -1},
		"beta is NaN: give a number above 0":               {Source: good, Mode: Direction, Beta: math.NaN()},
		"alpha is +Inf: give a number above 0":             {Source: good, Mode: Direction, Alpha: math.Inf(1)},
		"alpha is for mode direction: leave it out":        {Source: good, Alpha: 3},
		"-1 roots": {Source: good, RootCount: -1},
		"both roots and a number of roots to draw": {Source: good, RootCount: 1, Roots: []uint64{0}},
		"no graph: give a file or a generator":     {},
		"both a file and a generator are given":    {Source: Source{Path: "x", Generator: list{n: 1}}},
	} {
		require.ErrorContains(t, c.Check(2), says)
		_, err := run(t, pebble.Config{Ranks: 2}, c)
		require.ErrorContains(t, err, says)
	}
	require.ErrorContains(t, Config{Source: good}.Check(0), "0 ranks")
	require.NoError(t, Config{Source: good}.Check(1))
}
