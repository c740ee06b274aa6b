package main

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A sweep has every combination once, and only of what an application leaves open.
func TestSweep(t *testing.T) {
	for _, a := range tunables {
		seen := map[string]bool{}
		for _, s := range a.settings() {
			seen[told(s)] = true
			require.Equal(t, a.factors, strings.Contains(strings.Join(s, " "), "--coalesce"))
			require.Equal(t, a.reduction, strings.Contains(strings.Join(s, " "), "--cache"))
			require.Len(t, a.auto(), len(s), "auto leaves open what the sweep goes through")
		}
		want := 2
		if a.factors {
			want *= 4
		}
		if a.reduction {
			want *= 2
		}
		require.Len(t, seen, want, a.name)
	}
	require.Equal(t, "hypercube, 64, cache 4096", told([]string{"--topology", "hypercube", "--coalesce", "64",
		"--cache", "4096"}))
}

// A ratio of 0.5 is half as fast as the best. Four times as many runs are certain to half as much.
func TestRatioOfAuto(t *testing.T) {
	few := map[string][]float64{"best": {1, 1, 2}, "auto": {2, 4, 2}}
	r := ratioOf(few, "auto")
	require.Equal(t, 0.5, r.median)
	require.InDelta(t, 1.96*1.4826*1.2533*0.25/math.Sqrt(3), r.doubt, 1e-12)
	many := map[string][]float64{}
	for range 4 {
		for name, times := range few {
			many[name] = append(many[name], times...)
		}
	}
	require.InDelta(t, r.doubt/2, ratioOf(many, "auto").doubt, 1e-12)
	require.Equal(t, "0.50 ± 0.53", ratio{0.5, 0.526}.String())
}
