package memory_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/memory"
	"github.com/activepebbles/pebbles/pebble"
)

// around compares a tile and its border with the whole matrix, and changes the tile, some times.
func around[T comparable](r rank, name string, tiles *distribution.TileMap, rows, columns int, b memory.Border,
	value func(step, row, column int) T) {
	g := memory.NewGrid[T](r.s, name, tiles, b)
	top, left, high, wide := tiles.Tile(r.ID())
	r.Equal([2]int{high, wide}, [2]int{g.Rows(), g.Columns()}, name)
	for step := range 5 {
		for i := range g.Rows() {
			for j := range g.Columns() {
				g.Row(i)[j+b.Width] = value(step, int(top)+i, int(left)+j)
			}
		}
		r.NoError(g.Exchange())
		for i := -b.Width; i < high+b.Width; i++ {
			for j := -b.Width; j < wide+b.Width; j++ {
				row, column, want := int(top)+i, int(left)+j, *new(T)
				if b.Torus {
					row, column = (row+rows)%rows, (column+columns)%columns
				}
				if row >= 0 && row < rows && column >= 0 && column < columns {
					want = value(step, row, column)
				}
				if got := g.Row(i)[j+b.Width]; got != want {
					r.Equal(want, got, "%s %+v, step %d, %s: row %d, column %d of the tile of rank %d",
						name, b, step, tiles.Describe(), i, j, r.ID())
				}
			}
		}
	}
	r.NoError(g.Free())
}

// After an exchange each border has the elements of the matrix there, and borders without a neighbour do not change.
func TestGrid(t *testing.T) {
	everywhere(t, func(r rank) {
		number := 0
		for _, size := range [][2]int{{7, 7}, {21, 8}, {14, 33}} {
			rows, columns := size[0], size[1]
			for _, tiles := range []*distribution.TileMap{
				distribution.Tiles(uint64(rows), uint64(columns), r.Size()),
				distribution.Rows(uint64(rows), uint64(columns), r.Size()),
			} {
				_, _, least, narrowest := tiles.Tile(r.Size() - 1)
				for _, b := range []memory.Border{
					{}, {Width: 1}, {Width: 1, Torus: true}, {Width: 2}, {Width: 3, Torus: true},
				} {
					if number++; b.Width > min(least, narrowest) {
						continue
					}
					name := fmt.Sprint("grid ", number)
					around(r, name, tiles, rows, columns, b, func(step, row, column int) uint64 {
						return uint64(1 + step + 10*row + 1000*column)
					})
					around(r, name+", odd", tiles, rows, columns, b, func(step, row, column int) odd {
						return odd{A: uint32(step), B: [5]byte{byte(row + 1), byte(column)}}
					})
				}
			}
		}
	})
}

func TestGridsThatCanNotBe(t *testing.T) {
	tiles := func(ranks int) *distribution.TileMap { return distribution.Tiles(8, 8, ranks) }
	for says, make := range map[string]func(r rank){
		`grid "g": it has no tiles`: func(r rank) { memory.NewGrid[int](r.s, "g", nil, memory.Border{}) },
		"its tiles are for 3 ranks, the job has 4": func(r rank) {
			memory.NewGrid[int](r.s, "g", tiles(3), memory.Border{})
		},
		"a border of -1 elements": func(r rank) { memory.NewGrid[int](r.s, "g", tiles(4), memory.Border{Width: -1}) },
		"a tile has 2 by 8 elements, and borders have 3: use fewer ranks, or a narrower border": func(r rank) {
			memory.NewGrid[int](r.s, "g", distribution.Rows(9, 8, 4), memory.Border{Width: 3})
		},
		"type string is not plain data": func(r rank) {
			memory.NewGrid[string](r.s, "g", tiles(4), memory.Border{Width: 1})
		},
		"allocates something else than rank": func(r rank) {
			memory.NewGrid[int](r.s, "g", tiles(4), memory.Border{Width: 1, Torus: r.ID() == 2})
		},
	} {
		require.ErrorContains(t, pebble.Run(t.Context(), pebble.Config{Ranks: 4}, program(make)), says)
	}
}

func BenchmarkExchange(b *testing.B) {
	for _, edge := range []uint64{16, 256} {
		b.Run(fmt.Sprint(edge), func(b *testing.B) {
			require.NoError(b, pebble.Run(b.Context(), pebble.Config{Ranks: 4}, program(func(r rank) {
				g := memory.NewGrid[float64](r.s, "g", distribution.Tiles(2*edge, 2*edge, 4), memory.Border{Width: 1})
				if r.ID() == 0 {
					b.ReportAllocs()
					b.ResetTimer()
				}
				for range b.N {
					r.NoError(g.Exchange())
				}
			})))
		})
	}
}

// Each element becomes the sum of the four around it; the matrix is a torus.
func ExampleGrid() {
	onTwo(func(s *memory.Space) (func() any, error) {
		g := memory.NewGrid[int](s, "g", distribution.Tiles(4, 4, 2), memory.Border{Width: 1, Torus: true})
		if s.Rank().ID() == 0 {
			g.Row(0)[1] = 1 // the matrix's first element
		}
		if err := g.Exchange(); err != nil {
			return nil, err
		}
		around := make([][]int, g.Rows())
		for i := range around {
			for j := range g.Columns() {
				x := j + 1
				around[i] = append(around[i], g.Row(i - 1)[x]+g.Row(i + 1)[x]+g.Row(i)[x-1]+g.Row(i)[x+1])
			}
		}
		return func() any { return around }, nil
	})
	// Output: [[0 1 0 1] [1 0 0 0]]
}
