package memory_test

import (
	"fmt"
	"testing"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/memory"
)

// Random words of the other rank's 2^25, by the runtime and by bare loads: of the same mapping, and of this rank's own
// part. All pages were touched before, so page faults do not count. In "next" the index of a read depends on the one
// before.
func BenchmarkNear(b *testing.B) {
	for _, log2 := range []int{11, 25} {
		for _, transport := range []string{"mem", "shm"} {
			if log2 == 25 && transport == "mem" {
				continue // as shm, except for the size of pages
			}
			bench := func(name string, f func(n int, a *memory.Array[uint64])) {
				b.Run(fmt.Sprintf("2^%d/%s/%s", log2, transport, name), func(b *testing.B) {
					words := uint64(2) << log2
					over(b, transport, distribution.Block(words, 2), func(_ rank, a *memory.Array[uint64]) {
						for i := words / 2; i < words; i += 64 {
							sink += a.Get(i)
						}
						b.ReportAllocs()
						b.ResetTimer()
						f(b.N, a)
					})
				})
			}
			own := func(a *memory.Array[uint64]) []uint64 { return a.Local() }
			others := func(a *memory.Array[uint64]) []uint64 { return memory.NearPart(a, 1) }
			half := uint64(1) << log2
			mask := half - 1
			loads := func(part func(a *memory.Array[uint64]) []uint64) func(int, *memory.Array[uint64]) {
				return func(n int, a *memory.Array[uint64]) {
					table, x, sum := part(a), uint64(1), uint64(0)
					for range n {
						x = x*multiplier + 1
						sum += table[x>>32&mask]
					}
					sink += sum
				}
			}
			bench("load-own", loads(own))
			bench("load", loads(others))
			bench("get", func(n int, a *memory.Array[uint64]) {
				x, sum := uint64(1), uint64(0)
				for range n {
					x = x*multiplier + 1
					sum += a.Get(half | x>>32&mask)
				}
				sink += sum
			})
			bench("gather", func(n int, a *memory.Array[uint64]) {
				var all, got [1024]uint64
				x := uint64(1)
				for ; n > 0; n -= len(all) {
					for i := range all {
						x = x*multiplier + 1
						all[i] = half | x>>32&mask
					}
					a.Gather(got[:], all[:])
				}
			})
			next := func(part func(a *memory.Array[uint64]) []uint64) func(int, *memory.Array[uint64]) {
				return func(n int, a *memory.Array[uint64]) {
					table, x := part(a), uint64(1)
					for range n {
						x = x*multiplier + 1 + table[x>>32&mask]
					}
					sink += x
				}
			}
			bench("next-load-own", next(own))
			bench("next-load", next(others))
			bench("next-get", func(n int, a *memory.Array[uint64]) {
				x := uint64(1)
				for range n {
					x = x*multiplier + 1 + a.Get(half|x>>32&mask)
				}
				sink += x
			})
		}
	}
}

// multiplier is that of a linear congruential generator.
const multiplier = 6364136223846793005
