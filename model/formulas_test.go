package model_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/model"
	"github.com/activepebbles/pebbles/route"
)

// TestCoalescing works section 3.3 of Active Pebbles out by hand.
func TestCoalescing(t *testing.T) {
	l := model.Link{Latency: 5, Overhead: 1, Gap: 2, PerByte: 0.01}
	require.InDelta(t, 11*1+5+0.01+9*2, l.Apart(10, 1), 1e-12)
	require.InDelta(t, 2*1+5+10*0.01, l.Together(10, 1), 1e-12)
	require.InDelta(t, l.Together(1, 1), l.Apart(1, 1), 1e-12, "one pebble is one message either way")
	require.True(t, l.CoalescingPays(1))
	require.True(t, l.CoalescingPays(299))
	require.False(t, l.CoalescingPays(300))
	require.InDelta(t, 300, l.Half(), 1e-9)
	// The condition is what the two formulas say for many pebbles.
	for _, bytes := range []float64{1, 299, 301, 1000} {
		const n = 1e6
		require.Equal(t, l.CoalescingPays(bytes), l.Together(n, bytes) < l.Apart(n, bytes), bytes)
	}
}

// TestReductions works section 3.5 of Active Pebbles out by hand.
func TestReductions(t *testing.T) {
	require.True(t, model.ReductionPays(0.3, 10, 2.9))
	require.False(t, model.ReductionPays(0.3, 10, 3.1))
	require.InDelta(t, 2+0.7*10, model.ReducedTravel(0.3, 10, 2), 1e-12)
	require.InDelta(t, 1-0.9*0.9*0.9, model.HitRate(0.1, 3), 1e-12)
	require.InDelta(t, 0.001*10, model.HitRate(0.001, 10), 1e-4, "about h·log2 P")
}

// TestTableOne works TRAM's table I out by hand.
func TestTableOne(t *testing.T) {
	a := model.Aggregation{
		Payload: 32, Header: 64, Alpha: 5, Beta: 0.5, Buffer: 64, Rate: 2, Dims: 3, Links: 4, Items: 640,
	}
	require.Equal(t, model.Performance{Latency: 5 + 48, Usage: 4 * 640 * 96, Injected: 640 * 96, Messages: 640}, a.Direct())
	require.Equal(t, model.Performance{Latency: 5 + 0.5*(2048+64), Usage: 4 * 640 * 33, Injected: 640 * 33, Messages: 10}, a.Lower())
	require.Equal(t, model.Performance{
		Latency: 3 * (1061 + 32), Usage: 4 * 640 * 33, Injected: 3 * 640 * 33, Messages: 30,
	}, a.Upper())
}

// TestTableTwo has the figures that TRAM prints.
func TestTableTwo(t *testing.T) {
	require.Equal(t, []float64{1, 93, 2883, 29791}, model.MeshMessages(32, 32, 32))
	require.Equal(t, []float64{1, 60, 1350, 13500, 50625}, model.MeshMessages(16, 16, 16, 16))
}

// TestMeshMessages compares equation 3 with routes that are followed.
func TestMeshMessages(t *testing.T) {
	for _, dims := range [][]int{{7}, {2, 2, 2}, {4, 4}, {2, 3, 4}, {5, 1, 3}, {2, 2, 2, 3}} {
		ranks := 1
		for _, d := range dims {
			ranks *= d
		}
		counts := model.MeshMessages(dims...)
		for _, from := range []int{0, ranks / 2, ranks - 1} {
			for a, n := range route.MessageCounts(route.Mesh(dims...)(ranks), from) {
				require.EqualValues(t, n, counts[a], "%v from %d", dims, from)
			}
		}
	}
}

// TestMeshMemory has the example of TRAM's section V.A: 60 buffers of 8 KB, and 512 MB of them when sending directly.
func TestMeshMemory(t *testing.T) {
	const item, buffer = 32, 256 // 8 KB
	require.EqualValues(t, 60*8192, model.MeshMemory(item, buffer, 16, 16, 16, 16))
	require.EqualValues(t, 65535*8192, model.MeshMemory(item, buffer, 65536))
	require.InDelta(t, 512<<20, model.MeshMemory(item, buffer, 65536), 8192)
}

// TestFillSeconds: g/r is the special case of one buffer, and a mesh fills faster by N(P-1)/Σ(s-1).
func TestFillSeconds(t *testing.T) {
	require.InDelta(t, 64.0/2, model.FillSeconds(64, 2, 1, 1), 1e-12)
	direct, mesh := model.FillSeconds(64, 2, 1, 4095), model.FillSeconds(64, 2, 3, 45)
	require.InDelta(t, 3*4095.0/45, direct/mesh, 1e-9)
}
