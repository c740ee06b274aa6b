package distribution_test

import (
	"math/bits"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/distribution"
)

func TestShuffleIsABijection(t *testing.T) {
	for width := range 13 {
		for seed := range uint64(5) {
			seen := make([]bool, 1<<width)
			for x := range uint64(1) << width {
				y := distribution.Apply(width, seed, x)
				require.False(t, seen[y])
				seen[y] = true
				require.Equal(t, x, distribution.Invert(width, seed, y))
			}
		}
	}
	rng := seeded(t)
	for range 10_000 {
		width, seed := rng.IntN(65), rng.Uint64()
		x := rng.Uint64() >> min(63, 64-width)
		if width == 0 {
			x = 0
		}
		require.Equal(t, x, distribution.Invert(width, seed, distribution.Apply(width, seed, x)))
	}
}

// requireEven fails if counts are less even than 1 in a million random draws would be: chi-square is close to normal
// with this mean and deviation.
func requireEven(t *testing.T, counts []int, what string) {
	t.Helper()
	total := 0
	for _, c := range counts {
		total += c
	}
	even := float64(total) / float64(len(counts))
	chi := 0.0
	for _, c := range counts {
		chi += (float64(c) - even) * (float64(c) - even) / even
	}
	free := float64(len(counts) - 1)
	require.Less(t, chi, 1.6*free+30, what)
}

// Strided keys must spread like random ones: this is the purpose of hashing.
func TestHashingSpreadsStrides(t *testing.T) {
	const n, ranks, draws = 1 << 20, 64, 1 << 14
	for _, stride := range []uint64{1, 2, 3, 16, 63, 64} {
		for name, m := range map[string]distribution.Map{
			"hash": distribution.Hash(ranks), "shuffled": distribution.Shuffled(n, ranks, 1),
			"shuffled, not a power of two": distribution.Shuffled(n+n/3, ranks, 2),
		} {
			counts := make([]int, ranks)
			for i := range uint64(draws) {
				counts[m.Owner(i*stride)]++
			}
			requireEven(t, counts, name)
		}
	}
	hash := distribution.Hash(ranks)
	for shift := range 50 { // keys that differ in high bits alone
		counts := make([]int, ranks)
		for i := range uint64(draws) {
			counts[hash.Owner(i<<shift)]++
		}
		requireEven(t, counts, "hash of high bits")
	}
}

func TestSeedsGiveOtherOrders(t *testing.T) {
	a, b := distribution.Shuffled(1000, 10, 1), distribution.Shuffled(1000, 10, 2)
	same := 0
	for key := range uint64(1000) {
		if a.Owner(key) == b.Owner(key) {
			same++
		}
	}
	require.Less(t, same, 200)
}

// Each bit of the input changes each bit of the output about half of the time.
func TestMixAvalanche(t *testing.T) {
	rng := seeded(t)
	const draws = 2000
	for in := range 64 {
		var flips [64]int
		for range draws {
			x := rng.Uint64()
			for diff := distribution.Mix(x) ^ distribution.Mix(x^1<<in); diff != 0; diff &= diff - 1 {
				flips[bits.TrailingZeros64(diff)]++
			}
		}
		for out, flipped := range flips {
			require.InDelta(t, draws/2, flipped, draws/8, "bit %d on bit %d", in, out)
		}
	}
}

func TestHashStringTellsTextsApart(t *testing.T) {
	seen := map[uint64]string{}
	see := func(text string) {
		h := distribution.HashString(text)
		other, ok := seen[h]
		require.False(t, ok && other != text, "%q and %q", other, text)
		seen[h] = text
	}
	for length := range 70 {
		see(strings.Repeat("\x00", length))
		see(strings.Repeat("a", length))
		for at := range length {
			for bit := range 8 {
				text := []byte(strings.Repeat("a", length))
				text[at] ^= 1 << bit
				see(string(text))
			}
		}
	}
	for a := range 256 {
		for b := range 256 {
			see(string([]byte{byte(a), byte(b)}))
			see(string([]byte{byte(a), 'x', byte(b)}))
		}
	}
}

func TestHashStringSpreads(t *testing.T) {
	hash := distribution.Hash(64)
	for _, pad := range []string{"", "vertex-", strings.Repeat("long prefix ", 5)} {
		owners, low := make([]int, 64), make([]int, 64)
		text := []byte(pad + "0000")
		for i := range 10_000 {
			for digit, rest := len(text)-1, i; digit >= len(pad); digit, rest = digit-1, rest/10 {
				text[digit] = byte('0' + rest%10)
			}
			h := distribution.HashBytes(text)
			owners[hash.Owner(h)]++
			low[h%64]++
		}
		requireEven(t, owners, pad)
		requireEven(t, low, pad)
	}
	require.Zero(t, testing.AllocsPerRun(10, func() { distribution.HashString("active pebbles") }))
}
