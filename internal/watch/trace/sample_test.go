package trace

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// second lets a rank record events for a second, in turns of kinds, and drains once in each window.
func second(t *testing.T, f *File, at *time.Duration, events int) (kept int) {
	r := f.Rank(0)
	for range 4 {
		for i := range events / 4 {
			*at += 2
			if !r.Sampled() {
				continue
			}
			kept++
			kind := []Kind{Handler, Flush}[i%2]
			r.Slice(kind, 1, *at, *at+1, 1, 2)
		}
		require.NoError(t, f.Drain())
	}
	return kept
}

// TestSampling requires that a rank keeps all of few events, and some thousand a second of many. The sum of their
// weights is about the total.
func TestSampling(t *testing.T) {
	f := create(t, configOf(0, 1, 1))
	f.now = stepping(window)
	var at time.Duration
	require.NoError(t, f.Drain())
	require.Equal(t, 400, second(t, f, &at, 400))
	const many = 1_000_000
	for range 5 {
		kept := second(t, f, &at, many)
		require.Less(t, kept, 12_000)
		require.Greater(t, kept, 500)
	}
	for range 5 {
		second(t, f, &at, 400) // the share grows again
	}
	require.Equal(t, 400, second(t, f, &at, 400))
	p := finished(t, f)
	require.Len(t, p.said, 1, "nothing is dropped")
	stand := map[string]float64{}
	for _, e := range p.events {
		stand[e.kind] += float64(max(e.numbers["weight"], 1))
	}
	require.InEpsilon(t, 5*many/2, stand["handler"], 0.2)
	require.InEpsilon(t, 5*many/2, stand["flush"], 0.2)
}

// TestSamplingAfterQuiet requires that a rank that was busy and then idle for long keeps all events immediately.
func TestSamplingAfterQuiet(t *testing.T) {
	f := create(t, configOf(0, 1, 1))
	f.now = stepping(window)
	var at time.Duration
	second(t, f, &at, 1_000_000)
	second(t, f, &at, 400)
	for range 40 {
		require.NoError(t, f.Drain())
	}
	require.Equal(t, 100, second(t, f, &at, 100))
	require.NoError(t, f.Close())
}

// TestSamplingOfABurst requires that a burst before any drain fits into the ring.
func TestSamplingOfABurst(t *testing.T) {
	f := create(t, configOf(0, 1, 1))
	r := f.Rank(0)
	for i := range time.Duration(2_000_000) {
		if r.Sampled() {
			r.Slice(Handler, 1, i, i, 1, 2)
		}
	}
	require.Len(t, finished(t, f).said, 1, "nothing is dropped")
}

// TestOftenDrained requires that frequent drains do not increase the number of events.
func TestOftenDrained(t *testing.T) {
	f := create(t, configOf(0, 1, 1))
	f.now = stepping(window / 100)
	r, kept := f.Rank(0), 0
	for range 400 {
		for range 10_000 {
			if r.Sampled() {
				kept++
			}
		}
		require.NoError(t, f.Drain())
	}
	require.NoError(t, f.Close())
	require.Less(t, kept, 12_000)
	require.Greater(t, kept, 500)
}

// TestWeights requires that events of infrequent kinds have weight 1, whatever the sampling does.
func TestWeights(t *testing.T) {
	f := create(t, configOf(0, 1, 1))
	r := f.Rank(0)
	r.Slice(Handler, 1, 0, 0, 1, 2)
	for range 100_000 {
		r.Sampled()
	}
	for !r.Sampled() {
	}
	for kind := range kinds {
		r.Slice(kind, 1, 1, 1, 1, 2)
	}
	weighted := map[string]bool{}
	for _, e := range finished(t, f).events[1:] {
		weighted[e.kind] = e.numbers["weight"] > 1
	}
	require.Equal(t, map[string]bool{
		"epoch": false, "collective": false, "handler": true, "task": true, "wait": false, "access": true, "lock": true,
		"flush": true, "other": false,
	}, weighted)
}
