package tune_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/model"
	"github.com/activepebbles/pebbles/tune"
)

func odin(t testing.TB) *model.Parameters {
	p, err := model.ByName("odin")
	require.NoError(t, err)
	return &p
}

// site returns a job on the given number of ranks that may change its topology and factor.
func site(ranks int) tune.Site {
	return tune.Site{
		Ranks: ranks, Processes: ranks, Start: tune.Setting{Topology: "direct", Coalesce: 1024}, Topology: true,
		Coalesce: true, PebbleBytes: 8, Room: 1 << 30,
	}
}

// experiments returns a tuner's proposals if all windows are the same.
func experiments(t *testing.T, s tune.Site, p *model.Parameters) (start tune.Setting, all []tune.Setting) {
	tuner, err := tune.Auto(s, p)
	require.NoError(t, err)
	start = tuner.Setting()
	for range 5000 {
		if next := tuner.Next(); next != tuner.Setting() {
			all = append(all, next)
		}
		tuner.Observe(tune.Window{Work: 1000, Seconds: 0.01})
	}
	require.True(t, tuner.Settled())
	require.Equal(t, start, tuner.Setting(), "nothing was better")
	return start, all
}

// A job begins with the model's best setting, or with its own if nothing may change.
func TestAutoBeginsWithTheModel(t *testing.T) {
	start, _ := experiments(t, site(64), nil)
	require.Equal(t, tune.Setting{Topology: "direct", Coalesce: 1024}, start)
	s := site(64)
	s.Start.Coalesce = 16
	start, _ = experiments(t, s, odin(t))
	require.Greater(t, start.Coalesce, 16, "frames cost what they cost, however few pebbles they have")
	s = site(64)
	s.Start.Coalesce, s.Topology, s.Coalesce = 16, false, false
	start, all := experiments(t, s, odin(t))
	require.Equal(t, s.Start, start)
	require.Empty(t, all)
}

// Impossible settings are never tried: neither buffers beyond the job's memory, nor a topology that its epochs can't
// end with, nor changes that are not allowed.
func TestAutoKeepsToItsSpace(t *testing.T) {
	s := site(64)
	_, all := experiments(t, s, nil)
	has := slices.ContainsFunc[[]tune.Setting]
	require.True(t, has(all, func(o tune.Setting) bool { return o.Topology == "hypercube" }))
	require.True(t, has(all, func(o tune.Setting) bool { return o.Coalesce > 2048 }))
	require.False(t, has(all, func(o tune.Setting) bool { return o.Cache > 0 }), "there is no reduction")

	s.Holds = func(topology string) bool { return topology != "hypercube" }
	_, all = experiments(t, s, nil)
	require.False(t, has(all, func(o tune.Setting) bool { return o.Topology == "hypercube" }))

	s = site(64)
	s.Room = 63 * 8 * 2048 * 8 // an eighth of it for the buffers of 63 neighbours
	_, all = experiments(t, s, nil)
	require.NotEmpty(t, all)
	require.False(t, has(all, func(o tune.Setting) bool { return o.Coalesce > 2048 }))

	s = site(64)
	s.Cache, s.Topology = true, false
	_, all = experiments(t, s, nil)
	require.True(t, has(all, func(o tune.Setting) bool { return o.Cache > 0 }))
	require.False(t, has(all, func(o tune.Setting) bool { return o.Topology != "direct" }))

	s.Start.Topology = "a program's own"
	_, all = experiments(t, s, odin(t))
	require.False(t, has(all, func(o tune.Setting) bool { return o.Topology != "a program's own" }))
}

// A tuner is made while the first epoch waits.
func BenchmarkAuto(b *testing.B) {
	p := odin(b)
	for b.Loop() {
		_, err := tune.Auto(site(64), p)
		require.NoError(b, err)
	}
}
