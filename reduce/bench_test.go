package reduce_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/activepebbles/pebbles/reduce"
)

// BenchmarkFilter gives ns a pebble, and merged ones a pebble as the check of the work:
// half of the pebbles go to 1,000 keys, the others meet hardly ever.
func BenchmarkFilter(b *testing.B) {
	kinds := []reduce.Kind[uint64]{
		reduce.Duplicates[uint64](),
		reduce.First[uint64](),
		reduce.Best(func(a, b uint64) bool { return a > b }),
		reduce.Combine(func(a, b uint64) uint64 { return a ^ b }),
	}
	rng := rand.New(rand.NewPCG(1, 2))
	in := make([]uint64, 1<<16)
	for i := range in {
		in[i] = rng.Uint64()
		if i%2 == 0 {
			in[i] %= 1000
		}
	}
	for _, kind := range kinds {
		for _, size := range []int{64, 4096, 1 << 16} {
			b.Run(fmt.Sprintf("%v/%d", kind, size), func(b *testing.B) {
				c := reduce.NewCache(kind, size)
				const batch = 1024
				vs, keys := make([]uint64, batch), make([]uint64, batch)
				for i := 0; b.Loop(); i++ {
					part := in[i*batch%len(in):][:batch]
					copy(vs, part)
					copy(keys, part)
					c.Filter(vs, keys)
				}
				pebbles := float64(b.N) * batch
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/pebbles, "ns/pebble")
				b.ReportMetric(float64(c.Merged())/pebbles, "merged/pebble")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

func BenchmarkFilterOne(b *testing.B) {
	c := reduce.NewCache(reduce.Duplicates[uint64](), 4096)
	for i := uint64(0); b.Loop(); i++ {
		c.FilterOne(i%1000, i%1000)
	}
	b.ReportMetric(float64(c.Merged())/float64(b.N), "merged/pebble")
}
