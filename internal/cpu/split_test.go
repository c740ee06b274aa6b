package cpu_test

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/cpu"
)

// TestSplitIsPlain compares with a loop, by each method of the processor: words of all sixteen sets of four, and many
// at random, into memory that has just enough room.
func TestSplitIsPlain(t *testing.T) {
	t.Run("with AVX-512", testSplit)
	t.Run("without", func(t *testing.T) {
		defer cpu.WithoutAVX512()()
		testSplit(t)
	})
}

func testSplit(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for round := range 2000 {
		n := round % 67
		vs, to := make([]uint64, n+1), make([]uint32, n)
		a, b := make([]uint64, n+1), make([]uint64, n+1)
		a[n], b[n] = 7, 7 // must stay
		var inA, inB []uint64
		for i := range to {
			vs[i], to[i] = rng.Uint64(), uint32(rng.IntN(2))
			if n == 4 {
				to[i] = uint32(round / 67 >> i & 1)
			}
		}
		put, behind := cpu.Split(unsafe.Pointer(&a[0]), unsafe.Pointer(&b[0]), to, unsafe.Pointer(&vs[0]))
		require.Contains(t, []int{0, n &^ 3, n &^ 7}, put)
		for i := range put {
			if to[i] == 0 {
				inA = append(inA, vs[i])
			} else {
				inB = append(inB, vs[i])
			}
		}
		require.Equal(t, behind, len(inB))
		require.Equal(t, inA, append([]uint64(nil), a[:put-behind]...))
		require.Equal(t, inB, append([]uint64(nil), b[:behind]...))
		require.EqualValues(t, 7, a[n])
		require.EqualValues(t, 7, b[n])
	}
}

// TestFieldsIsPlain compares fields of words with a loop, for all lengths and shifts, into memory that has just enough
// room.
func TestFieldsIsPlain(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for round := range 5000 {
		n, shift := round%67, uint8(rng.IntN(64))
		mask := uint64(1)<<rng.IntN(64) - 1
		words, to := make([]uint64, n), make([]uint32, n+1)
		to[n] = 7 // must stay
		for i := range words {
			words[i] = rng.Uint64()
		}
		done := cpu.Fields(words, mask, shift, to[:n])
		require.Contains(t, []int{0, n &^ 7}, done)
		for i, word := range words[:done] {
			require.Equal(t, uint32(word&mask>>shift), to[i])
		}
		require.Equal(t, make([]uint32, n-done), to[done:n])
		require.EqualValues(t, 7, to[n])
	}
}
