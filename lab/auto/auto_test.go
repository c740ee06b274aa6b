package main

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/lab"
)

// A sweep has every combination once, and only of what an application leaves open.
func TestSweep(t *testing.T) {
	for _, a := range applications {
		want := len(topologies)
		if a.factors {
			want *= len(factors)
		}
		if a.reduction {
			want *= len(caches)
		}
		seen := map[string]bool{}
		for _, s := range a.sweep() {
			seen[s.String()] = true
			require.Equal(t, a.factors, s.factor > 0)
			require.Equal(t, a.reduction, s.cache >= 0)
		}
		require.Len(t, seen, want, a.name)
		require.Len(t, a.auto(), len(a.sweep()[0].flags()), "auto leaves open what the sweep goes through")
	}
}

// A ratio of 0.5 is half as fast as the best. Four times as many runs are certain to half as much.
func TestRatio(t *testing.T) {
	few := ratioOf([]float64{1, 1, 2}, []float64{2, 4, 2})
	require.Equal(t, 0.5, few.median)
	require.InDelta(t, 1.96*1.4826*1.2533*0.25/math.Sqrt(3), few.doubt, 1e-12)
	many := ratioOf([]float64{1, 1, 2, 1, 1, 2, 1, 1, 2, 1, 1, 2}, []float64{2, 4, 2, 2, 4, 2, 2, 4, 2, 2, 4, 2})
	require.InDelta(t, few.doubt/2, many.doubt, 1e-12)
}

// There are more runs as long as one of the two ratios that count is not certain.
func TestCertain(t *testing.T) {
	steady, restless := []float64{1, 1, 1}, []float64{1, 2, 3}
	for name, certain := range map[string]bool{"defaults": true, "fresh": false, "tuned": false} {
		times := map[string][]float64{"best": steady, "defaults": steady, "fresh": steady, "tuned": steady}
		times[name] = restless
		var r row
		r.compare(times)
		require.Equal(t, certain, r.certain(), name)
	}
}

func TestSection(t *testing.T) {
	text := section(options{Session: &lab.Session{Repeats: 7}, most: 42}, []row{{
		application: "bfs", transport: "tcp", best: setting{"hypercube", 64, 1024}, seconds: lab.Summary{Median: 0.25}, runs: 14,
		defaults: ratio{0.8, 0.02}, fresh: ratio{0.97, 0.01}, tuned: ratio{1.01, 0}, chose: "direct, 1024", knows: "hypercube, 64",
	}})
	require.Contains(t, text, "| bfs | tcp | hypercube, 64, cache 1024 | 250 ms | 14 | 0.80 ± 0.02 | 0.97 ± 0.01 | direct, 1024 | 1.01 ± 0.00 | hypercube, 64 |")
	require.Contains(t, text, "7 to 42 runs")
}
