package reduce_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/activepebbles/pebbles/reduce"
)

func benchmarked() []reduce.Kind[uint64] {
	return []reduce.Kind[uint64]{
		reduce.Duplicates[uint64](),
		reduce.First[uint64](),
		reduce.Best(func(a, b uint64) bool { return a > b }),
		reduce.Combine(func(a, b uint64) uint64 { return a ^ b }),
		reduce.Concatenate(func(held, next uint64) (uint64, bool) { return held ^ next, true }),
	}
}

// BenchmarkFilter measures ns per pebble, and merges per pebble to check the work, for uniform keys: as many as slots,
// twice as many, and hardly ever the same.
func BenchmarkFilter(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	in := make([]uint64, 1<<18)
	for _, kind := range benchmarked() {
		for _, log2 := range []int{12, 16, 20} {
			for _, keys := range []uint64{1 << log2, 2 << log2, 1 << 40} {
				for i := range in {
					in[i] = rng.Uint64N(keys)
				}
				b.Run(fmt.Sprintf("%v/2^%d slots/%d keys", kind, log2, keys), func(b *testing.B) {
					benchmarkFilter(b, reduce.NewFixedCache(kind, 1<<log2), in)
				})
			}
		}
	}
}

func benchmarkFilter(b *testing.B, c *reduce.Cache[uint64], in []uint64) {
	const batch = 256
	vs, keys := make([]uint64, batch), make([]uint64, batch)
	run := func(i int) {
		part := in[i*batch%len(in):][:batch]
		copy(vs, part)
		copy(keys, part)
		if worth(c, keys) {
			c.Filter(vs, keys)
		}
	}
	for i := range len(in) / batch {
		run(i)
	}
	before := c.Merged()
	for i := 0; b.Loop(); i++ {
		run(i)
	}
	pebbles := float64(b.N) * batch
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/pebbles, "ns/pebble")
	b.ReportMetric(float64(c.Merged()-before)/pebbles, "merged/pebble")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkOff is BenchmarkFilter for a cache that is off most of the time, copying included.
func BenchmarkOff(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	in := make([]uint64, 1<<18)
	for i := range in {
		in[i] = rng.Uint64()
	}
	benchmarkFilter(b, reduce.NewCache(reduce.Duplicates[uint64](), 1<<16), in)
}

func BenchmarkFilterOne(b *testing.B) {
	c := reduce.NewCache(reduce.Duplicates[uint64](), 4096)
	for i := uint64(0); b.Loop(); i++ {
		c.FilterOne(i%1000, i%1000)
	}
	b.ReportMetric(float64(c.Merged())/float64(b.N), "merged/pebble")
}

// BenchmarkCarry compares a cache of 2^16 slots with the cost of carrying the pebbles that it merges: into a frame, and
// from there to random words of a table of 64 MiB. One iteration runs the same 2^20 pebbles in turn without a cache,
// with one that is always on and with one that may switch off; medians are over the iterations.
func BenchmarkCarry(b *testing.B) {
	const pebbles = 1 << 20
	table := make([]uint64, 1<<23)
	for i := range table {
		table[i] = uint64(i)
	}
	kinds := benchmarked()
	for _, kind := range []reduce.Kind[uint64]{kinds[0], kinds[3]} {
		for _, log2 := range []int{10, 14, 16, 17, 18, 19, 20, 23} {
			b.Run(fmt.Sprintf("%v/2^%d keys", kind, log2), func(b *testing.B) {
				ways := []*carrier{
					{table: table},
					{table: table, cache: reduce.NewFixedCache(kind, 1<<16)},
					{table: table, cache: reduce.NewCache(kind, 1<<16)},
				}
				times := make([][]time.Duration, len(ways))
				for seed := uint64(0); b.Loop(); seed++ {
					for i, w := range ways {
						start := time.Now()
						w.run(rand.New(rand.NewPCG(seed, 0)), pebbles, 64-log2)
						times[i] = append(times[i], time.Since(start))
					}
				}
				for i, name := range []string{"none", "fixed", "cache"} {
					slices.Sort(times[i])
					b.ReportMetric(float64(times[i][len(times[i])/2].Nanoseconds())/pebbles, name+"-ns/pebble")
				}
				b.ReportMetric(float64(times[0][len(times[0])/2])/float64(times[2][len(times[2])/2]), "times-faster")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

type carrier struct {
	cache *reduce.Cache[uint64]
	table []uint64
	frame []uint64
}

func (c *carrier) run(rng *rand.Rand, pebbles, shift int) {
	const batch = 256
	vs, keys := make([]uint64, batch), make([]uint64, batch)
	for range pebbles / batch {
		for i := range vs {
			keys[i] = rng.Uint64() >> shift
			vs[i] = keys[i] // the key is also the pebble's value, and only that is carried
		}
		n := batch
		if c.cache != nil && worth(c.cache, keys) {
			n = c.cache.Filter(vs, keys)
		}
		c.carry(keys[:n])
	}
	if c.cache == nil {
		return
	}
	for c.cache.Held() > 0 {
		c.carry(keys[:c.cache.Drain(vs, keys)])
	}
	c.cache.Clear()
}

// carry puts pebbles into a frame, and passes a full frame to the handler.
func (c *carrier) carry(vs []uint64) {
	c.frame = append(c.frame, vs...)
	if len(c.frame) < 1024 {
		return
	}
	for _, v := range c.frame {
		c.table[v*0x9e3779b97f4a7c15>>(64-23)] ^= v
	}
	c.frame = c.frame[:0]
}
