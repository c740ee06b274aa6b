//go:build !race && !pebbles_check

package container_test

import (
	"testing"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/container"
	"github.com/activepebbles/pebbles/pebble"
)

// Counting and putting known keys again allocates nothing.
func TestKnownKeysAllocateNothing(t *testing.T) {
	job := func(times int) func(r *pebble.Rank) error {
		return func(r *pebble.Rank) error {
			numbers, texts := container.NewCounter[uint64](r, "numbers"), container.NewCounter[string](r, "words")
			places := container.NewMap[uint64, [3]float64](r, "places")
			ks := make([]uint64, 500)
			ws := [][]byte{[]byte("a"), []byte("rose"), []byte("is")} // few enough that none displaces another from the cache
			es := make([]container.Entry[uint64, [3]float64], 500)
			for i := range ks {
				ks[i], es[i].Key = uint64(i), uint64(i)
			}
			return r.Epoch(func() error {
				for range times {
					numbers.AddAll(ks)
					container.AddWords(texts, ws)
					places.PutAll(es)
				}
				return nil
			})
		}
	}
	appstest.SameMallocs(t, 0, 100_000, job(20), job(200))
}
