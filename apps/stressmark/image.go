package stressmark

import "sort"

// line is a line of the image: its ends, the upper one first, and its pixels' value.
type line struct {
	x0, y0, x1, y1 int
	value          uint16
}

// line is the k-th of the image, which later ones are drawn over.
func (c NeighborhoodConfig) line(k int) line {
	number := func(which, n int) int { return int(draw(c.Seed, forLines, uint64(8*k+which), uint64(n))) }
	l := line{number(0, c.Side), number(1, c.Side), number(2, c.Side), number(3, c.Side), uint16(1 + number(4, 1<<c.Bits-1))}
	if l.y0 > l.y1 {
		l.x0, l.y0, l.x1, l.y1 = l.x1, l.y1, l.x0, l.y0
	}
	return l
}

// draw draws the rows lo to hi-1 of the image: the part of each line that is there.
func (c NeighborhoodConfig) draw(lo, hi int) []uint16 {
	rows := make([]uint16, (hi-lo)*c.Side)
	for k := range c.Lines {
		l := c.line(k)
		if l.y1 < lo || l.y0 >= hi {
			continue
		}
		steps := max(l.y1-l.y0, abs(l.x1-l.x0))
		first := sort.Search(steps+1, func(i int) bool { return along(l.y0, l.y1, i, steps) >= lo })
		for i := first; i <= steps; i++ {
			y := along(l.y0, l.y1, i, steps)
			if y >= hi {
				break
			}
			rows[(y-lo)*c.Side+along(l.x0, l.x1, i, steps)] = l.value
		}
	}
	return rows
}

// along is the number that is i of so many steps from a to b, rounded.
func along(a, b, i, steps int) int {
	if steps == 0 {
		return a
	}
	if b < a {
		return a - (2*(a-b)*i+steps)/(2*steps)
	}
	return a + (2*(b-a)*i+steps)/(2*steps)
}

func abs(n int) int { return max(n, -n) }
