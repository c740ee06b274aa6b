package target_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
)

// A buffer holds 1,024 pebbles, or as many as 128 KiB hold where nobody has asked for a number.
func TestBuffersAreBoundedInBytes(t *testing.T) {
	type row struct{ Words [64]uint64 } // 512 bytes
	const rows = 4096
	for _, c := range []struct {
		config  pebble.Config
		options []target.Option
		factor  int
	}{
		{pebble.Config{}, nil, 256},
		{pebble.Config{Coalesce: 1024}, nil, 1024},
		{pebble.Config{Coalesce: 100}, nil, 100},
		{pebble.Config{}, []target.Option{target.Coalesce(1024)}, 1024},
		{pebble.Config{Tuning: &pebble.Tuning{Topology: true}}, nil, 256},
		{pebble.Config{Tuning: &pebble.Tuning{Coalesce: true}}, nil, 1024},
	} {
		c.config.Ranks, c.config.Due, c.config.BufferBudget = 2, -1, 64<<20
		handled := 0
		require.NoError(t, run(t, c.config, func(r *pebble.Rank) error {
			to := target.New(r, "rows", distribution.Ranks(2), target.Key(func(v row) uint64 { return v.Words[0] }),
				target.Batch(func(vs []row) {
					for _, v := range vs {
						require.Equal(t, v.Words[0], uint64(r.ID()))
						handled++
					}
				}), c.options...)
			err := r.Epoch(func() error {
				for n := range uint64(rows) {
					if r.ID() == 0 {
						to.Send(row{[64]uint64{1, n}})
					}
				}
				return nil
			})
			if sent := r.Counters(); r.ID() == 0 {
				require.EqualValues(t, rows/c.factor, sent.FlushFull, "%+v", c)
				require.EqualValues(t, (rows+c.factor-1)/c.factor, sent.FramesSent, "%+v", c)
			}
			return err
		}))
		require.Equal(t, rows, handled)
	}
}
