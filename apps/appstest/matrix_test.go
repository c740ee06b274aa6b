//go:build !long

package appstest

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/pebble"
)

// The shapes of a matrix contain all combinations of values that occur in any shape. Loops find these.
func TestValuesMeet(t *testing.T) {
	pairsOfAll, pairsOfGeneral, triplesOfAll := map[string]bool{}, map[string]bool{}, map[string]bool{}
	every := 0
	for _, transport := range []string{"mem", "sim"} {
		for _, ranks := range rankCounts {
			for _, topology := range topologies {
				for _, detector := range detectors {
					for i := range len(factors) * len(cacheSizes) * len(credits) {
						s := Shape{
							Transport: transport, Ranks: ranks, Topology: topology, New: constructor(topology), Termination: detector,
							Coalesce: factors[i%3], Cache: cacheSizes[i/3%3], Credits: credits[i/9],
						}
						if !s.valid() {
							continue
						}
						every++
						meet(s, pairsOfAll, triplesOfAll)
						if s.General() {
							meet(s, pairsOfGeneral, nil)
						}
					}
				}
			}
		}
	}
	require.Greater(t, every, 5000)
	for _, c := range []struct {
		shapes []Shape
		want   map[string]bool
		values int
		most   int
	}{{pairs(), pairsOfAll, 2, 80}, {general(), pairsOfGeneral, 2, 70}, {triples(), triplesOfAll, 3, 500}} {
		met := [2]map[string]bool{{}, {}}
		for _, s := range c.shapes {
			require.True(t, s.valid(), s)
			meet(s, met[0], met[1])
		}
		require.Equal(t, c.want, met[c.values-2])
		require.LessOrEqual(t, len(c.shapes), c.most)
	}
}

// meet records the combinations of two and of three values of a shape's parameters.
func meet(s Shape, two, three map[string]bool) {
	values := [...]any{s.Transport, s.Ranks, s.Topology, s.Coalesce, s.Cache, s.Credits, s.Termination}
	for i, v := range values {
		for j, w := range values[:i] {
			pair := fmt.Sprint(i, v, j, w)
			two[pair] = true
			for k := range values[:j] {
				if three != nil {
					three[pair+fmt.Sprint(k, values[k])] = true
				}
			}
		}
	}
}

// A program runs everywhere on all numbers of ranks, over all transports.
func TestEverywhere(t *testing.T) {
	jobs, ranksOf := 0, map[string]int{}
	Everywhere(t, func(t *testing.T, ranks int) (func(r *pebble.Rank) error, func(t *testing.T)) {
		transport := ""
		return func(r *pebble.Rank) error {
				require.Equal(t, ranks, r.Size())
				if r.ID() == 0 {
					transport = r.Transport()
				}
				return r.Barrier()
			}, func(*testing.T) {
				jobs++
				ranksOf[transport] |= 1 << ranks
			}
	})
	require.Equal(t, map[string]int{"mem": 0x96, "sim": 0x96, "shm": 0x10, "tcp": 0x04}, ranksOf)
	require.Equal(t, 11, jobs)
}
