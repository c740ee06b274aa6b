package sssp

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// Buckets give back all that joined, in the order of their buckets as long as none joins below, and any that does goes
// first.
func TestBuckets(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	b := buckets[uint32]{delta: 0.5}
	for range 3 {
		b.clear()
		var want []float64
		for i := range 5000 {
			dist := math.Floor(random.Float64() * 4 * bucketCount)
			if i%100 == 0 {
				dist = 1e300 * random.Float64()
			}
			want = append(want, dist)
			b.join(uint32(i), dist)
		}
		slices.Sort(want)
		var got []float64
		for !b.isEmpty() {
			at := b.nearest()
			for w, ok := b.pop(at); ok; w, ok = b.pop(at) {
				require.Equal(t, at, b.of(w.dist))
				got = append(got, w.dist)
			}
		}
		require.Len(t, got, len(want))
		for i := range got {
			require.Equal(t, b.of(want[i]), b.of(got[i]))
		}
	}
}

func TestBucketsThatFall(t *testing.T) {
	b := buckets[uint32]{delta: 1}
	b.clear()
	dists := []float64{5000, 5000 + bucketCount - 1, 9000, 3, 3 + bucketCount, 5000 - bucketCount, 1e18, 4}
	for v, dist := range dists {
		b.join(uint32(v), dist)
	}
	var got []float64
	for !b.isEmpty() {
		if w, ok := b.pop(b.nearest()); ok {
			got = append(got, w.dist)
		}
	}
	slices.Sort(dists)
	require.Equal(t, dists, got)
}

func TestRoundUp(t *testing.T) {
	for _, d := range []float64{0, 1, 1.0 / 3, 1e-300, 1e300, 16777217, math.Inf(1)} {
		require.GreaterOrEqual(t, float64(roundUp(d)), d)
	}
	require.Equal(t, float32(16777218), roundUp(16777217))
}
