package bfs

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/apps/distgraph"
	"github.com/activepebbles/pebbles/pebble"
)

// BenchmarkSearch tells the harmonic mean of traversed edges a second over the 16 default roots.
func BenchmarkSearch(b *testing.B) {
	for _, scale := range []int{14, 16} {
		for _, mode := range Modes {
			for _, ranks := range []int{1, 2, 16} {
				b.Run(fmt.Sprintf("kronecker=%d/%s/ranks=%d", scale, mode, ranks), func(b *testing.B) {
					config := Config{Source: distgraph.Source{Generator: appstest.Kronecker(b, scale)}, Mode: mode, SkipValidation: true}
					var last Result
					for b.Loop() {
						results, err := run(b, pebble.Config{Ranks: ranks}, config)
						require.NoError(b, err)
						last = results[0]
					}
					b.ReportMetric(last.HarmonicMeanTEPS/1e6, "Medges/s")
					b.ReportMetric(last.SetUp*1e3, "ms-set-up")
				})
			}
		}
	}
}
