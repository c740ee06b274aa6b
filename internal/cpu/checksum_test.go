package cpu_test

import (
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/cpu"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// TestChecksum compares with the standard library, by each method of the processor: all lengths up to some blocks, and
// some far beyond, at all offsets.
func TestChecksum(t *testing.T) {
	t.Run("with AVX-512", testChecksum)
	t.Run("without", func(t *testing.T) {
		defer cpu.WithoutAVX512()()
		testChecksum(t)
	})
}

func testChecksum(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	all := make([]byte, 300<<10)
	for i := range all {
		all[i] = byte(rng.Uint32())
	}
	same := func(b []byte) {
		t.Helper()
		require.Equal(t, crc32.Checksum(b, castagnoli), cpu.Checksum(b), "%d bytes", len(b))
	}
	same(nil)
	for n := range 20_000 {
		same(all[n%17:][:n])
	}
	for range 200 {
		from := rng.IntN(len(all))
		same(all[from:][:rng.IntN(len(all)-from)])
	}
}

// FuzzChecksum checks arbitrary bytes; runs of zeros are the weak point of a sum.
func FuzzChecksum(f *testing.F) {
	f.Add(make([]byte, 10_000), 3)
	f.Fuzz(func(t *testing.T, b []byte, zeros int) {
		b = append(b, make([]byte, uint(zeros)%20_000)...)
		require.Equal(t, crc32.Checksum(b, castagnoli), cpu.Checksum(b))
	})
}

func BenchmarkChecksum(b *testing.B) {
	for _, size := range []int{64, 1 << 10, 4 << 10, 32 << 10, 128 << 10} {
		for name, sum := range map[string]func(p []byte) uint32{
			"ours": cpu.Checksum, "standard": func(p []byte) uint32 { return crc32.Checksum(p, castagnoli) },
		} {
			b.Run(fmt.Sprintf("%s/%d", name, size), func(b *testing.B) {
				p := make([]byte, size)
				b.SetBytes(int64(size))
				for b.Loop() {
					sum(p)
				}
			})
		}
	}
}
