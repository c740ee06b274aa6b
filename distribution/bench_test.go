package distribution_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/activepebbles/pebbles/distribution"
)

// BenchmarkOwners measures ns per key, with the sum of the owners as a check of the work.
func BenchmarkOwners(b *testing.B) {
	const n, ranks = 1<<20 - 3, 12
	table := make([]int, n)
	for key := range table {
		table[key] = key % ranks
	}
	some := distribution.NewDirectory(distribution.Block(n, ranks), 0)
	for key := range uint64(1000) {
		some.Learn(n-1-key*7, 1, 1)
	}
	maps := []struct {
		name string
		m    distribution.Map
	}{
		{"block", distribution.Block(n, ranks)},
		{"cyclic", distribution.Cyclic(n, ranks)},
		{"blockcyclic", distribution.BlockCyclic(n, ranks, 100)},
		{"shuffled", distribution.Shuffled(n, ranks, 1)},
		{"shuffled-2^19+1", distribution.Shuffled(1<<19+1, ranks, 1)},
		{"hash", distribution.Hash(ranks)},
		{"table", distribution.Table(table, ranks)},
		{"directory-at-home", distribution.NewDirectory(distribution.Block(n, ranks), 0)},
		{"directory-1000-moved", some},
		{"users-own", parity{}},
	}
	rng := rand.New(rand.NewPCG(1, 2))
	keys, owners := make([]uint64, 1024), make([]uint32, 1024)
	for i := range keys {
		keys[i] = rng.Uint64N(1 << 19)
	}
	for _, c := range maps {
		b.Run(c.name, func(b *testing.B) {
			m := distribution.BatcherOf(c.m)
			for b.Loop() {
				m.Owners(keys, owners)
			}
			sum := 0
			for _, owner := range owners {
				sum += int(owner)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(keys)), "ns/key")
			b.ReportMetric(float64(sum), "sum")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// BenchmarkLocal is the loop of a handler: a batch of keys, XORed into a table.
func BenchmarkLocal(b *testing.B) {
	words := distribution.Block(1<<14, 3)
	table := make([]uint64, words.LocalLen(0))
	keys := make([]uint64, 1024)
	for i := range keys {
		keys[i] = uint64(i*7919) % uint64(len(table))
	}
	for b.Loop() {
		for _, key := range keys {
			table[words.Local(key)] ^= key
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(keys)), "ns/key")
	b.ReportMetric(0, "ns/op")
}

func BenchmarkHashString(b *testing.B) {
	for _, text := range []string{"a", "pebble", strings.Repeat("pebble", 100)} {
		b.Run(text[:min(len(text), 10)], func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			sum := uint64(0)
			for b.Loop() {
				sum += distribution.HashString(text)
			}
			b.ReportMetric(float64(sum&0xffff), "sum")
		})
	}
}
