package gravity

import "math/bits"

// LevelMost is the level of the smallest cells of the curve: 2^21 along each side of the cube.
const LevelMost = 21

// Cube is the space that the curve fills.
type Cube struct {
	Low  Vector
	Side float64
}

// CubeOf returns the cube of all particles in the box b.
func CubeOf(b Box) Cube {
	side := 0.0
	for i := range b.Low {
		side = max(side, b.High[i]-b.Low[i])
	}
	return Cube{b.Low, side}
}

// Key returns the position of p on the Hilbert curve through the cube, 63 bits. Skilling's algorithm (2004) takes some
// 100 ns.
func (c Cube) Key(p Vector) uint64 {
	var x [3]uint32
	for i := range p {
		x[i] = uint32(min(max((p[i]-c.Low[i])/c.Side*(1<<LevelMost), 0), 1<<LevelMost-1))
	}
	// Undo the rotations of the curve, from the largest cells to the smallest.
	for q := uint32(1) << (LevelMost - 1); q > 1; q >>= 1 {
		low := q - 1
		for i := range x {
			if x[i]&q != 0 {
				x[0] ^= low
			} else {
				t := (x[0] ^ x[i]) & low
				x[0] ^= t
				x[i] ^= t
			}
		}
	}
	// Undo Gray's code.
	x[1] ^= x[0]
	x[2] ^= x[1]
	t := uint32(0)
	for q := uint32(1) << (LevelMost - 1); q > 1; q >>= 1 {
		if x[2]&q != 0 {
			t ^= q - 1
		}
	}
	return spread(x[0]^t)<<2 | spread(x[1]^t)<<1 | spread(x[2]^t)
}

// spread puts two zeros between the 21 bits of x.
func spread(x uint32) uint64 {
	v := uint64(x)
	v = (v | v<<32) & 0x001f00000000ffff
	v = (v | v<<16) & 0x001f0000ff0000ff
	v = (v | v<<8) & 0x100f00f00f00f00f
	v = (v | v<<4) & 0x10c30c30c30c30c3
	return (v | v<<2) & 0x1249249249249249
}

// ID names a cell of the curve: a 1, and 3 bits for each level below the cube, which is 1.
type ID uint64

// Root is the cube.
const Root ID = 1

// Level returns the number of divisions of the cube: 0 to LevelMost.
func (c ID) Level() int { return (bits.Len64(uint64(c)) - 1) / 3 }

// Child returns one of the eight children of a cell, in the order of the curve.
func (c ID) Child(i int) ID { return c<<3 | ID(i) }

// First returns the smallest key in the cell.
func (c ID) First() uint64 {
	rest := 3 * (LevelMost - c.Level())
	return uint64(c)<<rest - 1<<(3*LevelMost)
}

// Last returns the largest key in the cell.
func (c ID) Last() uint64 {
	rest := 3 * (LevelMost - c.Level())
	return c.First() + 1<<rest - 1
}

// Holds reports whether o is the cell or within it.
func (c ID) Holds(o ID) bool {
	between := 3 * (o.Level() - c.Level())
	return between >= 0 && o>>between == c
}
