package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
)

// answers are what is known of searches of a public graph, one entry a root.
type answers struct {
	file                 string
	roots                []string
	reached, depths, sum []any
}

// TestPublicGraphs compares with the answers that are known of public graphs.
func TestPublicGraphs(t *testing.T) {
	for _, known := range []struct {
		answers
		flags []string
	}{
		{
			answers{"cnr-2000.el.gz", []string{"217849", "0"}, []any{325557., 311.}, []any{35., 8.}, []any{5426851., 1502.}},
			[]string{
				"--mode level --procs 4 --transport tcp --topology direct",
				"--mode level --procs 4 --transport tcp --topology hypercube",
				"--mode async --procs 4 --transport tcp --topology direct",
				"--mode async --procs 4 --transport tcp --topology hypercube",
			},
		},
		{
			answers{"soc-Epinions1.txt.gz", []string{"0"}, []any{47676.}, []any{9.}, []any{170249.}},
			[]string{"--mode level --procs 2", "--mode async --ranks 5", "--mode direction --procs 2"},
		},
		{
			answers{"wiki-Vote.txt.gz", []string{"30"}, []any{2316.}, []any{5.}, []any{6920.}},
			[]string{"--mode level --ranks 3", "--mode async --procs 2", "--mode direction --ranks 5 --topology hypercube"},
		},
		{
			answers{"road-NY.gr.gz", []string{"1"}, []any{264346.}, []any{619.}, []any{90771609.}},
			[]string{"--mode level"},
		},
	} {
		for _, flags := range known.flags {
			t.Run(known.file+" "+flags, func(t *testing.T) {
				t.Parallel()
				known.check(t, strings.Fields(flags))
			})
		}
	}
}

func (known answers) check(t *testing.T, flags []string) {
	line := []string{"bfs", "--json", "--graph", appstest.Data(t, known.file)}
	for _, root := range known.roots {
		line = append(line, "--root", root)
	}
	o := object(t, succeeds(t, with(line, flags...)...))
	require.EqualValues(t, 0, o["errors"])
	require.Equal(t, true, o["validated"])
	require.Equal(t, known.reached, o["reached"])
	require.Equal(t, known.depths, o["depths"])
	require.Equal(t, known.sum, o["distance_sums"])
}
