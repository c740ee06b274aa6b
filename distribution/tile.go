package distribution

import (
	"fmt"
	"math"
	"math/bits"
)

// TileMap cuts a matrix into tiles, one for each rank. Made by [Tiles] and [Rows]. The key of an element is its row
// times the number of columns, plus its column. The elements of a tile are numbered row by row.
//
// The ranks form a grid, row by row. Tiles in one row of that grid have the same number of rows of the matrix, and
// those in one column the same number of columns; no two tiles differ by more than one in either.
type TileMap struct {
	columns    divisor
	down, wide split // of the rows, and of the columns
}

// Tiles cuts a matrix into one tile for each rank, with the fewest elements at the edges between tiles. It panics if
// ranks is not positive, or the matrix has 2^64 elements or more.
func Tiles(rows, columns uint64, ranks int) *TileMap {
	checkRanks("tiles", ranks)
	best, least := 1, math.Inf(1)
	for down := 1; down*down <= ranks; down++ {
		if ranks%down != 0 {
			continue
		}
		for _, down := range [2]int{down, ranks / down} {
			if edges := edgesOf(rows, columns, down, ranks/down); edges <= least {
				best, least = down, edges
			}
		}
	}
	return tiles("tiles", rows, columns, best, ranks/best)
}

// edgesOf returns the number of elements at the edges between tiles. A grid with empty tiles comes last.
func edgesOf(rows, columns uint64, down, wide int) float64 {
	edges := float64(down-1)*float64(columns) + float64(wide-1)*float64(rows)
	if uint64(down) > rows || uint64(wide) > columns {
		edges += math.MaxFloat64 / 4
	}
	return edges
}

// Rows cuts a matrix into whole rows, with numbers as equal as possible. It panics as Tiles does.
func Rows(rows, columns uint64, ranks int) *TileMap {
	checkRanks("rows", ranks)
	return tiles("rows", rows, columns, ranks, 1)
}

func tiles(name string, rows, columns uint64, down, wide int) *TileMap {
	if over, _ := bits.Mul64(rows, columns); over > 0 {
		panic(fmt.Sprintf("distribution: %s of %d by %d elements; a matrix has less than 2^64", name, rows, columns))
	}
	m := &TileMap{columns: newDivisor(max(1, columns)), down: newSplit(rows, down), wide: newSplit(columns, wide)}
	checkLocal(name, rows*columns, down*wide, m.down.most()*m.wide.most())
	return m
}

// Grid returns the numbers of tiles below each other, and beside each other. Rank r has the tile in row r/wide and
// column r%wide.
func (m *TileMap) Grid() (down, wide int) { return m.down.parts, m.wide.parts }

// Tile returns the position of the tile of a rank in the matrix, and its size.
func (m *TileMap) Tile(rank int) (row, column uint64, rows, columns int) {
	checkRank(rank, m.Ranks())
	y, x := rank/m.wide.parts, rank%m.wide.parts
	row, column = m.down.first(y), m.wide.first(x)
	return row, column, int(m.down.first(y+1) - row), int(m.wide.first(x+1) - column)
}

// Ranks implements Map.
func (m *TileMap) Ranks() int { return m.down.parts * m.wide.parts }

// Len implements Indexed.
func (m *TileMap) Len() uint64 { return m.down.n * m.wide.n }

// at returns the row and the column of an element.
func (m *TileMap) at(key uint64) (row, column uint64) {
	row = m.columns.quo(key)
	return row, key - row*m.wide.n
}

// Owner implements Map.
func (m *TileMap) Owner(key uint64) int {
	if key >= m.Len() {
		return -1
	}
	row, column := m.at(key)
	return m.down.of(row)*m.wide.parts + m.wide.of(column)
}

// Owners implements Batcher.
func (m *TileMap) Owners(keys []uint64, owners []uint32) int {
	owners = owners[:len(keys)]
	for i, key := range keys {
		owner := m.Owner(key)
		if owner < 0 {
			return i
		}
		owners[i] = uint32(owner)
	}
	return -1
}

// Local implements Indexed.
func (m *TileMap) Local(key uint64) int {
	owner := m.Owner(key)
	if owner < 0 {
		panic(outside)
	}
	row, column := m.at(key)
	top, left, _, columns := m.Tile(owner)
	return int(row-top)*columns + int(column-left)
}

// Key implements Indexed.
func (m *TileMap) Key(rank, local int) uint64 {
	top, left, _, columns := m.Tile(rank)
	return (top+uint64(local/columns))*m.wide.n + left + uint64(local%columns)
}

// LocalLen implements Indexed.
func (m *TileMap) LocalLen(rank int) int {
	_, _, rows, columns := m.Tile(rank)
	return rows * columns
}

// Run returns the number of keys from this one on that are neighbours at its owner.
func (m *TileMap) Run(key uint64) uint64 {
	row, column := m.at(key)
	if m.wide.parts == 1 {
		return m.down.first(m.down.of(row)+1)*m.wide.n - key
	}
	return m.wide.first(m.wide.of(column)+1) - column
}

// Describe implements Describer.
func (m *TileMap) Describe() string {
	return fmt.Sprintf("tiles(rows=%d, columns=%d, grid=%dx%d)", m.down.n, m.wide.n, m.down.parts, m.wide.parts)
}

// split divides the numbers below n into parts that differ by one at most: the first ones are larger.
type split struct {
	n, each, larger uint64 // numbers, the smallest size of a part, and parts that have one more
	parts           int
	byEach, byMore  divisor
}

func newSplit(n uint64, parts int) split {
	each := n / uint64(parts)
	return split{
		n: n, each: each, larger: n % uint64(parts), parts: parts,
		byEach: newDivisor(max(1, each)), byMore: newDivisor(max(1, each+1)),
	}
}

// most returns the size of the largest part.
func (s *split) most() uint64 { return s.each + min(1, s.larger) }

// first returns the first number of a part.
func (s *split) first(part int) uint64 { return uint64(part)*s.each + min(uint64(part), s.larger) }

// of returns the part of a number.
func (s *split) of(x uint64) int {
	if edge := s.larger * (s.each + 1); x >= edge {
		return int(s.larger + s.byEach.quo(x-edge))
	}
	return int(s.byMore.quo(x))
}
