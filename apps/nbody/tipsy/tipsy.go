// Package tipsy reads and writes files of particles in TIPSY's "standard" format: big-endian numbers as in XDR, a
// header of 32 bytes, and then gas, dark and star particles of 48, 36 and 44 bytes. All kinds attract alike here; the
// additional fields of gas and stars are not kept.
package tipsy

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"github.com/activepebbles/pebbles/apps/nbody/gravity"
)

// Sizes of the parts of a file, in bytes.
const (
	headerSize = 32
	gasSize    = 48
	darkSize   = 36
	starSize   = 44
	baseSize   = 28 // of mass, position and velocity, at the beginning of each particle
)

// particlesMost keeps sizes of files in 64 bits, and numbers of particles in 32.
const particlesMost = math.MaxInt32

// File is the particles of an open file.
type File struct {
	name            string
	from            io.ReaderAt
	time            float64
	gas, dark, star int
}

// Open reads the header of a file of a size in bytes, and checks that size against the declared particles.
func Open(name string, from io.ReaderAt, size int64) (*File, error) {
	var header [headerSize]byte
	if size < headerSize {
		return nil, fmt.Errorf("%s: %d bytes: a TIPSY file begins with a header of %d", name, size, headerSize)
	}
	if _, err := from.ReadAt(header[:], 0); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if binary.LittleEndian.Uint32(header[12:]) == 3 {
		return nil, fmt.Errorf("%s: a TIPSY file in this machine's byte order: convert it to standard, which is big-endian",
			name)
	}
	var n [5]uint64 // particles, dimensions, gas, dark, stars
	for i := range n {
		n[i] = uint64(binary.BigEndian.Uint32(header[8+4*i:]))
	}
	if n[1] != 3 {
		return nil, fmt.Errorf("%s: %d dimensions: a TIPSY file has 3", name, n[1])
	}
	if n[0] != n[2]+n[3]+n[4] || n[0] == 0 || n[0] > particlesMost {
		return nil, fmt.Errorf("%s: %d particles, of which %d gas, %d dark and %d stars: it is not a TIPSY file, "+
			"or is damaged",
			name, n[0], n[2], n[3], n[4])
	}
	f := &File{name, from, math.Float64frombits(binary.BigEndian.Uint64(header[:])), int(n[2]), int(n[3]), int(n[4])}
	if want := f.at(f.Particles()); size < want {
		return nil, fmt.Errorf("%s: %d bytes, and its %d particles take %d: it was cut short", name, size, n[0], want)
	} else if size > want {
		return nil, fmt.Errorf("%s: %d bytes, and its %d particles take %d: it is not a TIPSY file, or is "+
			"damaged", name, size,
			n[0], want)
	}
	return f, nil
}

// Name returns the name passed to Open.
func (f *File) Name() string { return f.name }

// Time returns the time of the system.
func (f *File) Time() float64 { return f.time }

// Particles returns the number of particles.
func (f *File) Particles() int { return f.gas + f.dark + f.star }

// at returns the beginning of a particle.
func (f *File) at(i int) int64 {
	gas := min(i, f.gas)
	dark := min(i-gas, f.dark)
	return headerSize + int64(gas)*gasSize + int64(dark)*darkSize + int64(i-gas-dark)*starSize
}

// softAt returns the position of the softening in a particle.
func (f *File) softAt(i int) int {
	switch {
	case i < f.gas:
		return 40
	case i < f.gas+f.dark:
		return 28
	}
	return 36
}

// Read reads the particles from a number on. It may be called concurrently.
func (f *File) Read(first int, into []gravity.Particle) error {
	const some = 4096
	var bytes []byte
	for len(into) > some {
		if err := f.read(first, into[:some], &bytes); err != nil {
			return err
		}
		first, into = first+some, into[some:]
	}
	return f.read(first, into, &bytes)
}

func (f *File) read(first int, into []gravity.Particle, bytes *[]byte) error {
	from, to := f.at(first), f.at(first+len(into))
	if int64(cap(*bytes)) < to-from {
		*bytes = make([]byte, to-from)
	}
	b := (*bytes)[:to-from]
	if _, err := f.from.ReadAt(b, from); err != nil && err != io.EOF {
		return fmt.Errorf("%s: %w", f.name, err)
	}
	for i := range into {
		p := b[f.at(first+i)-from:]
		number := func(at int) float64 { return float64(math.Float32frombits(binary.BigEndian.Uint32(p[at:]))) }
		into[i] = gravity.Particle{
			Mass: number(0), Soft: number(f.softAt(first + i)),
			Pos: gravity.Vector{number(4), number(8), number(12)},
			Vel: gravity.Vector{number(16), number(20), number(24)},
		}
		if wrong := into[i].Check(); wrong != "" {
			return fmt.Errorf("%s: particle %d: %s", f.name, first+i, wrong)
		}
	}
	return nil
}

// Write writes particles as dark ones, with their potentials, at a time of the system. Numbers are rounded to 32 bits.
func Write(to io.Writer, time float64, particles []gravity.Particle, potentials []float64) error {
	b := make([]byte, headerSize)
	binary.BigEndian.PutUint64(b, math.Float64bits(time))
	for i, n := range []int{len(particles), 3, 0, len(particles), 0} {
		binary.BigEndian.PutUint32(b[8+4*i:], uint32(n))
	}
	const some = 1 << 16
	for i := range particles {
		p := &particles[i]
		for _, x := range [...]float64{
			p.Mass, p.Pos[0], p.Pos[1], p.Pos[2], p.Vel[0], p.Vel[1], p.Vel[2], p.Soft, potentials[i],
		} {
			b = binary.BigEndian.AppendUint32(b, math.Float32bits(float32(x)))
		}
		if len(b) >= some {
			if _, err := to.Write(b); err != nil {
				return err
			}
			b = b[:0]
		}
	}
	_, err := to.Write(b)
	return err
}
