package model_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/model"
	"github.com/activepebbles/pebbles/route"
)

// meshMessages counts, for each number of messages from 0 on, the ranks of a mesh that so many messages reach from one
// of them (TRAM, table II and, where all dimensions are alike, equation 3).
func meshMessages(dims ...int) []float64 {
	counts := []float64{1}
	for _, d := range dims {
		counts = append(counts, 0)
		for a := len(counts) - 1; a > 0; a-- {
			counts[a] += counts[a-1] * float64(d-1)
		}
	}
	return counts
}

// TestTableTwo has the figures that TRAM prints.
func TestTableTwo(t *testing.T) {
	require.Equal(t, []float64{1, 93, 2883, 29791}, meshMessages(32, 32, 32))
	require.Equal(t, []float64{1, 60, 1350, 13500, 50625}, meshMessages(16, 16, 16, 16))
}

// TestMeshMessages compares equation 3 with routes that are followed.
func TestMeshMessages(t *testing.T) {
	for _, dims := range [][]int{{7}, {2, 2, 2}, {4, 4}, {2, 3, 4}, {5, 1, 3}, {2, 2, 2, 3}} {
		ranks := 1
		for _, d := range dims {
			ranks *= d
		}
		counts := meshMessages(dims...)
		for _, from := range []int{0, ranks / 2, ranks - 1} {
			for a, n := range route.MessageCounts(route.Mesh(dims...)(ranks), from) {
				require.EqualValues(t, n, counts[a], "%v from %d", dims, from)
			}
		}
	}
}

// TestMeshMemory has the example of TRAM's section V.A: 60 buffers of 8 KB, for a mesh whose Neighbors are Σ(s-1).
func TestMeshMemory(t *testing.T) {
	j := model.Job{Ranks: 256, Topology: route.Mesh(4, 4, 4, 4), Coalesce: 256, Bytes: 32, Pebbles: 1}
	r, err := model.BlueGeneQ.Predict(j)
	require.NoError(t, err)
	require.EqualValues(t, 4*3*8192, r.BufferBytes)
	j.Topology = route.Direct
	r, err = model.BlueGeneQ.Predict(j)
	require.NoError(t, err)
	require.EqualValues(t, 255*8192, r.BufferBytes)
}
