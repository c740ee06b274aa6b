package nbody

import (
	"image"
	"image/color"
	"math"
	"slices"

	"github.com/activepebbles/pebbles/apps/nbody/gravity"
	"github.com/activepebbles/pebbles/pebble"
)

// The sides of pictures, in pixels.
const (
	pictureSide = 720
	frameSide   = 256
)

// frame is the square of the plane of x and y that pictures show.
type frame struct {
	low  [2]float64
	side float64
}

// frameOf is that of a system with a box.
func frameOf(b gravity.Box) frame {
	side := max(b.High[0]-b.Low[0], b.High[1]-b.Low[1])
	if side == 0 {
		side = 1
	}
	return frame{[2]float64{(b.Low[0] + b.High[0] - side) / 2, (b.Low[1] + b.High[1] - side) / 2}, side}
}

// pixel is one of a picture, and the mass that is seen there, in parts of the largest of a body: whole numbers, whose
// sum is the same in any order.
type pixel struct {
	At   uint32
	Mass uint64
}

// addFrame adds a frame, on rank 0, if the configuration asks for frames.
func (b *bench) addFrame(r *Result) error {
	if !b.config.Frames {
		return nil
	}
	f, err := b.draw(frameSide)
	if f != nil {
		r.Frames = append(r.Frames, f)
	}
	return err
}

// brightest is how many parts the largest mass of a body has.
const brightest = 1 << 16

// draw draws the projected density on rank 0; other ranks get nil.
func (b *bench) draw(side int) (*image.Paletted, error) {
	own := 0.0
	for i := range b.part.bodies {
		own = max(own, b.part.bodies[i].Mass)
	}
	largest, err := pebble.AllReduce(b.rank, own, pebble.Max[float64])
	if err != nil {
		return nil, err
	}
	if largest == 0 {
		largest = 1
	}
	at := map[uint32]uint64{}
	for i := range b.part.bodies {
		x := &b.part.bodies[i]
		h, v := (x.Pos[0]-b.frame.low[0])/b.frame.side, (x.Pos[1]-b.frame.low[1])/b.frame.side
		if h < 0 || h > 1 || v < 0 || v > 1 {
			continue
		}
		column, row := min(int(h*float64(side)), side-1), min(int((1-v)*float64(side)), side-1)
		at[uint32(row*side+column)] += uint64(x.Mass / largest * brightest)
	}
	pixels := make([]pixel, 0, len(at))
	for p, mass := range at {
		pixels = append(pixels, pixel{p, mass})
	}
	of, err := pebble.GatherSlice(b.rank, 0, pixels)
	if err != nil || b.rank.ID() > 0 {
		return nil, err
	}
	masses := make([]uint64, side*side)
	for _, some := range of {
		for _, p := range some {
			masses[p.At] += p.Mass
		}
	}
	return paint(masses, side), nil
}

// paint makes masses colours by their logarithms.
func paint(masses []uint64, side int) *image.Paletted {
	least, most := uint64(math.MaxUint64), slices.Max(masses)
	for _, m := range masses {
		if m > 0 {
			least = min(least, m)
		}
	}
	p := image.NewPaletted(image.Rect(0, 0, side, side), palette)
	for i, m := range masses {
		if m > 0 {
			// One body is dim, and not dark.
			part := (math.Log(float64(m)/float64(least)) + 1) / (math.Log(float64(most)/float64(least)) + 1)
			p.Pix[i] = uint8(part * float64(len(palette)-1))
		}
	}
	return p
}

// palette are the colours of glowing iron, from black to white.
var palette = func() color.Palette {
	const colours = 256
	all := make(color.Palette, colours)
	for i := range all {
		x := 3 * float64(i) / (colours - 1)
		part := func(from float64) uint8 { return uint8(255 * min(max(x-from, 0), 1)) }
		all[i] = color.RGBA{part(0), part(1), part(2), 255}
	}
	return all
}()
