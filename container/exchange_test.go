package container

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
)

// A rank that keeps all its rows still runs handlers while it iterates over them.
func TestExchangeAttends(t *testing.T) {
	sent := make(chan struct{})
	require.NoError(t, pebble.Run(t.Context(), pebble.Config{Ranks: 2}, func(r *pebble.Rank) error {
		table, heard := NewTable[uint64](r, "rows", Budget{}), false
		note := target.New(r, "note", distribution.Ranks(2), target.Key(func(uint64) uint64 { return 0 }),
			target.Each(func(uint64) { heard = true }))
		rows := uint64(1)
		if r.ID() == 0 {
			rows = 4 * chunk
		}
		for row := range rows {
			table.Add(row)
		}
		return exchange(table.mover, nil, "stay", func(row uint64) int {
			switch {
			case r.ID() == 1:
				note.Send(0)
				note.Flush()
				close(sent)
			case row == 0:
				<-sent
			case row == rows-1:
				require.True(t, heard)
			}
			return r.ID()
		})
	}))
}
