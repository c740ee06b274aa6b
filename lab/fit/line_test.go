package fit

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/model"
)

// random draws the same numbers in every run: assertions on them hold for nearly all seeds, not for all.
func random() *rand.Rand { return rand.New(rand.NewPCG(1, 3)) }

func TestLine(t *testing.T) {
	l := lineThrough([]point{{1, 5}, {2, 7}, {4, 11}, {8, 19}})
	require.InDelta(t, 3, l.intercept, 1e-12)
	require.InDelta(t, 2, l.slope, 1e-12)
	require.InDelta(t, 0, l.residual, 1e-12)
	// One outlier among five points changes nothing.
	l = lineThrough([]point{{1, 5}, {2, 7}, {4, 1100}, {8, 19}, {16, 35}})
	require.InDelta(t, 3, l.intercept, 1e-9)
	require.InDelta(t, 2, l.slope, 1e-9)
	require.Equal(t, line{intercept: 4}, lineThrough([]point{{1, 4}}), "one point has no slope")
}

func TestMiddle(t *testing.T) {
	require.Zero(t, middle(nil))
	require.EqualValues(t, 2, middle([]weighted{{3, 1}, {1, 1}, {2, 1}}))
	require.EqualValues(t, 2.5, middle([]weighted{{4, 1}, {1, 1}, {2, 1}, {3, 1}}))
	require.EqualValues(t, 9, middle([]weighted{{1, 1}, {2, 1}, {9, 5}}))
}

// The mean is over three quarters; for a machine that is slow half of the time it is between its two states.
func TestMean(t *testing.T) {
	require.EqualValues(t, 2, mean([]float64{1, 2, 3}))
	require.EqualValues(t, 2, mean([]float64{1, 100, 1, 3, 3, 2, -50, 2}))
	require.EqualValues(t, 5, mean([]float64{1, 9, 1, 9, 1, 9, 1, 9}))
}

// played returns the samples of a machine of known parameters, with noise that stretches times, at times by far, as
// other programs do.
func played(rng *rand.Rand, l model.Link, noise float64) (s samples) {
	off := func(seconds float64) float64 {
		seconds *= math.Exp(noise * rng.NormFloat64())
		if noise > 0 && rng.IntN(20) == 0 {
			seconds *= 1 + 3*rng.Float64()
		}
		return seconds
	}
	for _, bytes := range pingSizes {
		s.pings = append(s.pings, point{float64(bytes), off(l.Message(float64(bytes)))})
	}
	for _, bytes := range tradeSizes {
		n := float64(bytes)
		s.trades = append(s.trades, point{n, off(2*l.Overhead + 2*n*(l.EndPerByte+l.Batch/batchBytes))})
	}
	s.alone = off(2*l.Overhead + 2*l.Batch + 2*small*(l.EndPerByte+l.Batch/batchBytes))
	for _, bytes := range streamSizes {
		s.streams = append(s.streams, point{float64(bytes), off(l.Interval() + l.PerByte*float64(bytes))})
	}
	return s
}

// TestParametersComeBack: known parameters of links of all kinds are found again, exactly without noise, and with noise
// within some per cent of the times that they add up to.
func TestParametersComeBack(t *testing.T) {
	rng := random()
	for _, l := range []model.Link{
		{Latency: 100e-9, Overhead: 50e-9, Gap: 20e-9, PerByte: 0.05e-9},
		{Latency: 2e-6, Overhead: 1e-6, Gap: 1e-6, PerByte: 0.2e-9, EndPerByte: 0.3e-9},
		{Latency: 20e-6, Overhead: 5e-6, Gap: 0, PerByte: 1e-9, EndPerByte: 0.4e-9, Batch: 8e-6},
		{Latency: 2.5e-6, Overhead: 1.5e-6, Gap: 1e-6, PerByte: 1e-9},
		{Latency: 50e-6, Overhead: 0.2e-6, Gap: 3e-6, PerByte: 8e-9},
	} {
		got, residual := played(rng, l, 0).link()
		require.InEpsilon(t, l.Latency, got.Latency, 1e-9)
		require.InEpsilon(t, l.Overhead, got.Overhead, 1e-9)
		require.InDelta(t, l.Gap, got.Gap, 1e-9*l.Interval())
		require.InEpsilon(t, l.PerByte, got.PerByte, 1e-9)
		require.InDelta(t, l.EndPerByte, got.EndPerByte, 1e-15)
		require.InDelta(t, l.Batch, got.Batch, 1e-12)
		require.Less(t, residual, 1e-9)
		var all []samples
		for range 40 {
			all = append(all, played(rng, l, 0.03))
		}
		noisy, measured := summary(all)
		require.InDelta(t, l.Overhead, noisy.Overhead, 0.06*l.Overhead)
		require.InDelta(t, l.PerByte, noisy.PerByte, 0.1*l.PerByte)
		require.InDelta(t, l.EndPerByte, noisy.EndPerByte, 0.05e-9)
		require.InDelta(t, l.Batch, noisy.Batch, 0.1*l.Batch+0.1*l.Overhead)
		require.InDelta(t, l.Interval(), noisy.Interval(), 0.15*l.Interval())
		require.InDelta(t, l.Message(64), noisy.Message(64), 0.1*l.Message(64))
		require.InDelta(t, 0.02, measured.Residual, 0.03)
		require.Positive(t, measured.Spread.PerByte)
		require.Less(t, measured.Spread.PerByte, 0.2*l.PerByte)
	}
}

// TestNothingBelowZero: a parameter hidden by another is 0, and the sums still agree.
func TestNothingBelowZero(t *testing.T) {
	s := samples{trades: []point{{64, 10}, {128, 10}}, pings: []point{{64, 3}},
		streams: []point{{64, 2}, {128, 1}, {256, 0.5}}}
	l, _ := s.link()
	require.Zero(t, l.PerByte)
	require.InDelta(t, 3, l.Message(64), 1e-12)
	require.InDelta(t, lineThrough(s.streams).intercept, l.Interval(), 1e-12)
	require.Equal(t, model.Link{Overhead: 1.5, Gap: lineThrough(s.streams).intercept - 1.5}, l)
}
