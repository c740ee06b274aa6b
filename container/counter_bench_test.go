package container_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/container"
	"github.com/activepebbles/pebbles/pebble"
)

func BenchmarkCounter(b *testing.B) {
	for _, bits := range []int{19, 23} {
		for _, ranks := range []int{1, 2} {
			b.Run(fmt.Sprintf("%d/%d", bits, ranks), func(b *testing.B) {
				err := pebble.Run(context.Background(), pebble.Config{Ranks: ranks}, func(r *pebble.Rank) error {
					c := container.NewCounter[uint64](r, "c")
					rng := rand.New(rand.NewPCG(1, uint64(r.ID())))
					ks := make([]uint64, 4096)
					n := max(b.N/ranks, 4096)
					for round := range 2 {
						start := time.Now()
						appstest.Epoch(r, func() {
							for i := 0; i < n; i += len(ks) {
								for i := range ks {
									ks[i] = rng.Uint64() & (1<<bits - 1)
								}
								c.AddAll(ks)
							}
						})
						if r.ID() == 0 && round == 1 {
							b.ReportMetric(float64(n*ranks)/time.Since(start).Seconds()/1e6, "M/s")
						}
					}
					return nil
				})
				if err != nil {
					b.Fatal(err)
				}
			})
		}
	}
}
