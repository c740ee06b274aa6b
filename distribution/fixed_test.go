package distribution_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/distribution"
)

var fixedHashes = map[string]uint64{
	"":                   0x1850124322829e23,
	"a":                  0xbb070bc67a0951f6,
	"abc":                0x004846857b6d2898,
	"four":               0xd525d665c701d9f5,
	"active":             0x093678f3bf6817d9,
	"pebbles!":           0xc7384d5507b90a2a,
	"active pebbles":     0xfb0c0f6bb495057a,
	"sixteen bytes ok":   0x5d880b5630b4ea01,
	"seventeen bytes ok": 0xad2e3b82e542e55a,
	"a text of more than two words of sixteen bytes each": 0xb1169a306f94345b,
}

// Keys and owners live in files and in other processes: they must never change.
func TestHashesAreFixed(t *testing.T) {
	for text, want := range fixedHashes {
		require.Equal(t, want, distribution.HashString(text), text)
		require.Equal(t, want, distribution.HashBytes([]byte(text)), text)
	}
	for key, want := range []int{0, 290, 377, 245, 169, 268, 522, 836} {
		require.Equal(t, want, distribution.Hash(1000).Owner(uint64(key)))
	}
	for key, want := range []int{781, 3, 449, 701, 995, 383, 805, 515} {
		require.Equal(t, want, distribution.Shuffled(1000, 1000, 1).Owner(uint64(key)))
	}
}
