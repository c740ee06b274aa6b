package uts

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/pebble"
)

// The serial search of the benchmark's trees, and that of one rank.
func BenchmarkSearch(b *testing.B) {
	for _, name := range []string{"T1", "T3"} {
		tree, err := TreeByName(name)
		require.NoError(b, err)
		b.Run(name+" serial", func(b *testing.B) {
			for b.Loop() {
				_, err := Serial(tree)
				require.NoError(b, err)
			}
			report(b, tree)
		})
		b.Run(name+" serial by sha1.Sum", func(b *testing.B) {
			for b.Loop() {
				w := newWalker(tree)
				w.hasher.tells = nil
				w.root(tree)
				w.search(math.MaxUint64)
			}
			report(b, tree)
		})
		b.Run(name+" one rank", func(b *testing.B) {
			for b.Loop() {
				require.NoError(b, pebble.Run(context.Background(), pebble.Config{Ranks: 1}, func(r *pebble.Rank) error {
					_, err := Run(r, Config{Tree: tree})
					return err
				}))
			}
			report(b, tree)
		})
	}
}

func report(b *testing.B, t Tree) {
	want, _ := t.known()
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(want.Nodes), "ns/node")
}
