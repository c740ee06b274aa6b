package population

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/activepebbles/pebbles/distribution"
)

// Curve spreads people and locations over ranks along Hilbert's curve, which passes through the map so that what is
// near on it is near on the map: each rank gets locations of one region, and the people who live there, as many as
// any other rank. Its tables take 12 bytes a person and a location, and some seconds for ten million people; the
// ranks of a process share them.
func Curve(p Population, ranks int) (people, locations distribution.Indexed, err error) {
	if _, _, ok := p.Where(0); !ok {
		return nil, nil, fmt.Errorf("population %s: its locations have no places on a map: spread them in blocks",
			p.Name())
	}
	along := curveOf(p)
	homes := make([]uint32, p.People())
	for person := range homes {
		homes[person] = along[p.Home(person)]
	}
	return cut(homes, ranks), cut(along, ranks), nil
}

const (
	curveBits = 16
	curveSide = 1 << curveBits
)

// curveOf is where each location is along the curve.
func curveOf(p Population) []uint32 {
	low, high := [2]float64{math.Inf(1), math.Inf(1)}, [2]float64{math.Inf(-1), math.Inf(-1)}
	for location := range p.Locations() {
		x, y, _ := p.Where(location)
		low, high = [2]float64{min(low[0], x), min(low[1], y)}, [2]float64{max(high[0], x), max(high[1], y)}
	}
	size := max(high[0]-low[0], high[1]-low[1], math.SmallestNonzeroFloat64)
	along := make([]uint32, p.Locations())
	for location := range along {
		x, y, _ := p.Where(location)
		along[location] = hilbert(uint32((x-low[0])/size*(curveSide-1)), uint32((y-low[1])/size*(curveSide-1)))
	}
	return along
}

// hilbert is how far along the curve a point of the square is.
func hilbert(x, y uint32) (d uint32) {
	for side := uint32(curveSide / 2); side > 0; side /= 2 {
		var right, upper uint32
		if x&side != 0 {
			right = 1
		}
		if y&side != 0 {
			upper = 1
		}
		d += side * side * (3*right ^ upper)
		if upper == 0 { // the quarter's curve is turned
			if right == 1 {
				x, y = curveSide-1-x, curveSide-1-y
			}
			x, y = y, x
		}
	}
	return d
}

// cut gives each rank as many things as any other, in the order of where they are along the curve.
func cut(along []uint32, ranks int) *distribution.TableMap {
	order := make([]uint32, len(along))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(a, b uint32) int { return cmp.Or(cmp.Compare(along[a], along[b]), cmp.Compare(a, b)) })
	owners := make([]uint32, len(along))
	for place, thing := range order {
		owners[thing] = uint32(uint64(place) * uint64(ranks) / uint64(len(order)))
	}
	return distribution.Table(owners, ranks)
}
