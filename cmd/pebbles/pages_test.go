package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// pagesLines are command lines of all programs on shared pages that take a few milliseconds.
var pagesLines = []string{
	"pages barrier --rounds 3", "pages lock --rounds 3", "pages page --size 4 --rounds 2",
	"pages diff --size 4 --rounds 2",
	"pages jacobi --size 30 --rounds 3", "pages sor --size 8 --rounds 2", "pages tsp --size 8 --rounds 2",
	"pages fft --size 8 --rounds 1", "pages spmv --size 200 --rounds 2", "pages spmv --size 200 --rounds 2 --by gather",
	"pages spmv --size 200 --rounds 2 --by pebbles", "pages bucketsort --size 3000 --rounds 1",
}

// Programs on shared pages verify wherever they run, and tell what pages did.
func TestPages(t *testing.T) {
	for _, line := range pagesLines {
		words := strings.Fields(line)
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			for _, where := range []string{
				"--ranks 2", "--ranks 4 --procs 4 --transport shm --copies", "--ranks 3 --procs 2 --transport tcp --page-size 64",
				"--ranks 3 --checked", "sim --ranks 7", "sim --ranks 4 --network odin --copies --page-cache 1MiB",
			} {
				flags, simulated := strings.CutPrefix(where, "sim ")
				all := with(words, strings.Fields(flags)...)
				if simulated {
					all = append([]string{"sim"}, all...)
				}
				o := object(t, succeeds(t, with(all, "--json")...))
				own := []string{"pages_fetched", "twins", "diff_bytes", "lock_waits", "microseconds", "page_bytes", "copies", "by"}
				for _, f := range append(own, fields...) {
					require.Contains(t, o, f)
				}
				require.Equal(t, "pages-"+words[1], o["app"])
				require.Zero(t, o["errors"], where)
				require.Positive(t, o["microseconds"], where)
				if strings.Contains(where, "tcp") && words[1] == "jacobi" {
					require.NotZero(t, o["pages_fetched"])
				}
				if strings.Contains(where, "copies") && words[1] == "diff" {
					require.NotZero(t, o["twins"])
					require.NotZero(t, o["diff_bytes"])
				}
				if words[1] == "lock" {
					require.Contains(t, o["cases"], "direct")
					require.Equal(t, fmt.Sprint(o["ranks"]) != "2", o["cases"].(map[string]any)["indirect"] != nil)
				}
			}
		})
	}
}

func TestPagesTable(t *testing.T) {
	for _, line := range pagesLines {
		stdout := succeeds(t, with(strings.Fields(line), "--ranks", "2")...)
		require.Regexp(t, `^pages-\w+ +2 ranks in 1 process, mem transport`, stdout)
		require.Regexp(t, `(?m)^pages +\d+ fetched in \d+ transfers, of 4096 bytes$`, stdout)
		require.Regexp(t, `(?m)^verified +yes$`, stdout)
		explained := succeeds(t, with(strings.Fields(line), "--ranks", "2", "--explain")...)
		require.Contains(t, explained, "2 ranks in 1 process, mem transport\n")
	}
	require.Contains(t, succeeds(t, "pages"), "bucketsort")
	require.Contains(t, succeeds(t, "sim", "pages"), "pebbles sim pages jacobi")
}
