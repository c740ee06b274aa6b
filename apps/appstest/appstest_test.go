package appstest_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
	"github.com/activepebbles/pebbles/target"
	"github.com/activepebbles/pebbles/termination"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// Every shape makes a job with its settings.
func TestShapes(t *testing.T) {
	seen, detectors := map[string]bool{}, map[string]bool{}
	appstest.Matrix(t, func(t *testing.T, s appstest.Shape) {
		require.False(t, seen[s.String()])
		seen[s.String()] = true
		ran := make([]bool, s.Ranks)
		require.NoError(t, s.Run(t, func(r *pebble.Rank) error {
			ran[r.ID()] = true
			c := r.Config()
			require.Equal(t, s.Ranks, r.Size())
			require.Equal(t, s.Procs, r.Place().Processes)
			require.Equal(t, s.Transport, r.Transport())
			require.Equal(t, s.Topology, c.Topology(r.Size()).Name())
			require.Equal(t, s.Coalesce, c.Coalesce)
			require.Equal(t, s.Cache, c.Cache)
			err := r.Epoch(func() error { return nil }, pebble.Depth(1))
			if r.ID() == 0 {
				detectors[r.Termination()] = true
			}
			if s.Termination != "auto" {
				require.Equal(t, s.Termination, r.Termination())
			}
			return err
		}))
		require.NotContains(t, ran, false)
	})
	require.GreaterOrEqual(t, len(seen), 6*10)
	require.Len(t, detectors, len(termination.Names())-1)
}

// A job returns an error in words for a refused shape, on the first epoch, and quickly.
func TestRefusedShapes(t *testing.T) {
	refused := appstest.Refused()
	require.NotEmpty(t, refused)
	for _, s := range refused {
		t.Run(s.String(), func(t *testing.T) {
			err := s.Run(t, func(r *pebble.Rank) error {
				ring := target.New(r, "t", distribution.Cyclic(64, r.Size()), target.Key(func(v uint64) uint64 { return v }),
					target.Each(func(uint64) {}))
				return r.Epoch(func() error { ring.Send(1); return nil }, pebble.Depth(1))
			})
			require.ErrorContains(t, err, s.Termination)
			require.ErrorContains(t, err, "use")
		})
	}
}

func TestRingIsSound(t *testing.T) {
	for ranks := 1; ranks <= 20; ranks++ {
		shape, err := route.Check(appstest.Ring(ranks))
		require.NoError(t, err)
		require.Equal(t, ranks/2, shape.Diameter)
	}
}

func TestErrorsComeBack(t *testing.T) {
	broken := errors.New("broken")
	for _, s := range []appstest.Shape{
		{Ranks: 3, Procs: 1, Transport: "mem", New: route.Direct},
		{Ranks: 3, Procs: 2, Transport: "tcp", New: route.Direct},
	} {
		require.ErrorIs(t, s.Run(t, func(r *pebble.Rank) error {
			if r.ID() == 1 {
				return broken
			}
			return r.Barrier()
		}), broken)
	}
}
