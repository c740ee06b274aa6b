package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/benchmark"
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

// A ratio of 0.5 is half as fast as the best.
func TestRatios(t *testing.T) {
	require.Equal(t, benchmark.Summary{Median: 0.5, Min: 0.25, Max: 1, Spread: 0.25}, ratios([]float64{1, 1, 2}, []float64{2, 4, 2}))
}

func TestSection(t *testing.T) {
	text := section(options{repeats: 7}, []row{{
		application: "bfs", transport: "tcp", best: setting{"hypercube", 64, 1024}, seconds: benchmark.Summary{Median: 0.25},
		defaults: benchmark.Summary{Median: 0.8, Spread: 0.02}, fresh: benchmark.Summary{Median: 0.97}, tuned: benchmark.Summary{Median: 1.01},
		chose: "direct, 1024", knows: "hypercube, 64",
	}})
	require.Contains(t, text, "| bfs | tcp | hypercube, 64, cache 1024 | 250 ms | 0.80 ± 0.02 | 0.97 ± 0.00 | direct, 1024 | 1.01 ± 0.00 | hypercube, 64 |")
	require.Contains(t, text, "7 repeats")
}
