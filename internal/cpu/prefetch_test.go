package cpu_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/cpu"
)

// TestPrefetchEachSeesEachKeyOnceInOrder prefetches in tables of all sorts, without any effect on the visits.
func TestPrefetchEachSeesEachKeyOnceInOrder(t *testing.T) {
	type wide struct{ key, value uint64 }
	for _, words := range []int{0, 1, 2, 3, 64, 1000, 1 << 12} {
		for _, n := range []int{0, 1, 31, 32, 33, 64, 65, 1000} {
			t.Run(fmt.Sprintf("%d keys, %d words", n, words), func(t *testing.T) {
				table := make([]uint64, words)
				keys, narrow := make([]wide, n), make([]uint16, n)
				for i := range keys {
					keys[i] = wide{uint64(i) * 0x9E3779B97F4A7C15, uint64(i)}
					narrow[i] = uint16(i)
				}
				next := uint64(0)
				cpu.PrefetchEach(table, keys, func(block []wide) {
					require.NotEmpty(t, block)
					for _, k := range block {
						require.Equal(t, next, k.value)
						next++
					}
				})
				require.EqualValues(t, n, next)
				cpu.PrefetchEach(table, narrow, func(block []uint16) { next -= uint64(len(block)) })
				require.Zero(t, next)
				require.Equal(t, make([]uint64, words), table)
			})
		}
	}
}

// TestTablesWithinACoresCacheAreNotPrefetched checks the limit against the cache's size, and that size against common
// processors.
func TestTablesWithinACoresCacheAreNotPrefetched(t *testing.T) {
	size := cpu.OwnCache()
	require.GreaterOrEqual(t, size, uintptr(64<<10))
	require.LessOrEqual(t, size, uintptr(64<<20))
	require.False(t, cpu.OutOfReach(size))
	require.True(t, cpu.OutOfReach(size+1))
}

func TestPrefetchEachAllocatesNothing(t *testing.T) {
	table, keys, sum := make([]uint64, 1<<10), make([]uint64, 1000), uint64(0)
	require.Zero(t, testing.AllocsPerRun(10, func() {
		cpu.PrefetchEach(table, keys, func(block []uint64) { sum += uint64(len(block)) })
	}))
	require.NotZero(t, sum)
}

// BenchmarkPrefetchEach updates words of tables of several sizes, to find the size from which it gains.
func BenchmarkPrefetchEach(b *testing.B) {
	for _, log2 := range []int{12, 16, 18, 20, 22, 24} {
		table, keys := make([]uint64, 1<<log2), make([]uint64, 1<<12)
		visit := func(block []uint64) {
			for _, key := range block {
				table[int(key)&(len(table)-1)] ^= key
			}
		}
		run := func(name string, do func()) {
			b.Run(fmt.Sprintf("%s, 2^%d words", name, log2), func(b *testing.B) {
				for i := range b.N {
					for k := range keys {
						keys[k] = (uint64(i)<<12 + uint64(k)) * 0x9E3779B97F4A7C15 >> 20
					}
					do()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(keys)), "ns/word")
			})
		}
		run("plain", func() { visit(keys) })
		run("prefetched", func() { cpu.PrefetchEach(table, keys, visit) })
	}
}
