package container_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/container"
	"github.com/activepebbles/pebbles/internal/disk/disktest"
	"github.com/activepebbles/pebbles/pebble"
)

// joinedRows joins the rows of two tables with themselves, on a rank with the given memory, and returns the number of
// joins of each row.
func joinedRows(t *testing.T, rows uint64, memory int64) map[uint64]int {
	t.Helper()
	met, space := map[uint64]int{}, container.Budget{Memory: memory, Scratch: t.TempDir()}
	require.NoError(t, pebble.Run(t.Context(), pebble.Config{Ranks: 1}, func(r *pebble.Rank) error {
		left, right := container.NewTable[uint64](r, "left", space), container.NewTable[uint64](r, "right", space)
		for i := range rows {
			left.Add(i)
			right.Add(i)
		}
		itself := func(v uint64) uint64 { return v }
		for range 2 { // the second time as the first
			if err := container.Join(left, right, itself, itself, container.Inner, func(l uint64, r *uint64) {
				require.Equal(t, l, *r)
				met[l]++
			}); err != nil {
				return err
			}
		}
		return nil
	}))
	return met
}

// A join yields each pair once, at every depth of partitions: with room for all, for a part of one level, and of two
// and three.
func TestJoinsOfManyLevels(t *testing.T) {
	const rows = 4000
	for _, memory := range []int64{1 << 30, 64 << 10, 8 << 10, 1 << 10} {
		t.Run(fmt.Sprintf("%d bytes", memory), func(t *testing.T) {
			met := joinedRows(t, rows, memory)
			require.Len(t, met, rows, "rows that were joined")
			for row, n := range met {
				require.Equal(t, 2, n, "row %d", row)
			}
		})
	}
}

// An error of any call on a file ends the job, when rows are spilled and when they are saved.
func TestNoErrorOfTheDiskIsLost(t *testing.T) {
	disktest.Each(t, func(t *testing.T, call string) {
		space, folder := container.Budget{Memory: 2048, Scratch: t.TempDir()}, t.TempDir()
		err := pebble.Run(t.Context(), pebble.Config{Ranks: 1}, func(r *pebble.Rank) error {
			table := numbered(r, 300, space)
			if err := container.Save(table.Elements, folder+"/out"); err != nil {
				return err
			}
			return table.Clear()
		})
		if call == "" {
			require.NoError(t, err)
		} else {
			require.ErrorContains(t, err, disktest.Err.Error())
		}
	})
}
