package distribution_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/distribution"
)

var matrices = [][2]uint64{{0, 0}, {0, 5}, {5, 0}, {1, 1}, {1, 9}, {9, 1}, {4, 4}, {7, 11}, {16, 64}, {61, 17}}

// Each element is in the tile of its owner, at its local index.
func TestTiles(t *testing.T) {
	for _, size := range matrices {
		rows, columns := size[0], size[1]
		for _, ranks := range []int{1, 2, 3, 4, 6, 7, 12, 16, 61} {
			for _, m := range []*distribution.TileMap{distribution.Tiles(rows, columns, ranks),
				distribution.Rows(rows, columns, ranks)} {
				requireSound(t, m, rows*columns, ranks)
				require.True(t, distribution.Proven(m))
				for key := range rows * columns {
					owner := m.Owner(key)
					row, column, high, wide := m.Tile(owner)
					y, x := key/columns-row, key%columns-column
					require.True(t, y < uint64(high) && x < uint64(wide), "%s: key %d", m.Describe(), key)
					require.EqualValues(t, y*uint64(wide)+x, m.Local(key))
					for i := range m.Run(key) {
						require.Equal(t, []int{owner, m.Local(key) + int(i)}, []int{m.Owner(key + i), m.Local(key + i)})
					}
				}
			}
		}
	}
}

// Tiles of a row of the grid are equally high, and no two differ by more than one.
func TestTilesAreEven(t *testing.T) {
	for _, size := range matrices {
		for ranks := 1; ranks <= 24; ranks++ {
			m := distribution.Tiles(size[0], size[1], ranks)
			down, wide := m.Grid()
			require.Equal(t, ranks, down*wide)
			for rank := range ranks {
				row, column, rows, columns := m.Tile(rank)
				_, below, first, _ := m.Tile(rank % wide)
				right, _, _, left := m.Tile(rank / wide * wide)
				require.Equal(t, []uint64{right, below}, []uint64{row, column})
				require.True(t, first-rows <= 1 && left-columns <= 1 && rows <= first && columns <= left)
			}
		}
	}
}

// The grid has the fewest elements at edges among those without empty tiles.
func TestTilesHaveShortEdges(t *testing.T) {
	for _, c := range []struct {
		rows, columns uint64
		ranks         int
		grid          string
	}{
		{1000, 1000, 16, "4x4"}, {1000, 10, 16, "16x1"}, {10, 1000, 16, "1x16"}, {1000, 4000, 16, "2x8"}, {100, 100, 7,
			"7x1"},
		{2, 100, 8, "1x8"}, {3, 100, 8, "1x8"}, {3, 4, 12, "3x4"}, {1, 1, 4, "2x2"}, {1 << 20, 1 << 20, 1 << 20, "1024x1024"},
	} {
		down, wide := distribution.Tiles(c.rows, c.columns, c.ranks).Grid()
		require.Equal(t, c.grid, fmt.Sprintf("%dx%d", down, wide), "%v", c)
	}
}

// A matrix of 4 by 6 elements on 4 ranks.
func ExampleTiles() {
	m := distribution.Tiles(4, 6, 4)
	for row := range uint64(4) {
		var owners [6]int
		for column := range owners {
			owners[column] = m.Owner(row*6 + uint64(column))
		}
		fmt.Println(owners)
	}
	// Output:
	// [0 0 0 1 1 1]
	// [0 0 0 1 1 1]
	// [2 2 2 3 3 3]
	// [2 2 2 3 3 3]
}

// Whole rows, for a stencil of few columns.
func ExampleRows() {
	fmt.Println(distribution.Rows(10, 1000, 4).Tile(1))
	// Output: 3 0 3 1000
}
