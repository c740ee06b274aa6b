package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// stressmarks are command lines of all that take a few milliseconds, and the fields of each.
var stressmarks = map[string][]string{
	"stressmark pointer --words 1000 --hops 50":                               {"words", "window", "hops", "ended", "seconds_per_hop"},
	"stressmark update --words 1000 --hops 50 --window 3 --stop 1":            {"words", "window", "hops", "ended", "seconds_per_hop"},
	"stressmark neighborhood --side 30 --bits 7 --long 9":                     {"side", "bits", "pairs", "pairs_per_second", "textures"},
	"stressmark field --bytes 300 --tokens 5 --values 3 --token-bytes 5":      {"bytes", "offset", "delimiters", "bytes_per_second", "tokens"},
	"stressmark field --bytes 20 --tokens 9 --values 2 --token-bytes 8":       {"tokens"},
	"stressmark neighborhood --side 5 --short 2 --long 4 --lines 3 --bits 15": {"textures"},
}

// What a stressmark finds is the same wherever it runs, and it says what was near and what remote.
func TestStressmarks(t *testing.T) {
	for line, own := range stressmarks {
		words := strings.Fields(line)
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			var texture, tokens any
			for _, ranks := range []int{1, 2, 3, 4, 7} {
				for _, where := range []string{"", "--procs 1", "--procs 2 --transport shm", "--procs 2 --transport tcp", "sim"} {
					all, sim := words, where == "sim"
					switch {
					case sim:
						all = append([]string{"sim"}, words...)
					case ranks == 1 && strings.Contains(where, "2"):
						continue
					default:
						all = with(all, strings.Fields(where)...)
					}
					o := object(t, succeeds(t, with(all, "--json", "--ranks", fmt.Sprint(ranks))...))
					for _, f := range append(append(own, "near", "remote", "hits", "misses", "hit_rate", "address_cache"), fields...) {
						require.Contains(t, o, f)
					}
					require.LessOrEqual(t, o["hit_rate"], 1.0)
					require.Equal(t, "stressmark-"+words[1], o["app"])
					require.EqualValues(t, ranks, o["ranks"])
					require.Zero(t, o["errors"])
					require.NotZero(t, o["near"])
					switch {
					case !sim && !strings.Contains(where, "2"):
						require.Zero(t, o["remote"])
						require.Zero(t, o["misses"])
					case strings.Contains(where, "shm"):
						require.Equal(t, o["misses"], o["remote"])
					}
					if texture == nil {
						texture, tokens = o["textures"], o["tokens"]
					}
					require.Equal(t, texture, o["textures"])
					require.Equal(t, tokens, o["tokens"])
				}
			}
		})
	}
	remote := object(t, succeeds(t, "stressmark", "pointer", "--procs", "2", "--ranks", "2", "--transport", "tcp", "--stop", "1", "--hops", "200", "--json"))
	require.NotZero(t, remote["remote"])
}

func TestStressmarkTable(t *testing.T) {
	for line := range stressmarks {
		stdout := succeeds(t, with(strings.Fields(line), "--ranks", "2")...)
		require.Regexp(t, `^stressmark-\w+ +2 ranks in 1 process, mem transport`, stdout)
		require.Regexp(t, `(?m)^accesses +\d+ near, 0 remote: 0.0 %$`, stdout)
		require.Regexp(t, `(?m)^verified +yes$`, stdout)
		require.Contains(t, succeeds(t, with(strings.Fields(line), "--ranks", "2", "--explain")...), "2 ranks in 1 process, mem transport\n")
	}
	require.Contains(t, succeeds(t, "stressmark"), "neighborhood")
	require.Contains(t, succeeds(t, "sim", "stressmark"), "pebbles sim stressmark pointer --ranks 64")
}

// With each size of the address cache a stressmark finds the same, and counts what was in the cache.
func TestStressmarkAddressCaches(t *testing.T) {
	line := strings.Fields("stressmark pointer --words 1000 --hops 200 --stop 1 --ranks 4 --procs 4 --json")
	for _, transport := range []string{"shm", "tcp"} {
		rates := map[string]float64{}
		for _, cache := range []string{"0", "1", "100"} {
			o := object(t, succeeds(t, with(line, "--transport", transport, "--address-cache", cache)...))
			require.Zero(t, o["errors"])
			require.Equal(t, cache, fmt.Sprint(o["address_cache"]))
			rates[cache] = o["hit_rate"].(float64)
		}
		require.Zero(t, rates["0"])
		require.Greater(t, rates["1"], 0.1)
		require.Greater(t, rates["100"], 0.95)
	}
	require.Regexp(t, `(?m)^accesses .*; \d+ addresses were in the cache of 100, \d+ were not: \d+\.\d % hits$`,
		succeeds(t, strings.Fields("stressmark update --words 1000 --hops 50 --ranks 2 --procs 2 --transport tcp")...))
}
