package population

import (
	"fmt"

	"github.com/activepebbles/pebbles/apps/contagion/chance"
	"github.com/activepebbles/pebbles/apps/contagion/scenario"
)

// Grid is a population made on the fly exactly as Loimos makes it. Each person has the library's engine, seeded by the
// person's number. It draws the visits of one day, which repeat every day, and continues through the disease. People
// come in blocks, and locations in tiles of their grid. A block's people live in one tile. They visit locations of the
// tile, or locations at a Poisson number of hops.
type Grid struct {
	GridConfig
	tileWidth, tileHeight int
}

// GridConfig configures a Grid.
type GridConfig struct {
	People         int
	Width, Height  int // in locations
	TilesX, TilesY int // number of tiles; they divide the sides of the grid
	Blocks         int // number of blocks of people
	VisitsPerDay   float64
	Seed           uint64
}

const (
	hopsMean   = 5.2 // of a visit, as in Loimos
	blocksMost = 1 << 20
)

// NewGrid makes a grid.
func NewGrid(c GridConfig) (*Grid, error) {
	switch {
	case c.Width < 1 || c.Height < 1 || c.Width > 1<<15 || c.Height > 1<<15:
		return nil, fmt.Errorf("a grid of %dx%d locations: give sides of 1 to %d", c.Width, c.Height, 1<<15)
	case c.People < 1 || c.People > 1<<30:
		return nil, fmt.Errorf("%d people of a grid: give 1 to %d", c.People, 1<<30)
	case c.TilesX < 1 || c.TilesY < 1 || c.Width%c.TilesX != 0 || c.Height%c.TilesY != 0:
		return nil, fmt.Errorf("%dx%d tiles of a grid of %dx%d locations: give numbers that divide its sides",
			c.TilesX, c.TilesY, c.Width, c.Height)
	case c.Width*c.Height < 2*c.TilesX*c.TilesY:
		return nil, fmt.Errorf("%dx%d tiles of a grid of %dx%d locations: give fewer, as a tile has two locations or more",
			c.TilesX, c.TilesY, c.Width, c.Height)
	case c.Blocks < 1 || c.Blocks > min(c.People, blocksMost):
		return nil, fmt.Errorf("%d blocks of %d people: give 1 to as many as there are people, and up to %d",
			c.Blocks, c.People, blocksMost)
	case !(c.VisitsPerDay > 0 && c.VisitsPerDay < chance.StandardMeanMost):
		return nil, fmt.Errorf("%v visits a day: give a number above 0 and below %d, where Loimos begins to draw in "+
			"another way",
			c.VisitsPerDay, chance.StandardMeanMost)
	}
	return &Grid{c, c.Width / c.TilesX, c.Height / c.TilesY}, nil
}

// Name implements Population.
func (g *Grid) Name() string {
	return fmt.Sprintf("grid of %d people and %dx%d locations, as Loimos makes it", g.GridConfig.People, g.Width,
		g.Height)
}

// People implements Population.
func (g *Grid) People() int { return g.GridConfig.People }

// Locations implements Population.
func (g *Grid) Locations() int { return g.Width * g.Height }

// Days implements Population.
func (g *Grid) Days() int { return 1 }

// Visits implements Population.
func (g *Grid) Visits(dst []Visit, person, _ int) []Visit {
	dst, _ = g.draw(dst, person)
	return dst
}

// Engine returns the engine of a person after it has drawn the visits.
func (g *Grid) Engine(person int) chance.Standard {
	var room [32]Visit
	_, s := g.draw(room[:0], person)
	return s
}

// draw appends the visits of a person, and returns the engine afterwards.
func (g *Grid) draw(dst []Visit, person int) ([]Visit, chance.Standard) {
	s := chance.Seeded(g.Seed + uint64(person))
	var room [64]int32
	times := moments(room[:0], &s, s.Poisson(g.VisitsPerDay))
	x, y := g.home(person)
	for i := 0; i < len(times); i += 2 {
		if times[i] == times[i+1] {
			continue
		}
		toX, toY := g.near(x, y, &s)
		dst = append(dst, Visit{Location: uint32(g.number(toX, toY)), Arrive: times[i], Depart: times[i+1]})
	}
	return dst, s
}

// near draws a location some hops away. Locations beyond the border of the grid are moved to the border.
func (g *Grid) near(x, y int, s *chance.Standard) (toX, toY int) {
	hops := min(s.Poisson(hopsMean), g.Width+g.Height-2)
	if hops == 0 {
		return x, y
	}
	along := int(s.Int(-int64(min(hops, x)), int64(min(hops, g.Width-1-x))))
	across := hops - max(along, -along)
	if across == 0 {
		return x + along, y
	}
	if s.Int(0, 1) == 0 {
		return x + along, y + min(across, g.Height-1-y)
	}
	return x + along, y - min(across, y)
}

// block returns the block of a person. The first blocks have one more person if the division has a remainder.
func (g *Grid) block(person int) int {
	size, larger := g.GridConfig.People/g.Blocks, g.GridConfig.People%g.Blocks
	if person < larger*(size+1) {
		return person / (size + 1)
	}
	return larger + (person-larger*(size+1))/size
}

// home returns the location where a person lives. As in Loimos, no person lives at the last location of a tile.
func (g *Grid) home(person int) (x, y int) {
	tile := g.block(person) % (g.TilesX * g.TilesY)
	at := person % (g.tileWidth*g.tileHeight - 1)
	return tile%g.TilesX*g.tileWidth + at%g.tileWidth, tile/g.TilesX*g.tileHeight + at/g.tileWidth
}

// number returns the number of the location at a place: tile by tile, and in a tile row by row.
func (g *Grid) number(x, y int) int {
	tile := y/g.tileHeight*g.TilesX + x/g.tileWidth
	return tile*g.tileWidth*g.tileHeight + y%g.tileHeight*g.tileWidth + x%g.tileWidth
}

// Age implements Population: it is unknown.
func (g *Grid) Age(int) int { return -1 }

// Home implements Population.
func (g *Grid) Home(person int) int { return g.number(g.home(person)) }

// Where implements Population.
func (g *Grid) Where(location int) (x, y float64, ok bool) {
	size := g.tileWidth * g.tileHeight
	tile, at := location/size, location%size
	return float64(tile%g.TilesX*g.tileWidth + at%g.tileWidth), float64(tile/g.TilesX*g.tileHeight +
		at/g.tileWidth), true
}

// Crowd implements Population: it is unknown.
func (g *Grid) Crowd(int) int { return 0 }

// Kinds implements Population.
func (g *Grid) Kinds() []string { return nil }

// Is implements Population.
func (g *Grid) Is(int, string) bool { return false }

// PersonID implements Population.
func (g *Grid) PersonID(person int) int64 { return int64(person) }

// LocationID implements Population.
func (g *Grid) LocationID(location int) int64 { return int64(location) }

// moments returns the times of arrival and departure of n visits, in order.
func moments(times []int32, s chance.Source, n int) []int32 {
	for range 2 * n {
		times = append(times, int32(s.Int(0, scenario.Day)))
	}
	order(times)
	return times
}
