package model_test

import (
	"math"
	"math/bits"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/model"
	"github.com/activepebbles/pebbles/route"
)

// predicted returns the prediction of a job.
func predicted(t *testing.T, p model.Parameters, j model.Job) model.Prediction {
	t.Helper()
	r, err := p.Predict(j)
	require.NoError(t, err)
	return r
}

// round has parameters for easy arithmetic.
func round() model.Parameters {
	return model.Parameters{
		Process: model.Link{Latency: 100, Overhead: 10, Gap: 5, PerByte: 0.5},
		Host:    model.Link{Latency: 200, Overhead: 20, Gap: 10, PerByte: 1},
		Network: model.Link{Latency: 1000, Overhead: 50, Gap: 30, PerByte: 2},
		Pebble:  model.Pebble{Send: 3, Handle: 2, Forward: 4, Look: 1},
		Frame:   7,
	}
}

// TestDirectByHand computes an all-to-all of 4 ranks with 10 pebbles of 8 bytes to each, 4 per buffer: 3 frames per
// link.
func TestDirectByHand(t *testing.T) {
	p := round()
	r := predicted(t, p, model.Job{Ranks: 4, Topology: route.Direct, Coalesce: 4, Pebbles: 30, Bytes: 8, Even: true})
	require.EqualValues(t, 4*9, r.Frames)
	bytes := 30*8 + 9*56.0
	require.InDelta(t, 4*bytes, r.Bytes, 1e-9)
	require.InDelta(t, 30*3+30*2, r.Pebble, 1e-9)
	require.InDelta(t, 9*(2*10+7), r.Overhead, 1e-9)
	require.InDelta(t, 8*5, r.Gap, 1e-9)
	require.InDelta(t, bytes*0.5, r.Byte, 1e-9)
	require.InDelta(t, 100, r.Latency, 1e-9)
	require.Equal(t, "skr", r.Detector)
	require.InDelta(t, 2*2*(20+100+16*0.5), r.Termination, 1e-9)
	sum := r.Pebble + r.Overhead + r.Gap + r.Byte + r.Latency + r.Termination
	require.InDelta(t, sum, r.Seconds, 1e-9)
	require.InDelta(t, r.Gap+r.Byte+r.Latency+r.Termination, r.Overlapped, 1e-9, "bytes take longer than the processor")
	require.InDelta(t, 120/sum, r.Rate, 1e-9)
	require.Equal(t, 3, r.Buffers)
	require.EqualValues(t, 3*4*8, r.BufferBytes)
	require.InDelta(t, 30.0/9/4, r.FrameFill, 1e-9)
	require.InDelta(t, sum*4*3/30, r.Fill, 1e-9)
	require.Zero(t, r.Forwarded)
}

// TestTwoHopsByHand has a mesh of 4 ranks on two hosts of 2 processes of 1 rank: one dimension is within a host, the
// other between hosts. Each link carries 2 of 3 pebbles, and each rank passes one on.
func TestTwoHopsByHand(t *testing.T) {
	p := round()
	p.Interfaces = 1
	j := model.Job{
		Ranks: 4, Layout: model.Layout{PerProcess: 1, PerHost: 2}, Topology: route.Mesh(2, 2), Coalesce: 100,
		Pebbles: 30, Bytes: 8, Even: true, Epochs: 3, Compute: 11,
	}
	r := predicted(t, p, j)
	require.EqualValues(t, 3*8, r.Frames)
	require.InDelta(t, 3*4*10, r.Forwarded, 1e-9)
	bytes := 20*8 + 56.0 // of each of the two frames
	require.InDelta(t, 3*(30*3+30*(2+11)+10*4), r.Pebble, 1e-9)
	require.InDelta(t, 3*(2*20+7+2*50+7), r.Overhead, 1e-9)
	require.Zero(t, r.Gap, "one frame a class has no gap")
	require.InDelta(t, 3*(bytes*1+bytes*2*2), r.Byte, 1e-9, "two ranks share the interface")
	mean := (200 + 1000) / 2.0
	message := (240 + 1100 + bytes*1 + bytes*2) / 2
	require.InDelta(t, 3*(mean+message), r.Latency, 1e-9)
	require.InDelta(t, 3*2*((240+16*1)+(1100+16*2)), r.Termination, 1e-9, "ranks at distance 1 are on one host")
	require.Equal(t, 2, r.Hops)
	require.InDelta(t, 4.0/3, r.MeanHops, 1e-9)
}

// TestOwnPebbles: pebbles for the own rank cost no frame, and no cache holds them back.
func TestOwnPebbles(t *testing.T) {
	p := round()
	r := predicted(t, p, model.Job{Ranks: 1, Topology: route.Direct, Coalesce: 4, Pebbles: 30, Bytes: 8, Hit: 0.5})
	require.Zero(t, r.Frames)
	require.Zero(t, r.Merged)
	require.InDelta(t, 30*(3+2), r.Seconds, 1e-9)
}

// TestHitRate: reductions at every hop hold back 1-(1-h)^H.
func TestHitRate(t *testing.T) {
	p := round()
	j := model.Job{Ranks: 8, Topology: route.Direct, Coalesce: 1, Pebbles: 700, Bytes: 8, Even: true, Hit: 0.25}
	r := predicted(t, p, j)
	require.InDelta(t, 8*700*0.25, r.Merged, 1e-6)
	require.InDelta(t, 8*700*0.75, r.Frames, 8*7)
	require.InDelta(t, 700*3+525*2+700*1, r.Pebble, 1e-6, "every pebble is sent and looked for, three of four are "+
		"handled")
	j.Topology, j.Ranks = route.Hypercube, 16
	j.Pebbles = 1500
	hyper := predicted(t, p, j)
	h := 32.0 / 15
	require.InDelta(t, 16*1500*(1-math.Pow(0.75, h)), hyper.Merged, 1e-6)
	require.Greater(t, hyper.Merged/16/1500, r.Merged/8/700)
}

// TestDetectors counts steps (Active Pebbles, 3.6.1 and 3.6.2; TRAM, III.D).
func TestDetectors(t *testing.T) {
	p := round()
	for _, c := range []struct {
		detector string
		depth    int
		topology string
		steps    int
	}{
		{"skr", 0, "direct", 2 * 6}, {"skr", 0, "hypercube", 2 * 6}, {"skr", 3, "hypercube", 2 * 6},
		{"pcx", 1, "direct", 6}, {"nbx", 2, "direct", 2 * 6},
		{"pcx", 1, "hypercube", 6 * 6}, {"pcx", 2, "hypercube", 2 * 6 * 6}, // depth 2·log2 P (Active Pebbles, 5.2)
		{"pcx-neighbors", 1, "hypercube", 6 * 3}, // O(log P log log P)
		{"ordered", 1, "mesh:4x4x4", 3}, {"ordered", 2, "mesh:8x8", 4},
		{"auto", 1, "mesh:4x4x4", 3}, {"", 0, "mesh:4x4x4", 2 * 6}, {"auto", 9, "hypercube", 2 * 6},
	} {
		r := predicted(t, p, model.Job{
			Ranks: 64, Topology: byName(t, c.topology), Coalesce: 4, Pebbles: 30, Bytes: 8, Depth: c.depth,
			Detector: c.detector,
		})
		require.Equal(t, c.steps, r.Messages, c)
		require.InDelta(t, float64(c.steps)*(20+100+8), r.Termination, 1e-9, c)
	}
}

func TestPredictRefuses(t *testing.T) {
	good := model.Job{Ranks: 4, Topology: route.Ring, Coalesce: 4, Pebbles: 30, Bytes: 8}
	for says, spoil := range map[string]func(*model.Job){
		"at least one":         func(j *model.Job) { j.Ranks = 0 },
		"factor 0":             func(j *model.Job) { j.Coalesce = 0 },
		"NaN pebbles":          func(j *model.Job) { j.Pebbles = math.NaN() },
		"0 bytes":              func(j *model.Job) { j.Bytes = 0 },
		"depth -1":             func(j *model.Job) { j.Depth = -1 },
		"hit rate 1.5":         func(j *model.Job) { j.Hit = 1.5 },
		"unknown detector":     func(j *model.Job) { j.Detector = "hope" },
		"declared depth":       func(j *model.Job) { j.Detector = "nbx" },
		"with stages":          func(j *model.Job) { j.Detector, j.Depth = "ordered", 1 },
		"compute is -1":        func(j *model.Job) { j.Compute = -1 },
		"give a constructor":   func(j *model.Job) { j.Topology = nil },
		"sizes multiply to 12": func(j *model.Job) { j.Topology = route.Mesh(3, 4) },
	} {
		j := good
		spoil(&j)
		p := round()
		_, err := p.Predict(j)
		require.ErrorContains(t, err, says)
	}
	p := round()
	p.Host.Gap = math.Inf(1)
	_, err := p.Predict(good)
	require.ErrorContains(t, err, `link "host": gap is +Inf`)
}

// randomAccess is the paper's RandomAccess: epochs of 1,024 updates of 8 bytes, the look-ahead that the benchmark
// allows, ended by pcx, on four ranks per node (Active Pebbles, sections 4.1 and 5).
func randomAccess(ranks int, topology route.Constructor) model.Job {
	return model.Job{
		Ranks: ranks, Layout: model.Layout{PerProcess: 1, PerHost: 4}, Topology: topology, Coalesce: 1024,
		Pebbles: 1024, Bytes: 8, Depth: 1, Detector: "pcx",
	}
}

var powers = []int{4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 16384, 65536}

// TestCrossover: on Odin a hypercube is slower than direct sends on few ranks and faster on many (Active Pebbles,
// section 5.2 and figure 3a: beyond 128).
func TestCrossover(t *testing.T) {
	for _, n := range powers {
		direct := predicted(t, model.Odin, randomAccess(n, route.Direct))
		hypercube := predicted(t, model.Odin, randomAccess(n, route.Hypercube))
		if n < 32 || n >= 256 {
			require.Equal(t, n >= 256, hypercube.Seconds < direct.Seconds, "%d ranks", n)
		}
	}
}

// TestGrowth: buffers grow as log P and frames as P log P; of direct sends as P and P² (Active Pebbles, 3.4).
func TestGrowth(t *testing.T) {
	for _, ranks := range []int{16, 256, 4096} {
		log := float64(bits.Len(uint(ranks)) - 1)
		j := randomAccess(ranks, route.Hypercube)
		j.Even, j.Pebbles, j.Coalesce = true, float64(ranks-1), 1<<20
		r := predicted(t, model.Odin, j)
		require.EqualValues(t, log, r.Buffers)
		require.InEpsilon(t, float64(ranks)*log, r.Frames, 1e-9)
		j.Topology = route.Direct
		r = predicted(t, model.Odin, j)
		require.Equal(t, ranks-1, r.Buffers)
		require.InEpsilon(t, float64(ranks)*float64(ranks-1), r.Frames, 1e-9)
	}
}

// TestParts: the times of the parts add up, and each names its source.
func TestParts(t *testing.T) {
	p := round()
	r := predicted(t, p, model.Job{Ranks: 16, Topology: route.Hypercube, Coalesce: 4, Pebbles: 30, Bytes: 8})
	sum := 0.0
	for i, part := range r.Parts() {
		require.NotEmpty(t, part.Formula, part.Name)
		if i > 0 && i < 7 {
			require.Equal(t, "s", part.Unit, part.Name)
			sum += part.Value
		}
	}
	require.InDelta(t, r.Seconds, sum, 1e-9)
}

// A job too large for a survey is refused with an error, before any allocation.
func TestImpossibleJobsAreRefused(t *testing.T) {
	const want = "model: 1000000000 ranks need 18.6 GiB of memory for their routes: give at most 67108864"
	_, err := model.Survey(route.Hypercube, 1_000_000_000, model.Layout{})
	require.EqualError(t, err, want)
	machine := model.Parameters{}
	_, err = machine.Predict(model.Job{Ranks: 1_000_000_000, Topology: route.Direct, Coalesce: 1, Bytes: 8})
	require.EqualError(t, err, want)
}

// TestMeshMemory has the example of TRAM's section V.A: 60 buffers of 8 KB, for a mesh whose Neighbors are Σ(s-1).
func TestMeshMemory(t *testing.T) {
	j := model.Job{Ranks: 256, Topology: route.Mesh(4, 4, 4, 4), Coalesce: 256, Bytes: 32, Pebbles: 1}
	r := predicted(t, model.BlueGeneQ, j)
	require.EqualValues(t, 4*3*8192, r.BufferBytes)
	j.Topology = route.Direct
	r = predicted(t, model.BlueGeneQ, j)
	require.EqualValues(t, 255*8192, r.BufferBytes)
}
