package memory

import (
	"fmt"
	"reflect"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
)

// Border describes the elements around each tile of a [Grid].
type Border struct {
	Width int  // elements on each side: the reach of a stencil
	Torus bool // the matrix's first row follows its last one, and its first column the last one
}

// Grid is a matrix in tiles, one for each rank. Each tile has a border: ghost cells, to which Exchange copies the
// elements of the tiles around it. It serves stencils: a step exchanges, and then computes each element from those
// around it.
//
// The tile with its border is Go's memory, and the rank's own: others change it through Exchange alone.
type Grid[T any] struct {
	rank    *pebble.Rank
	border  int
	rows    int // of the tile
	columns int
	cells   []T // tile and border, row by row
	sides   []side[T]
	inbox   *Array[T] // two of each rank: a neighbour may be one exchange ahead
	room    int       // elements of one inbox
	turn    int       // next of the two inboxes
}

// side is a direction with a neighbouring tile, one of at most eight.
type side[T any] struct {
	down, right int    // -1, 0 or 1
	to          uint64 // place in the neighbour's inbox for elements sent there
	from        int    // place in the own inbox for elements from there
	edge        []T    // elements in flight
}

// NewGrid allocates a grid of zero elements, by the rules of NewArray. A tile with neighbours must not be smaller than
// its border. Beside the tile each rank holds its edges four times.
func NewGrid[T any](s *Space, name string, tiles *distribution.TileMap, b Border) *Grid[T] {
	const call = "memory.NewGrid"
	switch t := reflect.TypeFor[T](); {
	case tiles == nil:
		s.fail(call, fmt.Errorf("grid %q: it has no tiles: give distribution.Tiles or distribution.Rows", name))
	case tiles.Ranks() != s.rank.Size():
		s.fail(call, fmt.Errorf("grid %q: its tiles are for %d ranks, the job has %d", name, tiles.Ranks(), s.rank.Size()))
	case b.Width < 0:
		s.fail(call, fmt.Errorf("grid %q of %v: a border of %d elements: give 0 or more", name, t, b.Width))
	}
	down, wide := tiles.Grid()
	_, _, most, widest := tiles.Tile(0)
	_, _, least, narrowest := tiles.Tile(tiles.Ranks() - 1)
	if (down > 1 || b.Torus) && least < b.Width || (wide > 1 || b.Torus) && narrowest < b.Width {
		s.fail(call, fmt.Errorf("grid %q: a tile has %d by %d elements, and borders have %d: "+
			"use fewer ranks, or a narrower border",
			name, least, narrowest, b.Width))
	}
	g := &Grid[T]{rank: s.rank, border: b.Width}
	_, _, g.rows, g.columns = tiles.Tile(s.rank.ID())
	g.cells = make([]T, (g.rows+2*b.Width)*g.stride())
	sizes := func(down, right int) int {
		return pick(down, b.Width, most, b.Width) * pick(right, b.Width, widest, b.Width)
	}
	places := [9]int{}
	for i := range places {
		places[i] = g.room
		if down, right := i/3-1, i%3-1; down != 0 || right != 0 {
			g.room += sizes(down, right)
		}
	}
	g.inbox = NewArray[T](s, fmt.Sprintf("%s, %s, border %+v", name, tiles.Describe(), b),
		rows{uint64(2 * g.room), s.rank.Size()})
	y, x := s.rank.ID()/wide, s.rank.ID()%wide
	for i, from := range places {
		at := side[T]{down: i/3 - 1, right: i%3 - 1, from: from}
		toY, okY := neighbor(y, at.down, down, b.Torus)
		toX, okX := neighbor(x, at.right, wide, b.Torus)
		if i == len(places)/2 || b.Width == 0 || !okY || !okX {
			continue
		}
		at.to = uint64((toY*wide+toX)*2*g.room + places[len(places)-1-i])
		at.edge = make([]T, pick(at.down, b.Width, g.rows, b.Width)*pick(at.right, b.Width, g.columns, b.Width))
		g.sides = append(g.sides, at)
	}
	return g
}

// pick returns one of three values for -1, 0 and 1.
func pick(direction, before, within, behind int) int {
	return [3]int{before, within, behind}[direction+1]
}

// neighbor returns the next tile in a direction, if there is one.
func neighbor(at, direction, places int, torus bool) (next int, ok bool) {
	next = at + direction
	if torus {
		return (next + places) % places, true
	}
	return next, next >= 0 && next < places
}

func (g *Grid[T]) stride() int { return g.columns + 2*g.border }

// Rows returns the number of rows of this rank's tile. The distribution gives its position.
func (g *Grid[T]) Rows() int { return g.rows }

// Columns returns the number of columns of this rank's tile.
func (g *Grid[T]) Columns() int { return g.columns }

// Row returns a row of this rank's tile and its border, for i from -Width to Rows()+Width-1. It begins with the
// border's Width elements: the element of column j is at j+Width. It may be read and written between exchanges.
func (g *Grid[T]) Row(i int) []T {
	at := (i + g.border) * g.stride()
	return g.cells[at : at+g.stride() : at+g.stride()]
}

// Exchange copies the edges of all tiles to the borders around them, corners too. All ranks call it, between epochs; it
// runs an epoch. Each rank sends to at most eight neighbours. A border without a neighbour keeps the program's values.
func (g *Grid[T]) Exchange() error {
	base := g.turn * g.room
	err := g.rank.Epoch(func() error {
		for _, at := range g.sides {
			n := 0
			g.each(at, g.border, func(cells []T) { n += copy(at.edge[n:], cells) })
			g.inbox.PutRangeStart(at.to+uint64(base), at.edge)
		}
		return nil
	}, pebble.Depth(1))
	if err != nil {
		return err
	}
	for _, at := range g.sides {
		from := g.inbox.Local()[base+at.from:]
		g.each(at, 0, func(cells []T) { from = from[copy(cells, from):] })
	}
	g.turn = 1 - g.turn
	return nil
}

// each visits rows at a side: of the edge within the tile for a depth of the border's width, and of the border for
// depth 0.
func (g *Grid[T]) each(at side[T], depth int, visit func(cells []T)) {
	b := g.border
	first := pick(at.down, depth-b, 0, g.rows-depth)
	left := pick(at.right, depth-b, 0, g.columns-depth) + b
	wide := pick(at.right, b, g.columns, b)
	for i := range pick(at.down, b, g.rows, b) {
		visit(g.Row(first + i)[left : left+wide])
	}
}

// Free frees the grid, as Array.Free does.
func (g *Grid[T]) Free() error { return g.inbox.Free() }
