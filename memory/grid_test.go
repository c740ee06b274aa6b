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
func around[T comparable](r *pebble.Rank, name string, tiles *distribution.TileMap, rows, columns int, b memory.Border,
	value func(step, row, column int) T) error {
	g := memory.NewGrid[T](memory.New(r), name, tiles, b)
	top, left, high, wide := tiles.Tile(r.ID())
	if high != g.Rows() || wide != g.Columns() {
		return fmt.Errorf("%s: a tile of %d by %d, not %d by %d", name, g.Rows(), g.Columns(), high, wide)
	}
	for step := range 5 {
		for i := range g.Rows() {
			for j := range g.Columns() {
				g.Row(i)[j+b.Width] = value(step, int(top)+i, int(left)+j)
			}
		}
		if err := g.Exchange(); err != nil {
			return err
		}
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
					return fmt.Errorf("%s %+v, step %d, %s: row %d, column %d of the tile of rank %d is %v, not %v",
						name, b, step, tiles.Describe(), i, j, r.ID(), got, want)
				}
			}
		}
	}
	return g.Free()
}

// After an exchange each border has what the matrix has there, and nothing changes where there is no neighbour.
func TestGrid(t *testing.T) {
	everywhere(t, func(_ *testing.T, r *pebble.Rank) error {
		number := 0
		for _, size := range [][2]int{{7, 7}, {21, 8}, {14, 33}} {
			rows, columns := size[0], size[1]
			for _, tiles := range []*distribution.TileMap{
				distribution.Tiles(uint64(rows), uint64(columns), r.Size()), distribution.Rows(uint64(rows), uint64(columns), r.Size()),
			} {
				_, _, least, narrowest := tiles.Tile(r.Size() - 1)
				for _, b := range []memory.Border{{}, {Width: 1}, {Width: 1, Torus: true}, {Width: 2}, {Width: 3, Torus: true}} {
					if number++; b.Width > min(least, narrowest) {
						continue
					}
					name := fmt.Sprint("grid ", number)
					if err := around(r, name, tiles, rows, columns, b, func(step, row, column int) uint64 {
						return uint64(1 + step + 10*row + 1000*column)
					}); err != nil {
						return err
					}
					if err := around(r, name+", odd", tiles, rows, columns, b, func(step, row, column int) odd {
						return odd{A: uint32(step), B: [5]byte{byte(row + 1), byte(column)}}
					}); err != nil {
						return err
					}
				}
			}
		}
		return nil
	})
}

func TestGridsThatCanNotBe(t *testing.T) {
	for says, make := range map[string]func(s *memory.Space){
		`grid "g": it has no tiles`: func(s *memory.Space) { memory.NewGrid[int](s, "g", nil, memory.Border{}) },
		"its tiles are for 3 ranks, the job has 4": func(s *memory.Space) {
			memory.NewGrid[int](s, "g", distribution.Tiles(8, 8, 3), memory.Border{})
		},
		"a border of -1 elements": func(s *memory.Space) {
			memory.NewGrid[int](s, "g", distribution.Tiles(8, 8, 4), memory.Border{Width: -1})
		},
		"a tile has 2 by 8 elements, and borders have 3: use fewer ranks, or a narrower border": func(s *memory.Space) {
			memory.NewGrid[int](s, "g", distribution.Rows(9, 8, 4), memory.Border{Width: 3})
		},
		"type string is not plain data": func(s *memory.Space) {
			memory.NewGrid[string](s, "g", distribution.Tiles(8, 8, 4), memory.Border{Width: 1})
		},
		"allocates something else than rank": func(s *memory.Space) {
			memory.NewGrid[int](s, "g", distribution.Tiles(8, 8, 4), memory.Border{Width: 1, Torus: s.Rank().ID() == 2})
		},
	} {
		err := pebble.Run(t.Context(), pebble.Config{Ranks: 4}, func(r *pebble.Rank) error {
			make(memory.New(r))
			return nil
		})
		require.ErrorContains(t, err, says)
	}
}

func BenchmarkExchange(b *testing.B) {
	for _, edge := range []int{16, 256} {
		b.Run(fmt.Sprint(edge), func(b *testing.B) {
			require.NoError(b, pebble.Run(b.Context(), pebble.Config{Ranks: 4}, func(r *pebble.Rank) error {
				g := memory.NewGrid[float64](memory.New(r), "g", distribution.Tiles(uint64(2*edge), uint64(2*edge), 4), memory.Border{Width: 1})
				if r.ID() == 0 {
					b.ReportAllocs()
					b.ResetTimer()
				}
				for range b.N {
					if err := g.Exchange(); err != nil {
						return err
					}
				}
				return nil
			}))
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
