package memory_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/memory"
)

// tables runs f on rank 0 of two, with a table whose upper half belongs to the other rank: over a transport, in two
// processes unless that is mem.
func tables(b testing.TB, transport string, words uint64, f func(r rank, a *memory.Array[uint64])) {
	over(b, transport, distribution.Block(words, 2), f)
}

// over is tables with any distribution over two ranks.
func over(b testing.TB, transport string, d distribution.Indexed, f func(r rank, a *memory.Array[uint64])) {
	s := shape(transport, 2, 2)
	s.Coalesce, s.Unwatched = 1024, true
	require.NoError(b, s.Run(b, program(func(r rank) {
		a := memory.NewArray[uint64](r.s, "table", d)
		for i := range a.Local() {
			a.Local()[i] = uint64(i)
		}
		r.Meet()
		r.Do(func() {
			if r.ID() == 0 {
				f(r, a)
				if b, ok := b.(*testing.B); ok {
					b.StopTimer() // freeing large tables takes long
				}
			}
		})
	})))
}

// indices draws words of the other rank.
func indices(n int, words uint64) []uint64 {
	all := make([]uint64, n)
	random := rand.New(rand.NewPCG(1, 2))
	for i := range all {
		all[i] = words/2 + random.Uint64N(words/2)
	}
	return all
}

const small, large = 1 << 12, 1 << 26

var sink uint64

// Read random words of the other rank, from a small table and from one beyond all caches. BenchmarkNear compares with
// bare loads.
func BenchmarkRead(b *testing.B) {
	for _, words := range []uint64{small, large} {
		for _, transport := range transports {
			b.Run(fmt.Sprintf("get/%s/%d", transport, words), func(b *testing.B) {
				tables(b, transport, words, func(_ rank, a *memory.Array[uint64]) {
					all := indices(1<<16, words)
					b.ReportAllocs()
					b.ResetTimer()
					for i := range b.N {
						sink += a.Get(all[i&(1<<16-1)])
					}
				})
			})
			for _, batch := range []int{64, 1024} {
				b.Run(fmt.Sprintf("gather/%s/%d/%d", transport, words, batch), func(b *testing.B) {
					tables(b, transport, words, func(_ rank, a *memory.Array[uint64]) {
						all, got := indices(1<<16, words), make([]uint64, batch)
						b.ReportAllocs()
						b.ResetTimer()
						for i := 0; i < b.N; i += batch {
							a.Gather(got, all[i&(1<<16-1):][:batch])
						}
					})
				})
			}
		}
	}
}

// Change one word of the other rank.
func BenchmarkAdd(b *testing.B) {
	for _, transport := range transports {
		b.Run(transport, func(b *testing.B) {
			tables(b, transport, small, func(_ rank, a *memory.Array[uint64]) {
				b.ReportAllocs()
				for range b.N {
					memory.Add(a, small-1, 1)
				}
			})
		})
		b.Run(transport+"/start", func(b *testing.B) {
			tables(b, transport, small, func(r rank, a *memory.Array[uint64]) {
				b.ReportAllocs()
				for i := range b.N {
					memory.AddStart(a, small-1, 1)
					if i%1024 == 0 {
						r.Poll()
					}
				}
			})
		})
	}
}

// Move ranges.
func BenchmarkRange(b *testing.B) {
	for _, transport := range transports {
		for _, n := range []int{128, 8 << 10, 128 << 10} {
			b.Run(fmt.Sprintf("get/%s/%d", transport, 8*n), func(b *testing.B) {
				tables(b, transport, 1<<20, func(_ rank, a *memory.Array[uint64]) {
					got := make([]uint64, n)
					b.SetBytes(int64(8 * n))
					b.ReportAllocs()
					b.ResetTimer()
					for range b.N {
						a.GetRange(1<<19, got)
					}
				})
			})
		}
	}
}

// Read a word whose address is never in the cache: without a cache, and with a cache of one entry that two arrays use
// in turn. The difference is the cost of a cache that never hits.
func BenchmarkMiss(b *testing.B) {
	for _, transport := range []string{"shm", "tcp"} {
		for _, cache := range []int{-1, 1} {
			b.Run(fmt.Sprintf("%s/%d", transport, max(0, cache)), func(b *testing.B) {
				s := shape(transport, 2, 2)
				s.AddressCache = cache
				require.NoError(b, s.Run(b, program(func(r rank) {
					var both [2]*memory.Scalar[uint64]
					for i := range both {
						both[i] = memory.NewScalar[uint64](r.s, "v", 1)
					}
					r.Do(func() {
						if r.ID() > 0 {
							return
						}
						b.ReportAllocs()
						b.ResetTimer()
						for i := range b.N {
							sink += both[i%2].Get()
						}
						b.StopTimer()
						r.Zero(r.s.Counts().Hits)
					})
				})))
			})
		}
	}
}
