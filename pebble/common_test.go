package pebble_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
)

// The ranks of a process share one value of each type; other processes and jobs have their own.
func TestInCommon(t *testing.T) {
	type mine struct{ asked atomic.Int64 }
	type yours struct{ asked atomic.Int64 }
	var made atomic.Int64
	program := func(r *pebble.Rank) error {
		p := r.Place()
		of := int64(p.Last - p.First)
		v := pebble.InCommon(r, func() *mine { made.Add(1); return new(mine) })
		w := pebble.InCommon(r, func() *yours { return new(yours) })
		v.asked.Add(1)
		w.asked.Add(2)
		require.Same(t, v, pebble.InCommon(r, func() *mine { panic("it is there") }))
		appstest.OK(r.Barrier())
		require.Equal(t, []int64{of, 2 * of}, []int64{v.asked.Load(), w.asked.Load()})
		return nil
	}
	require.NoError(t, pebble.Run(context.Background(), pebble.Config{Ranks: 3}, program))
	require.EqualValues(t, 1, made.Load())
	s := appstest.Shape{Ranks: 5, Procs: 2, Transport: "tcp", New: route.Direct, Coalesce: 64}
	require.NoError(t, s.Run(t, program))
	require.EqualValues(t, 3, made.Load())
}
