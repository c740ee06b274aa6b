package limits

import (
	"fmt"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPermutation(t *testing.T) {
	for _, shares := range []int{1, 2, 3, 16} {
		p := Permutation{Log2Elements: 10, Shares: shares, Seed: 7}
		plain, err := p.Run()
		require.NoError(t, err)
		require.Zero(t, plain.Errors)
		require.Equal(t, "limit-permutation", plain.App)
		require.EqualValues(t, shares<<10, plain.Elements)
		require.InEpsilon(t, float64(plain.Elements)/plain.Seconds, plain.ElementsPerSecond, 1e-9)
		require.Equal(t, checksum([][]uint64{serialPermutation(t, p)}), plain.Checksum, "as one after the other")
		p.Huge = true
		huge, err := p.Run()
		require.NoError(t, err)
		require.Equal(t, plain.Checksum, huge.Checksum)
		p.Seed = 8
		other, err := p.Run()
		require.NoError(t, err)
		require.NotEqual(t, plain.Checksum, other.Checksum)
	}
}

// serialPermutation returns the result in the reverse direction: it searches for the element of each place.
func serialPermutation(t *testing.T, p Permutation) (out []uint64) {
	a, free, err := p.arrays()
	require.NoError(t, err)
	defer free()
	for place := range a.out {
		index := slices.Index(a.perm, uint64(place))
		out = append(out, uint64(slices.Index(a.data, uint64(index))))
	}
	return out
}

// data and perm are permutations, different from each other and from the identity.
func TestShuffle(t *testing.T) {
	const n = 1000
	data, perm, ordered := make([]uint64, n), make([]uint64, n), make([]uint64, n)
	for i := range ordered {
		ordered[i] = uint64(i)
	}
	shuffle(data, 3, 1)
	shuffle(perm, 3, 2)
	require.ElementsMatch(t, ordered, data)
	require.ElementsMatch(t, ordered, perm)
	require.NotEqual(t, data, perm)
	home := 0
	for i, v := range data {
		if v == uint64(i) {
			home++
		}
	}
	require.Less(t, home, 10, "a random permutation leaves one element at its place in the mean")
}

// Every kind of wrong result is noticed: a missing element, two swapped elements, and one that is stored twice.
func TestMisplacedElements(t *testing.T) {
	right := func() arrays {
		return arrays{data: []uint64{2, 0, 1, 3}, perm: []uint64{3, 1, 0, 2}, out: []uint64{0, 2, 3, 1}}
	}
	require.Zero(t, right().misplaced())
	for i, c := range []struct {
		spoil func(a arrays)
		want  uint64
	}{
		{func(a arrays) { a.out[1] = unset }, 1},
		{func(a arrays) { a.out[0], a.out[3] = a.out[3], a.out[0] }, 2},
		{func(a arrays) { a.out[2] = a.out[1] }, 1},
		{func(a arrays) { a.perm[1] = a.perm[0] }, 1},
		{func(a arrays) { a.data[1] = a.data[0] }, 1},
	} {
		a := right()
		c.spoil(a)
		require.Equal(t, c.want, a.misplaced(), fmt.Sprint(i))
	}
}

func TestBadPermutation(t *testing.T) {
	for _, bad := range []Permutation{{}, {Log2Elements: 31, Shares: 1}, {Log2Elements: 4},
		{Log2Elements: 30, Shares: 65}, {Log2Elements: -1, Shares: 1}} {
		_, err := bad.Run()
		require.ErrorContains(t, err, "give 1 to 30")
	}
}

// Every element is in one share, and the two permutations differ.
func TestShares(t *testing.T) {
	p := Permutation{Log2Elements: 4, Shares: 5, Seed: 1}
	times := make([]atomic.Int32, 5<<4)
	p.shared(func(first, end int) {
		for i := first; i < end; i++ {
			times[i].Add(1)
		}
	})
	for i := range times {
		require.EqualValues(t, 1, times[i].Load(), i)
	}
	a, free, err := p.arrays()
	require.NoError(t, err)
	defer free()
	require.NotEqual(t, a.data, a.perm)
}
